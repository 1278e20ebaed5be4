"""A greedy bot, run as a program, that tells a test of each decision and waits until it may make it.

Each is a byte in a FIFO. Called with the path of a file, it keeps every byte there that the referee sends it.
"""

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
    """Plays as greedy does, says so, and waits until it may; where nobody reads, it is just greedy."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Tell, wait, then play."""
        if TOLD is not None and ALLOWED is not None:
            os.write(TOLD, b".")
            os.read(ALLOWED, 1)
        return super().play(view, offers)


def _opened(variable: str, flags: int) -> int | None:
    path = os.environ.get(variable)
    return os.open(path, flags) if path else None


TOLD, ALLOWED = _opened("RUMMYREF_TEST_TOLD", os.O_WRONLY), _opened("RUMMYREF_TEST_ALLOWED", os.O_RDONLY)

if __name__ == "__main__":
    given = from_environment()
    address = Proxy(given.address, Path(sys.argv[1])).address if sys.argv[1:] else given.address
    Runner(Session(address, given.token, Wishes(capacity=8), given.ca), TellingBot).run()
