"""Clock arithmetic, all in integer microseconds; nothing here reads a clock."""

from dataclasses import dataclass
from typing import Final

SECOND_US: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ClockProfile:
    """Thinking time at a table. Audience: public.

    Attributes:
        name: As tables and ladder files write it.
        to_enter_us: Time to take one's seat in a match that is about to start.
        bank_us: Time for the whole match, given at its start.
        increment_us: Time added to the bank as each decision begins.
        cap_us: Most time one decision may take.
        timed: False where clocks do not run at all.
    """

    name: str
    to_enter_us: int
    bank_us: int
    increment_us: int
    cap_us: int
    timed: bool = True

    def allowance_us(self, bank_us: int) -> int:
        """Return how long the next decision may take with *bank_us* left."""
        return min(self.cap_us, bank_us + self.increment_us)

    def charged_us(self, bank_us: int, used_us: int) -> int:
        """Return the bank after a decision that took *used_us*; never negative."""
        return max(bank_us + self.increment_us - used_us, 0) if self.timed else bank_us


def _us(seconds: float) -> int:
    return round(seconds * SECOND_US)


def _profile(name: str, to_enter_s: float, bank_s: float, increment_s: float, cap_s: float) -> ClockProfile:
    return ClockProfile(name, _us(to_enter_s), _us(bank_s), _us(increment_s), _us(cap_s))


PROFILES: Final = {
    profile.name: profile
    for profile in (
        _profile("bullet", 10, 5, 0.05, 0.5),
        _profile("standard", 30, 30, 0.1, 2),
        _profile("slow", 60, 300, 1, 15),
        _profile("human", 120, 600, 15, 120),
        ClockProfile("untimed", 0, 0, 0, 0, timed=False),
    )
}
"""The profiles by name."""
