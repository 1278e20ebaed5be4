"""When an A/B match may stop: a confidence sequence on the means of its sets.

The interval holds the true mean at *every* set at once with probability 1 - alpha,
so one may look after each set and stop at will. It is the self-normalised normal
mixture of de la Peña, Klass and Lai (Annals of Probability 32, 2004) in the form of
Howard, Ramdas, McAuliffe and Sekhon (Annals of Statistics 49, 2021): a mean is
rejected once

    sqrt(r / (V + r)) * exp(S^2 / (2 (V + r))) >= 1 / alpha,

with S the sum and V the sum of squares of the values less that mean.

Assumption: sets are independent, and their values are symmetric about the mean. No
bound and no variance is assumed. Where two bots are alike this is no assumption at
all: exchanging their names turns the sign of a set's value. Elsewhere it is an
approximation; docs/ladder.md has what it costs.

Given all absolute values only the signs are left to chance, so r may depend on any
of the absolute values. It is a multiple of the mean square of the first few, which
makes the interval follow the unit of the points.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice
from typing import Final

ALPHA: Final = 0.05
"""Probability that an interval ever fails to hold the mean."""

FIRST_LOOK: Final = 8
"""Values that differ from a mean before that mean may be rejected; they set the scale."""

_TIGHTEST_AT: Final = 0.25
"""Share of the budget at which the interval is as narrow as the method allows."""

_HALVINGS: Final = 60
"""Steps of the search for an end of the interval: enough for every bit of a float."""


@unique
class Verdict(Enum):
    """Where an A/B match stands. All but `OPEN` end it."""

    OPEN = "open"
    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    BUDGET_SPENT = "budget_spent"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the sets of an A/B match say.

    Attributes:
        verdict: Where the match stands.
        sets: Sets it took: those after the one that decided are not looked at.
        mean: Mean of their values, in points a round; 0 without any.
        interval: Means that are not rejected at this set; an end is infinite while nothing can be said.
    """

    verdict: Verdict
    sets: int
    mean: float
    interval: tuple[float, float]


def judge(set_means: Sequence[float], *, margin: float, budget: int, alpha: float = ALPHA) -> Judgement:
    """Return whether A is better than B, worse, or equivalent, or whether to go on.

    Better and worse: the interval lies on one side of 0. Equivalent: it lies between
    -margin and margin. Where several hold at the same set, the first named counts.
    Equal arguments give equal judgements, and what ended a match stays as it is
    whatever sets follow.

    Args:
        set_means: Per set, in the order of play, A's result less B's, in points a round as standings have them.
        margin: Difference in points a round that does not matter; 0 for none that does not.
        budget: Sets after which the match ends; fixed beforehand, since the interval is tuned to it.
        alpha: Probability that an interval ever fails to hold the mean.

    Raises:
        ValueError: The margin is negative, the budget less than 1, or alpha not between 0 and 1.
    """
    if margin < 0 or budget < 1 or not 0 < alpha < 1:
        raise ValueError(f"margin {margin}, budget {budget} and alpha {alpha} make no match")
    tests = [_Test(mean, budget, alpha) for mean in (0.0, -margin, margin)]
    values = list(set_means[:budget])
    for number, value in enumerate(values, start=1):
        verdict = _verdict(*[test.add(value) for test in tests])
        if verdict is not Verdict.OPEN:
            return _judgement(verdict, values[:number], budget, alpha)
    return _judgement(Verdict.BUDGET_SPENT if len(values) == budget else Verdict.OPEN, values, budget, alpha)


def _verdict(zero: int, low: int, high: int) -> Verdict:
    """Return what follows from the sides on which 0 and the two ends of the margin are rejected."""
    if zero:
        return Verdict.BETTER if zero > 0 else Verdict.WORSE
    return Verdict.EQUIVALENT if low > 0 > high else Verdict.OPEN


class _Test:
    """Whether one mean is rejected, set by set."""

    def __init__(self, mean: float, budget: int, alpha: float) -> None:
        self._mean = mean
        self._weight = _weight(budget, alpha)
        self._threshold = -math.log(alpha)
        self._sum = self._squares = self._scale = 0.0
        self._count = 0

    def add(self, value: float) -> int:
        """Take in the value of a set; return 1 if the values are above the mean by now, -1 if below, else 0."""
        off = value - self._mean
        self._sum += off
        self._squares += off * off
        if off and self._count < FIRST_LOOK:
            self._count += 1
            self._scale += off * off / FIRST_LOOK
        if self._count < FIRST_LOOK:
            return 0
        evidence = _log_evidence(self._sum, self._squares, self._weight * self._scale)
        return 0 if evidence < self._threshold else int(math.copysign(1, self._sum))


def _weight(budget: int, alpha: float) -> float:
    """Return r in units of a value's square: tightest at a share of the budget (Howard et al., section 3.5)."""
    twice = -2 * math.log(alpha)
    return max(_TIGHTEST_AT * budget, FIRST_LOOK) / (twice + math.log1p(twice))


def _log_evidence(total: float, squares: float, spread: float) -> float:
    return total * total / (2 * (squares + spread)) - math.log((squares + spread) / spread) / 2


def _judgement(verdict: Verdict, values: list[float], budget: int, alpha: float) -> Judgement:
    mean = math.fsum(values) / len(values) if values else 0.0
    low, high = (_end(values, mean, sign, _weight(budget, alpha), -math.log(alpha)) for sign in (-1, 1))
    return Judgement(verdict, len(values), mean, (low, high))


def _end(values: list[float], centre: float, sign: int, weight: float, threshold: float) -> float:
    """Return where the rejected means begin on one side of *centre*; infinite where nothing is rejected."""

    def rejected(distance: float) -> bool:
        offs = [value - centre - sign * distance for value in values]
        first = [off * off for off in islice((off for off in offs if off), FIRST_LOOK)]
        if len(first) < FIRST_LOOK:
            return False
        squares = math.fsum(off * off for off in offs)
        return _log_evidence(math.fsum(offs), squares, weight * math.fsum(first) / FIRST_LOOK) >= threshold

    spread = max((abs(value - centre) for value in values), default=0.0)
    outside = max(spread, 1.0)
    for _ in range(_HALVINGS):
        if rejected(outside):
            break
        outside *= 2
    else:
        return sign * math.inf
    inside = 0.0
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
    return centre + sign * outside
