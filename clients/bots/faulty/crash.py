"""Bots whose process ends, as a crash ends it: nothing is said and nothing is closed.

In a ladder the rounds under way are forfeited (`crashed`), the bot is started once
more, and after its second end all later rounds are forfeited (`never_came`).
"""

import os
from typing import Final, NoReturn

from clients.bots.faulty.expected import CRASHES_TWICE, NEVER_COMES, Expected, Faulty, Outcome
from clients.bots.faulty.raw import RawRunner
from clients.bots.runner import MakeBot, Runner
from clients.messages import Asked, SeatInfo
from clients.session import RawSession, Session
from engine.rules.position import Phase

_CRASH_AT: Final = 5


def crash(code: int = 1) -> NoReturn:
    """End the process at once."""
    os._exit(code)


class BeforeHello(Runner):
    """Ends before it has connected."""

    def run(self, *, matches: int | None = None) -> int:  # noqa: ARG002 - it never gets there
        """Crash."""
        crash()


class ExitsAtOnce(Runner):
    """Ends in order, code 0, before it has connected: there is nothing to do, it thinks."""

    def run(self, *, matches: int | None = None) -> int:  # noqa: ARG002 - it never gets there
        """End."""
        crash(0)


class AfterHello(RawRunner):
    """Ends as soon as it is welcome, which may be before or after it is given seats."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Wait for the welcome."""
        session.on_welcome = crash
        super().__init__(session, make_bot, seed)


class OnSeated(Runner):
    """Ends as it is told of a seat."""

    def _sit(self, seat: SeatInfo) -> None:  # noqa: ARG002 - any will do
        crash()


class OnFirstDecision(Runner):
    """Ends as it is first asked for a play."""

    def _play(self, asked: Asked, attempt: int) -> None:  # noqa: ARG002 - any will do
        crash()


class AfterDrawing(Runner):
    """Ends in the middle of a turn: it has drawn and seen the card."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if asked.view.round.phase is Phase.PLAY:
            crash()
        super()._play(asked, attempt)


class MidMatch(Runner):
    """Ends when it is asked for its n-th play; `RUMMYREF_CRASH_AT` is n, 5 unless it says otherwise."""

    def __init__(self, session: Session, make_bot: MakeBot, seed: int | None = None) -> None:
        """Play until that decision."""
        super().__init__(session, make_bot, seed)
        self._left = int(os.environ.get("RUMMYREF_CRASH_AT", _CRASH_AT))

    def _play(self, asked: Asked, attempt: int) -> None:
        self._left -= 1
        if self._left <= 0:
            crash()
        super()._play(asked, attempt)


BOTS: Final = {
    "crash-before-hello": Faulty(BeforeHello, NEVER_COMES),
    "exit-at-once": Faulty(ExitsAtOnce, NEVER_COMES),
    "crash-after-hello": Faulty(AfterHello, Expected(Outcome.CRASHES, crashes=(0, 2))),
    "crash-on-seated": Faulty(OnSeated, Expected(Outcome.CRASHES, crashes=(1, 2))),
    "crash-on-first-decision": Faulty(OnFirstDecision, CRASHES_TWICE),
    "crash-after-drawing": Faulty(AfterDrawing, CRASHES_TWICE),
    "crash": Faulty(MidMatch, CRASHES_TWICE),
}
