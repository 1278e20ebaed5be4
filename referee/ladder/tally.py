"""What each entrant has made so far, in one pass: mean and spread of its set results."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from referee.ladder.student import student_quantile


@dataclass(slots=True)
class Tally:
    """Set results of some entrants, taken in set by set. Points: more is better.

    Quick enough to be kept while tables are played. Standings are computed from the
    record and more carefully.
    """

    _counts: dict[str, int] = field(default_factory=dict)
    _means: dict[str, float] = field(default_factory=dict)
    _squares: dict[str, float] = field(default_factory=dict)

    def add(self, results: Mapping[str, float]) -> None:
        """Take in a set: result by entrant."""
        for entrant, value in results.items():
            count = self._counts[entrant] = self.sets(entrant) + 1
            off = value - self.mean(entrant)
            mean = self._means[entrant] = self.mean(entrant) + off / count
            self._squares[entrant] = self._squares.get(entrant, 0.0) + off * (value - mean)

    def sets(self, entrant: str) -> int:
        """Return how many sets of *entrant* were taken in."""
        return self._counts.get(entrant, 0)

    def mean(self, entrant: str) -> float:
        """Return the mean of its results, 0 without any."""
        return self._means.get(entrant, 0.0)

    def error(self, entrant: str) -> float:
        """Return the standard error of that mean, infinite before two sets."""
        count = self.sets(entrant)
        return math.sqrt(self._squares[entrant] / (count - 1) / count) if count > 1 else math.inf

    def interval(self, entrant: str) -> tuple[float, float]:
        """Return Student's 95 % interval of that mean, infinite before two sets."""
        sets = self.sets(entrant)
        width = student_quantile(sets - 1) * self.error(entrant) if sets > 1 else math.inf
        return self.mean(entrant) - width, self.mean(entrant) + width

    def distance(self, one: str, two: str) -> float:
        """Return how far apart two means are in standard errors of their difference; 0 where nothing is known."""
        apart = abs(self.mean(one) - self.mean(two))
        error = math.hypot(self.error(one), self.error(two))
        if apart == 0 or math.isinf(error):
            return 0.0
        return apart / error if error else math.inf

    def doubts(self, entrants: Iterable[str]) -> dict[str, float]:
        """Return for each entrant how far it is from the nearest in rank: the less, the more uncertain its rank."""
        order = sorted(entrants, key=lambda entrant: (self.mean(entrant), entrant))
        doubts = dict.fromkeys(order, math.inf)
        for below, above in pairwise(order):
            apart = self.distance(below, above)
            doubts[below] = min(doubts[below], apart)
            doubts[above] = min(doubts[above], apart)
        return doubts
