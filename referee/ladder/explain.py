"""Why two entrants stand as they do: which sets decide it, and how many more would settle it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from engine.rules.ruleset import ScoreSense
from referee.ladder.fixtures import Shape
from referee.ladder.margins import TableResult, set_results
from referee.ladder.pairs import mean_interval
from referee.ladder.resampling import Interval
from referee.ladder.scores import Floats
from referee.ladder.student import student_quantile

_MOST_SETS: Final = 10**7
"""A number of further sets beyond which nobody waits for a difference."""


class Decisive(NamedTuple):
    """A set that speaks for the order.

    Attributes:
        number: Of the set.
        one: What the one made of it, in points a round; None if it did not play.
        two: What the other made of it.
        lead: What it adds to the lead, in points a round.
    """

    number: int
    one: float | None
    two: float | None
    lead: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one entrant stands in front of another, or level with it.

    Attributes:
        one: The one in front.
        two: The other.
        points: Points a round of each.
        lead: How far the one is ahead, in points a round; 0 or more.
        interval: 95 % interval of that.
        sets: Sets that either played.
        common: Sets that both played.
        decisive: The fewest sets without which the one would not be ahead, most telling first.
        more_sets: Further sets that would tell them apart if the lead stayed as it is; 0 if they are told apart,
            None if no number would or too little is known.
    """

    one: str
    two: str
    points: tuple[float, float]
    lead: float
    interval: Interval
    sets: int
    common: int
    decisive: tuple[Decisive, ...]
    more_sets: int | None

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves no doubt about the order."""
        return self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)


class NoSetsError(LookupError):
    """An entrant has no finished set, so there is nothing to explain; the message names it."""


def explain(tables: Sequence[TableResult], pair: tuple[str, str], sense: ScoreSense, shape: Shape) -> Explanation:
    """Return why the one of *pair* stands in front of the other.

    Raises:
        NoSetsError: One of them has no finished set.
    """
    results = set_results(tables, sense, shape)
    for entrant in pair:
        if entrant not in results:
            raise NoSetsError(f"no set of {entrant} is finished")
    means = {entrant: math.fsum(results[entrant].values()) / len(results[entrant]) for entrant in pair}
    one, two = sorted(pair, key=lambda entrant: (-means[entrant], entrant))
    ours, theirs = results[one], results[two]
    lead = means[one] - means[two]
    moves = {
        entrant: {
            number: (value - means[entrant]) / len(results[entrant]) for number, value in results[entrant].items()
        }
        for entrant in pair
    }
    pulls = np.array([moves[one].get(number, 0.0) - moves[two].get(number, 0.0) for number in sorted(ours | theirs)])
    return Explanation(
        one,
        two,
        (means[one], means[two]),
        lead,
        _interval(lead, pulls),
        len(pulls),
        len(ours.keys() & theirs.keys()),
        _decisive(ours, theirs),
        _more_sets(lead, pulls),
    )


def _interval(lead: float, pulls: Floats) -> Interval:
    """Return Student's interval of the lead, *pulls* being what each set moves it by."""
    sets = len(pulls)
    return mean_interval(lead, float(np.sum((pulls * sets) ** 2)), sets)


def _more_sets(lead: float, pulls: Floats) -> int | None:
    sets = len(pulls)
    spread = float(np.sqrt(np.sum((pulls * sets) ** 2) / max(sets - 1, 1)))
    if sets < 2 or lead == 0 or not spread:
        return 0 if sets >= 2 and lead else None
    needed = max(2, math.ceil((1.96 * spread / lead) ** 2))
    while needed < _MOST_SETS and student_quantile(needed - 1) * spread >= lead * math.sqrt(needed):
        needed += 1
    return None if needed >= _MOST_SETS else max(0, needed - sets)


def _decisive(ours: dict[int, float], theirs: dict[int, float]) -> tuple[Decisive, ...]:
    """Return the sets that speak most for the one, as few as turn the order when they are left out."""
    found = [
        Decisive(
            number,
            ours.get(number),
            theirs.get(number),
            ours.get(number, 0.0) / len(ours) - theirs.get(number, 0.0) / len(theirs),
        )
        for number in sorted(ours | theirs)
    ]
    found.sort(key=lambda each: (-each.lead, each.number))
    sums, counts = [math.fsum(ours.values()), math.fsum(theirs.values())], [len(ours), len(theirs)]
    for place, each in enumerate(found, start=1):
        for side, value in enumerate((each.one, each.two)):
            if value is not None:
                sums[side] -= value
                counts[side] -= 1
        if not all(counts) or sums[0] / counts[0] <= sums[1] / counts[1]:
            return tuple(found[:place])
    return tuple(found)
