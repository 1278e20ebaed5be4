"""A greedy bot, run as a program, that tells a test of each decision by a byte in a FIFO.

Called with the path of a file, it keeps every byte there that the referee sends it.
"""

import contextlib
import os
import sys
from pathlib import Path

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session, Wishes, from_environment
from engine.moves import Play
from engine.views import SeatView
from tests.ladder.proxy import Proxy


class TellingBot(GreedyBot):
    """Plays as greedy does and says so; where nobody reads, it is just greedy."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Tell, then play."""
        if TOLD is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(TOLD, b".")
        return super().play(view, offers)


def _told() -> int | None:
    path = os.environ.get("RUMMYREF_TEST_TOLD")
    return os.open(path, os.O_WRONLY | os.O_NONBLOCK) if path else None


TOLD = _told()

if __name__ == "__main__":
    given = from_environment()
    address = Proxy(given.address, Path(sys.argv[1])).address if sys.argv[1:] else given.address
    Runner(Session(address, given.token, Wishes(capacity=8), given.ca), TellingBot).run()
