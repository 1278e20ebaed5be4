"""Answers every decision with a legal play, a moment after its time is over.

In a ladder: as if it had been silent, `time_out` and then `strikes`; what it sends is
stale and changes nothing. Where clocks do not run it is never late.
"""

import threading
from typing import Final

from clients.bots.runner import Runner
from clients.messages import Asked
from engine.offers import offered

_TOO_LATE_S: Final = 0.1


class LateRunner(Runner):
    """Lets each decision's time pass while it goes on reading."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if asked.allowance_s is None:
            super()._play(asked, attempt)
            return
        play = offered(asked.view.position)[0]
        timer = threading.Timer(asked.allowance_s + _TOO_LATE_S, self._session.submit, (asked, play, attempt))
        timer.daemon = True  # a process that is told to stop does not wait for it
        timer.start()
