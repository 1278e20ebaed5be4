"""Ratings by least squares: what an entrant is worth in points a round, whomever it has met.

The points of a seat are taken as the strength of its entrant, plus what the seat's
cards are worth in that set (the deal is the same at every table of a set), plus how
high the table scored, plus luck. All sets are fitted at once, so the order in which
they were played does not matter.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.ladder.scores import Floats, Ints, Scores, summed

RIDGE: Final = 0.001
"""Pull of every strength towards 0, in table results: too weak to be seen where there are sets that tell."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings in points a round.

    Attributes:
        ratings: Points a round to be expected at a table whose other seats are drawn from the other entrants;
            shape (entrants,).
        influence: By how much each block of sets moves each rating; shape (blocks, entrants).
        groups: Names of entrants that have met, directly or through others; largest group first.
    """

    ratings: Floats
    influence: Floats
    groups: tuple[tuple[str, ...], ...]


def fit(scores: Scores) -> Fit:
    """Return the ratings of every entrant; one without a set has 0."""
    entrants = len(scores.entrants)
    points = scores.totals / scores.rounds[:, None]
    normal = normal_matrix(scores.seated, scores.tables_in_set, entrants)
    strengths = strengths_of(normal, summed(scores.seated, scores.centred(points), entrants))
    left = scores.centred(points - strengths[scores.seated])
    of_set = np.repeat(scores.table_set, scores.seats)
    moves = strengths_of(normal, scores.by_block(of_set, scores.seated.ravel(), left.ravel()).T).T
    field = against_the_others(entrants)
    return Fit(field @ strengths, moves @ field, _groups(normal, scores.entrants))


def strengths_of(normal: Floats, pull: Floats) -> Floats:
    """Return the solution of the normal equations, held by the ridge."""
    return np.linalg.solve(normal + RIDGE * np.eye(len(normal)), pull).astype(np.float64, copy=False)


def against_the_others(entrants: int) -> Floats:
    """Return the matrix that takes strengths to their distance from the mean of the others."""
    if entrants < 2:
        return np.zeros((entrants, entrants))
    return (entrants * np.eye(entrants) - np.ones((entrants, entrants))) / (entrants - 1)


def normal_matrix(seated: Ints, tables: int, entrants: int) -> Floats:
    """Return the normal matrix of the strengths, tables and seats of sets projected out; shape (entrants, entrants).

    Args:
        seated: Entrant by table and seat, set after set.
        tables: Tables in each set.
        entrants: How many there are.
    """
    seats = seated.shape[1]
    by_set = seated.reshape(-1, tables, seats)
    together: Floats = np.diag(summed(seated, None, entrants))
    together -= _counts(seated, entrants) / seats
    together -= _counts(by_set.swapaxes(1, 2).reshape(-1, tables), entrants) / tables
    together += _counts(by_set.reshape(-1, tables * seats), entrants) / (tables * seats)
    return together


def _counts(rows: Ints, entrants: int) -> Floats:
    """Return how often two entrants stand in one row, each place with each."""
    found = np.zeros(entrants * entrants)
    step = max(1, 4_000_000 // rows.shape[1] ** 2)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        keys = part[:, :, None] * entrants + part[:, None, :]
        found += summed(keys, None, entrants * entrants)
    return found.reshape(entrants, entrants)


def _groups(normal: Floats, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the entrants that sets connect, largest group first, those without a set left out."""
    linked = np.abs(normal) > 1e-9
    left = [place for place in range(len(names)) if linked[place].any()]
    groups = []
    while left:
        group = {left[0]}
        while True:
            reached = set(np.flatnonzero(linked[sorted(group)].any(axis=0)).tolist())
            if reached <= group:
                break
            group |= reached
        groups.append(tuple(names[place] for place in left if place in group))
        left = [place for place in left if place not in group]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))
