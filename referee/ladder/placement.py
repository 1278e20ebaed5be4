"""Ratings by placements alone (Plackett and Luce), beside those by points.

The chance that an entrant is placed first among some is its strength over the sum of
theirs; second and later places follow in the same way among those that are left.
Entrants with equal points share a place: each of them is taken as first among itself,
its equals and those behind (Breslow's way with ties), and the last place of a table,
which is left over and not chosen, as one choice less: of two, being level is half won.
The fit is Newton's on the
logarithms, which are concave. It is our own since the library for it, choix, knows
neither ties nor which sets moved a rating, and closed rummy is full of ties.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.ladder.scores import Floats, Scores, summed

RIDGE: Final = 0.01
"""Pull of every logarithm towards 0, in tables: what holds those who were never beaten."""

_POINTS_PER_UNIT: Final = 400 / math.log(10)
_STEPS: Final = 100
_SMALL: Final = 1e-10
_LARGEST_STEP: Final = 2.0


@dataclass(frozen=True, slots=True)
class Placements:
    """Ratings by placements; 400 more is ten to one on being placed in front. Their mean is 0.

    Attributes:
        ratings: Shape (entrants,).
        influence: By how much each block of sets moves each rating; shape (blocks, entrants).
        unbeaten: Entrants that nobody else has ever been placed beside or in front of; together, and at least
            one other entrant was met. Empty where there are none.
    """

    ratings: Floats
    influence: Floats
    unbeaten: tuple[str, ...]


def fit_placements(scores: Scores) -> Placements:
    """Return the ratings of every entrant by the points of whole tables, forfeits counted."""
    entrants = len(scores.entrants)
    tables = _Tables(scores)
    strengths = np.zeros(entrants)
    for _ in range(_STEPS):
        pull, curvature = _derivatives(tables, strengths)
        step = np.linalg.solve(curvature + RIDGE * np.eye(entrants), pull - RIDGE * strengths)
        strengths = strengths + step * min(1.0, _LARGEST_STEP / max(float(np.abs(step).max(initial=0.0)), _SMALL))
        if np.abs(step).max(initial=0.0) < _SMALL:
            break
    inverse = np.linalg.inv(_derivatives(tables, strengths)[1] + RIDGE * np.eye(entrants))
    moves = _POINTS_PER_UNIT * _moves(scores, tables, strengths) @ inverse
    return Placements(_POINTS_PER_UNIT * strengths, moves, _unbeaten(scores))


class _Tables:
    """Distinct tables: who sat there and who was placed where.

    Attributes:
        seated: Entrants of each; shape (distinct tables, seats).
        behind: Whether the second seat was placed no better than the first; shape (distinct tables, seats, seats).
        which: Which of them each table of the ladder is; shape (tables,).
        shares: How much of a choice each seat's place was: all of it, less where it is the last; shape (distinct
            tables, seats).
        repeats: How often each was there.
    """

    def __init__(self, scores: Scores) -> None:
        order = np.argsort(scores.seated, axis=1, kind="stable")
        seated, totals = (np.take_along_axis(array, order, axis=1) for array in (scores.seated, scores.totals))
        places = np.stack([(totals > totals[:, [seat]]).sum(axis=1) for seat in range(scores.seats)], axis=1)
        keys = places @ scores.seats ** np.arange(scores.seats)
        for column in seated.T:
            keys = np.unique(keys * len(scores.entrants) + column, return_inverse=True)[1]
        _, first, self.which, self.repeats = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        self.seated = seated[first]
        self.behind = places[first, :, None] <= places[first, None, :]
        last = places[first] == places[first].max(axis=1, keepdims=True)
        self.shares = np.where(last, 1 - 1 / last.sum(axis=1, keepdims=True), 1.0)


def _chances(tables: _Tables, strengths: Floats) -> Floats:
    """Return the chance of each seat to be first among another and those not before that; shape as `behind`."""
    weight = np.exp(strengths[tables.seated])[:, None, :] * tables.behind
    chances: Floats = weight / weight.sum(axis=2, keepdims=True)
    return chances


def _derivatives(tables: _Tables, strengths: Floats) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood and its curvature, sign turned."""
    entrants, seated, repeats = len(strengths), tables.seated, tables.repeats[:, None]
    chances = _chances(tables, strengths)
    shared = chances * (tables.shares * repeats)[:, :, None]
    expected = shared.sum(axis=1)
    pull = summed(seated, tables.shares * repeats - expected, entrants)
    products = chances.swapaxes(1, 2) @ shared
    keys = seated[:, :, None] * entrants + seated[:, None, :]
    squares = summed(keys, products, entrants * entrants).reshape(entrants, entrants)
    return pull, np.diag(summed(seated, expected, entrants)) - squares


def _moves(scores: Scores, tables: _Tables, strengths: Floats) -> Floats:
    """Return the gradient by block of sets and entrant."""
    expected = (_chances(tables, strengths) * tables.shares[:, :, None]).sum(axis=1)
    surprise = tables.shares - expected
    of_set = np.repeat(scores.table_set, scores.seats)
    return scores.by_block(of_set, tables.seated[tables.which].ravel(), surprise[tables.which].ravel())


def _unbeaten(scores: Scores) -> tuple[str, ...]:
    """Return the smallest group that was never placed level with or behind anybody outside it, if anybody was met."""
    entrants = len(scores.entrants)
    met = np.eye(entrants, dtype=bool)
    held = np.eye(entrants, dtype=bool)
    for one in range(scores.seats):
        for two in range(scores.seats):
            met[scores.seated[:, one], scores.seated[:, two]] = True
            level = scores.totals[:, one] >= scores.totals[:, two]
            held[scores.seated[level, one], scores.seated[level, two]] = True
    for middle in range(entrants):
        met |= met[:, middle : middle + 1] & met[middle : middle + 1]
        held |= held[:, middle : middle + 1] & held[middle : middle + 1]
    reached_by = held.sum(axis=0)
    for entrant in np.argsort(reached_by, kind="stable"):
        group = held[:, entrant]
        if met[entrant].sum() > 1 and (group.sum() < met[entrant].sum()):
            return tuple(name for name, inside in zip(scores.entrants, group, strict=True) if inside)
    return ()
