"""Bots that get the conversation wrong, for the doctor to find; the argument says how."""

import os
import sys
from collections.abc import Iterator

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.messages import Broken, Incoming
from clients.session import Session, from_environment


class Quitting(Session):
    """Takes a broken connection for the end."""

    def messages(self) -> Iterator[Incoming]:
        """Yield what the referee says until the connection breaks."""
        for message in super().messages():
            if isinstance(message, Broken):
                os._exit(0)
            yield message


def quits_when_cut() -> None:
    """Play until the connection breaks."""
    given = from_environment()
    Runner(Quitting(given.address, given.token), GreedyBot).run()


def guest() -> None:
    """Register anew instead of using the token."""
    session = Session(from_environment().address, "")
    session.register("guest")
    Runner(session, GreedyBot).run()


if __name__ == "__main__":
    {"quits-when-cut": quits_when_cut, "guest": guest}[sys.argv[1]]()
