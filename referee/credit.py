"""How much a player may say that it was not asked for, before it is read more slowly.

Answers pay for themselves: every decision brings more credit than answering it
with all its refusals costs. Who says more harms nobody else: the referee simply
reads on later, the network holds what it has not read, and the clock runs.
"""

import time
from typing import Final

BURST: Final = 1_000
"""Messages that may come at once."""

PER_SECOND: Final = 100
"""Messages a second that may come for ever."""

PER_DECISION: Final = 25
"""Messages that each decision brings."""


class Credit:
    """The messages that a player may still send."""

    __slots__ = ("_at_s", "_left")

    def __init__(self) -> None:
        """Begin with all there can be."""
        self._left = float(BURST)
        self._at_s = time.monotonic()

    def earn(self) -> None:
        """Add what a decision brings."""
        self._left = min(self._left + PER_DECISION, BURST)

    def spend(self) -> float:
        """Pay for one message; return for how many seconds the next must not be read, 0 for none."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at_s) * PER_SECOND, BURST) - 1
        self._at_s = now
        return max(-self._left / PER_SECOND, 0.0)
