"""Whether a bot comes back: its stream is cut in the middle of a match, and later the referee is restarted."""

from typing import ClassVar, Final

from clients.doctor.findings import Finding, Outcome, skipped
from clients.doctor.house import PLAYED, STOOD_IN, House, Seen

_CUT, _RESTART = "back after a cut", "back after a restart"
STEPS: Final = (_CUT, _RESTART)
"""The checks, in the order in which they are made."""


class Comeback:
    """Follows matches, breaks the bot's connection, and sees whether it plays on.

    A break is made as the bot has played. It has come back when it has connected
    anew and played again before the clock had the stand-in play for it.
    """

    TRIES: ClassVar = 3
    ROUNDS: ClassVar = 3
    CLOCK: ClassVar = "slow"

    def __init__(self, house: House) -> None:
        """Break connections of *house*."""
        self._house = house
        self._after: dict[str, float] = {}
        self._lost = ""
        self._broken_at: float | None = None
        self._connections = 0

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing more to be seen."""
        return bool(self._lost) or len(self._after) == len(STEPS)

    @property
    def is_well(self) -> bool:
        """Whether it has come back each time."""
        return len(self._after) == len(STEPS)

    def react(self, seen: Seen) -> bool:
        """Take note of what happened, break what is to be broken; return whether to go on."""
        if self.is_settled:
            return not self._lost
        step = STEPS[len(self._after)]
        if self._broken_at is None:
            if seen.what == PLAYED:
                self._break(step)
        elif seen.what == STOOD_IN:
            self._lost = step
        elif seen.what == PLAYED and seen.at > self._broken_at and self._house.relay.connections > self._connections:
            self._after[step] = seen.at - self._broken_at
            self._broken_at = None
        return not self._lost

    def _break(self, step: str) -> None:
        self._connections = self._house.relay.connections
        self._broken_at = self._house.cut() if step == _CUT else self._house.restart()

    def findings(self, preset: str, why_not: str, *, gone: bool) -> list[Finding]:
        """Return what was seen; *why_not* says why something was not, *gone* that the bot has ended."""
        return [self._finding(preset, step, why_not, gone=gone) for step in STEPS]

    def _finding(self, preset: str, step: str, why_not: str, *, gone: bool) -> Finding:
        if step in self._after:
            seconds = self._after[step]
            return Finding(step, preset, Outcome.OK, f"played again {seconds:.2f} s later", {"seconds": seconds})
        if step == self._lost:
            text = "it was not back in time and the stand-in played: open a new stream, say hello and go on"
            return Finding(step, preset, Outcome.FAILED, text)
        if gone and self._broken_at is not None and step == STEPS[len(self._after)]:
            return Finding(step, preset, Outcome.FAILED, f"instead of coming back {why_not}")
        return skipped(step, preset, why_not if not self._lost else "it did not come back the first time")
