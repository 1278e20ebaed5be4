"""Uncertainty by drawing sets again: intervals and rank probabilities that repeat to the last byte."""

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from referee.ladder.scores import Floats, Scores
from referee.ladder.student import student_quantile

RESAMPLES: Final = 2_000
FEW: Final = 8
"""Sets below which percentiles say little: no resample of two sets lies beyond both, and half of the time neither does
the truth."""

Interval = tuple[float, float] | None
"""Ends of an interval; None where fewer than two sets say nothing of it."""

_NORMAL: Final = NormalDist()


def weights(scores: Scores) -> Floats:
    """Return how often each block of sets is drawn in each resample; shape (resamples, blocks).

    Drawn with replacement, with a seed that is the hash of the results themselves.
    The bit generator's own numbers are used, since only these are promised to stay
    the same in later versions of numpy.
    """
    blocks = scores.blocks
    raw = np.random.PCG64(int.from_bytes(scores.digest(), "big")).random_raw(RESAMPLES * blocks)
    drawn = ((raw >> np.uint64(32)) * np.uint64(blocks) >> np.uint64(32)).astype(np.int64)
    keys = drawn.reshape(RESAMPLES, blocks) + np.arange(RESAMPLES)[:, None] * blocks
    return np.bincount(keys.ravel(), minlength=RESAMPLES * blocks).reshape(RESAMPLES, blocks).astype(np.float64)


def interval(values: Floats, sets: int) -> Interval:
    """Return the interval of a mean over *sets* sets from its resampled *values*.

    Percentiles, moved outwards as Student's interval is (Hesterberg, "What Teachers Should
    Know About the Bootstrap", 2015, section 3.2, calls it expanded); below `FEW` sets
    Student's interval itself, with the deviation of the resampled values.
    """
    if sets < 2:
        return None
    if sets < FEW:
        width = student_quantile(sets - 1) * float(values.std()) * math.sqrt(sets / (sets - 1))
        return float(values.mean()) - width, float(values.mean()) + width
    outside = _NORMAL.cdf(-math.sqrt(sets / (sets - 1)) * student_quantile(sets - 1))
    low, high = np.quantile(values, (outside, 1 - outside))
    return float(low), float(high)


def rank_probabilities(values: Floats) -> Floats:
    """Return the share of resamples in which each column has each rank, the highest value being first.

    Columns of equal value share their ranks. Shape (columns, ranks); each row sums to 1.
    """
    resamples, columns = values.shape
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    begins = np.ones(values.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(begins, np.arange(columns), 0), axis=1)
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = begins[:, 1:]
    beyond = np.where(ends, np.arange(1, columns + 1), columns)
    behind = np.minimum.accumulate(beyond[:, ::-1], axis=1)[:, ::-1]
    share = 1 / (behind - first)
    steps = np.zeros((columns, columns + 1))
    np.add.at(steps, (order, first), share)
    np.subtract.at(steps, (order, behind), share)
    shares: Floats = steps.cumsum(axis=1)[:, :columns] / resamples
    return shares
