"""Two entrants at a time: how far one is ahead in the sets that both played."""

import math
from typing import Final, NamedTuple

import numpy as np

from referee.ladder.resampling import Interval
from referee.ladder.scores import Floats, Ints, Scores, summed
from referee.ladder.student import student_quantile

_PART: Final = 4_000_000
"""Pairs taken at once, to bound memory."""


class Meeting(NamedTuple):
    """What the sets say that two entrants both played.

    Attributes:
        sets: How many.
        ahead: Mean of the one's results less the other's, in points a round; 0 without a set.
        interval: Student's interval of that mean.
        ahead_in: Share of the sets in which the one had more, those level counting half; one half without a set.
    """

    sets: int
    ahead: float
    interval: Interval
    ahead_in: float


def meetings(scores: Scores) -> list[list[Meeting]]:
    """Return a matrix of every entrant, in the order of `scores.entrants`, against every other."""
    entrants = len(scores.entrants)
    sets, sums, squares, won = (np.zeros(entrants * entrants) for _ in range(4))
    for members, values in _sets_by_size(scores):
        ahead = values[:, :, None] - values[:, None, :]
        keys = members[:, :, None] * entrants + members[:, None, :]
        sets += summed(keys, None, entrants * entrants)
        sums += summed(keys, ahead, entrants * entrants)
        squares += summed(keys, ahead**2, entrants * entrants)
        won += summed(keys, (np.sign(ahead) + 1) / 2, entrants * entrants)
    found = [_meeting(int(pair[0]), *map(float, pair[1:])) for pair in zip(sets, sums, squares, won, strict=True)]
    return [found[start : start + entrants] for start in range(0, len(found), entrants)]


def mean_interval(mean: float, squares: float, count: int) -> Interval:
    """Return Student's interval of a *mean* over *count* values with the sum of squares *squares* about it."""
    if count < 2:
        return None
    width = student_quantile(count - 1) * math.sqrt(max(squares, 0.0) / (count - 1) / count)
    return mean - width, mean + width


def _meeting(sets: int, total: float, squares: float, won: float) -> Meeting:
    if not sets:
        return Meeting(0, 0.0, None, 0.5)
    mean = total / sets
    return Meeting(sets, mean, mean_interval(mean, squares - sets * mean * mean, sets), won / sets)


def _sets_by_size(scores: Scores) -> list[tuple[Ints, Floats]]:
    """Return entrants and results of sets of equally many entrants, in parts; each of shape (sets, entrants)."""
    sizes = np.bincount(scores.result_set, minlength=scores.sets)
    parts = []
    for size in np.unique(sizes[sizes > 0]):
        chosen = np.flatnonzero(sizes[scores.result_set] == size).reshape(-1, size)
        step = max(1, _PART // int(size) ** 2)
        parts += [
            (scores.result_entrant[chosen[start : start + step]], scores.results[chosen[start : start + step]])
            for start in range(0, len(chosen), step)
        ]
    return parts
