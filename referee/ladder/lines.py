"""What standings are made of: lines, and notes on what their numbers do not tell."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.ladder.pairs import Meeting
from referee.ladder.resampling import FEW, Interval


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. Points: more is better.

    Attributes:
        rank: From 1; entrants with equal points share a rank.
        entrant: Name.
        points_per_round: Mean of its set results. This decides the order.
        interval: 95 % interval of that mean, by resampling sets.
        rank_chances: Share of resamples in which it has rank 1, 2, …; empty while it has no set.
        rating: Points a round to be expected against the other entrants, by least squares over all sets.
        rating_interval: Its 95 % interval.
        placement_rating: Rating by placements alone, 400 more being ten to one on being placed in front.
        placement_interval: Its 95 % interval.
        rounds: Rounds played in finished sets.
        sets: Finished sets.
        seat_means: Its mean margin a round by seat; None for a seat that it has not taken.
        causes: Faults and forfeits by cause, in finished sets.
    """

    rank: int
    entrant: str
    points_per_round: float
    interval: Interval
    rank_chances: tuple[float, ...]
    rating: float
    rating_interval: Interval
    placement_rating: float
    placement_interval: Interval
    rounds: int
    sets: int
    seat_means: tuple[float | None, ...]
    causes: dict[str, int]

    @property
    def first_chance(self) -> float:
        """Share of resamples in which it has rank 1, ties divided."""
        return self.rank_chances[0] if self.rank_chances else 0.0


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a ladder.

    Attributes:
        lines: Best first; those without a finished set stand last.
        sets: Finished sets.
        seat_means: Mean margin a round of each seat, whoever sat there.
        meetings: How far the entrant of a line is ahead of that of another, by both; None for itself.
        notes: What the numbers alone do not tell, a sentence each.
    """

    lines: tuple[Standing, ...]
    sets: int
    seat_means: tuple[float, ...]
    meetings: dict[str, dict[str, Meeting]]
    notes: tuple[str, ...]


def unranked(entrant: str, problem: str) -> str:
    """Return the note on an entrant whose trial found *problem*."""
    return f"{entrant} is not ranked yet: its trial found {problem}."


def notes(lines: Sequence[Standing], groups: Sequence[Sequence[str]], unbeaten: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each thing that would mislead a reader of the numbers alone.

    Args:
        lines: The standings.
        groups: Entrants connected by sets, one group beside another.
        unbeaten: Entrants that nobody else was ever placed level with or in front of.
    """
    found = []
    if len(groups) > 1:
        found.append(
            f"{'; '.join(listed(group) for group in groups)}: these have not met, directly or through others. "
            "Points, ratings and ranks compare within each of these groups, not between them."
        )
    if unbeaten:
        found.append(
            f"Nobody else was ever placed level with or in front of {listed(unbeaten)}: by placements alone the "
            "distance has no upper end, and the rating shown is as far as the ridge lets it go. Points say how far."
        )
    few = [line.entrant for line in lines if 1 < line.sets < FEW]
    if few:
        found.append(
            f"Fewer than {FEW} sets of {listed(few)} are finished: chances of ranks take these for all that is known."
        )
    still = [line.entrant for line in lines if line.interval and line.interval[0] == line.interval[1]]
    if still:
        found.append(f"All sets of {listed(still)} gave one result: the interval has no width, which is no certainty.")
    single = [line.entrant for line in lines if line.sets == 1]
    if single:
        found.append(f"One set of {listed(single)} is finished, and one set gives no interval.")
    none = [line.entrant for line in lines if not line.sets]
    if none:
        found.append(f"No set of {listed(none)} is finished: no rank, points or rating.")
    return tuple(found)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def irregular(withdrawn: Sequence[str], void_sets: int) -> tuple[str, ...]:
    """Return a sentence for entrants that are *withdrawn*, and one for sets that did not count, if there are any."""
    found = []
    if withdrawn:
        found.append(f"Withdrawn until its owner returns: {listed(withdrawn)}.")
    if void_sets:
        times = "once" if void_sets == 1 else f"{void_sets} times"
        found.append(f"A set became void {times} and does not count as it was played then.")
    return tuple(found)
