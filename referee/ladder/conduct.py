"""How a match ended and who is to blame, and which entrants are withdrawn: pure, from results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.record.entries import Result
from engine.record.fold import FOR_GOOD
from referee.ladder.margins import TableResult
from referee.ladder.policy import Policy

PLAYED: Final = "played"
"""Cause of a match that nobody forfeited any part of."""


class Ending(NamedTuple):
    """Why a match ended as it did.

    Attributes:
        cause: `PLAYED`, or the value of a `Cause`.
        culprit: Seat that is to blame, None for nobody.
    """

    cause: str
    culprit: int | None


def ending_of(result: Result) -> Ending:
    """Return the one cause of a match that has a result: its first forfeit, if there was one."""
    if not result.forfeits:
        return Ending(PLAYED, None)
    first = result.forfeits[0]
    return Ending(first.cause.value, first.seat)


def misconduct(result: Result, seat: int) -> list[str]:
    """Return what *seat* did wrong in a match, for people: faults by cause, then forfeits by round, from 1."""
    faults = Counter(cause.value for who, cause in result.faults if who == seat)
    forfeits = [
        f"round {lost.round + 1} forfeited: {lost.cause.value}" for lost in result.forfeits if lost.seat == seat
    ]
    return [*(f"{cause} in {count} turns" for cause, count in faults.items()), *forfeits]


def bad_rounds(result: Result, seat: int) -> int:
    """Return how many rounds of a match were bad for *seat*: forfeited, or with a fault of its.

    A fault counts as a round of its own, up to the rounds of the match: it does not
    say in which round it was.
    """
    rounds = len(result.points)
    lost: set[int] = set()
    for forfeit in result.forfeits:
        if forfeit.seat == seat:
            lost.update(range(forfeit.round, rounds) if forfeit.cause in FOR_GOOD else (forfeit.round,))
    faults = sum(who == seat for who, _ in result.faults)
    return min(len(lost) + faults, rounds)


@dataclass(slots=True)
class Counted:
    """Rounds of one entrant since it was last let in.

    Attributes:
        rounds: Rounds played.
        bad: Those that were bad.
    """

    rounds: int = 0
    bad: int = 0


@dataclass(slots=True)
class Conduct:
    """Counts the bad rounds of every entrant and says who goes too far.

    Attributes:
        policy: Of the ladder.
        withdrawn: Entrants that are withdrawn, until they return.
        since: First set that counts for an entrant that has returned; what it did before is forgotten.
    """

    policy: Policy
    withdrawn: set[str] = field(default_factory=set)
    since: dict[str, int] = field(default_factory=dict)
    _counts: dict[str, Counted] = field(default_factory=dict)

    def count(self, number: int, tables: Sequence[TableResult]) -> list[str]:
        """Count set *number*, all its *tables* at once; return those that are to be withdrawn now, by name.

        Sets are counted in the order of their numbers, so that it is the same whichever table ended first.
        """
        for table in tables:
            for seat, entrant in enumerate(table.entrants):
                if number >= self.since.get(entrant, 0):
                    counted = self._counts.setdefault(entrant, Counted())
                    counted.rounds += len(table.result.points)
                    counted.bad += bad_rounds(table.result, seat)
        members = {entrant for table in tables for entrant in table.entrants}
        gone = sorted(filter(self._goes_too_far, members - self.withdrawn))
        self.withdrawn.update(gone)
        return gone

    def readmit(self, entrant: str, from_set: int) -> None:
        """Let *entrant* in again; what it does before *from_set* no longer counts."""
        self.withdrawn.discard(entrant)
        self.since[entrant] = from_set
        self._counts.pop(entrant, None)

    def counted(self, entrant: str) -> Counted:
        """Return the rounds of *entrant* since it was last let in."""
        return self._counts.get(entrant, Counted())

    def _goes_too_far(self, entrant: str) -> bool:
        counted = self.counted(entrant)
        return counted.rounds >= self.policy.bad_after and counted.bad > self.policy.bad_share * counted.rounds
