"""Ends its process with code 1 when it is asked for its n-th play.

`RUMMYREF_CRASH_AT` is n, 5 unless it says otherwise.

In a ladder: the rounds under way are forfeited with cause `crashed`; it is started
once more, and after it has ended again so are those under way then; all later
rounds are forfeited with cause `never_came`.
"""

import os
from typing import Final

from clients.bots.runner import MakeBot, Runner
from clients.messages import Asked
from clients.session import Session

_CRASH_AT: Final = 5


class CrashingRunner(Runner):
    """Answers every decision before its last one."""

    def __init__(self, session: Session, make_bot: MakeBot, seed: int | None = None) -> None:
        """Play until the decision that `RUMMYREF_CRASH_AT` names."""
        super().__init__(session, make_bot, seed)
        self._left = int(os.environ.get("RUMMYREF_CRASH_AT", _CRASH_AT))

    def _play(self, asked: Asked, attempt: int) -> None:
        self._left -= 1
        if self._left <= 0:
            os._exit(1)  # as a crash does: nothing is said and nothing is closed
        super()._play(asked, attempt)
