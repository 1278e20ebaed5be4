"""A greedy bot, run as a program, that tells a test of each decision by a byte in a FIFO."""

import contextlib
import os

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session, Wishes, from_environment
from engine.moves import Play
from engine.views import SeatView


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
    Runner(Session(given.address, given.token, Wishes(capacity=8), given.ca), TellingBot).run()
