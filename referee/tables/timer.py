"""The running clock of one open decision, on the monotonic clock of the referee."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from engine.clock import SECOND_US, ClockProfile

ABSENT_US: Final = 60 * SECOND_US
"""How long a seat may be without a stream at a table without clocks."""


class DecisionTimer:
    """Measures what a decision takes and rings when its time is over.

    Attributes:
        profile: Clock profile of the table.
        decision: Number of the open decision, None while none is open.
    """

    __slots__ = ("_handle", "_ring", "_started_ns", "decision", "profile")

    def __init__(self, profile: ClockProfile, ring: Callable[[int], None]) -> None:
        """Call *ring* with the decision's number when its time is over."""
        self.profile: Final = profile
        self.decision: int | None = None
        self._ring = ring
        self._started_ns: int | None = None
        self._handle: asyncio.TimerHandle | None = None

    def open(self, decision: int) -> None:
        """Open *decision*; its clock does not run yet."""
        self.close()
        self.decision = decision

    def close(self) -> None:
        """Close the open decision and stop its clock."""
        self.decision = None
        self._started_ns = None
        self._silence()

    def taken(self, decision: int, bank_us: int) -> None:
        """Start the clock: the transport has taken *decision*, if that is still open."""
        if self.decision == decision:
            self._start(bank_us)

    def absent(self, bank_us: int) -> None:
        """Start the clock at once: the seat has no stream."""
        if self.decision is None:
            return
        self._start(bank_us)
        if not self.profile.timed:
            self.ring_after(ABSENT_US)

    def present(self) -> None:
        """Let a seat without clocks think as long as it likes, now that it is there."""
        if not self.profile.timed:
            self._silence()

    def used_us(self, now_ns: int | None = None) -> int:
        """Return the time used so far, or until *now_ns*; not negative."""
        if self._started_ns is None:
            return 0
        return max((now_ns or time.monotonic_ns()) - self._started_ns, 0) // 1000

    def ring_after(self, after_us: int) -> None:
        """Ring after *after_us* instead of whenever it would have."""
        self._silence()
        if self.decision is not None:
            loop = asyncio.get_running_loop()
            self._handle = loop.call_later(after_us / SECOND_US, self._ring, self.decision)

    def _start(self, bank_us: int) -> None:
        if self._started_ns is None:
            self._started_ns = time.monotonic_ns()
            if self.profile.timed:
                self.ring_after(self.profile.allowance_us(bank_us))

    def _silence(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
