"""Standings: a pure function of the results in the record."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from engine.rules.ruleset import ScoreSense
from referee.ladder import resampling
from referee.ladder.fixtures import Shape
from referee.ladder.lines import Standing, Standings, notes
from referee.ladder.margins import TableResult, whole_sets
from referee.ladder.pairs import Meeting, meetings
from referee.ladder.placement import fit_placements
from referee.ladder.rating import fit
from referee.ladder.resampling import Interval
from referee.ladder.scores import Floats, Scores, summed

_DIGITS: Final = 4
"""Decimals of every number in the standings."""


def standings(tables: Sequence[TableResult], entrants: Sequence[str], sense: ScoreSense, shape: Shape) -> Standings:
    """Return the standings; equal arguments give equal bytes.

    Args:
        tables: Finished tables, in any order.
        entrants: All entrants.
        sense: Which points win.
        shape: What a set consists of.
    """
    scores = Scores(tables, sorted(entrants), sense, shape)
    ratings, placements = fit(scores), fit_placements(scores)
    points, drawn = _points(scores), resampling.weights(scores)
    resampled = _resampled_points(scores, points, drawn)
    chances = _rank_chances(resampled, scores)
    moved = (drawn - 1) @ ratings.influence, (drawn - 1) @ placements.influence
    causes = _causes(tables, shape)
    rounds = summed(scores.seated, np.repeat(scores.rounds, scores.seats).astype(np.float64), len(entrants))
    lines = []
    for place, entrant in enumerate(scores.entrants):
        sets = int(scores.sets_of[place])
        lines.append(
            Standing(
                rank=1 + int(np.sum(points[scores.sets_of > 0] > points[place])) if sets else 0,
                entrant=entrant,
                points_per_round=float(points[place]),
                interval=_interval(resampled[:, place], sets),
                rank_chances=tuple(map(rounded, chances[place])) if sets else (),
                rating=rounded(ratings.ratings[place]),
                rating_interval=_interval(ratings.ratings[place] + moved[0][:, place], sets),
                placement_rating=rounded(placements.ratings[place]),
                placement_interval=_interval(placements.ratings[place] + moved[1][:, place], sets),
                rounds=int(rounds[place]),
                sets=sets,
                seat_means=_seat_means(scores, place),
                causes=dict(sorted(causes[entrant].items())),
            )
        )
    ordered = _ordered(lines)
    return Standings(
        ordered,
        scores.sets,
        tuple(map(rounded, scores.margins.mean(axis=0))) if scores.sets else (),
        _named(meetings(scores), scores.entrants, ordered),
        notes(ordered, ratings.groups, placements.unbeaten),
    )


def rounded(value: float) -> float:
    """Return *value* as standings print it; no negative zero."""
    return round(float(value), _DIGITS) + 0.0


def _interval(values: Floats, sets: int) -> Interval:
    found = resampling.interval(values, sets)
    return found and (rounded(found[0]), rounded(found[1]))


def _points(scores: Scores) -> Floats:
    """Return the points a round of each entrant as they are printed, 0 without a set."""
    sums = summed(scores.result_entrant, scores.results, len(scores.entrants))
    means = sums / np.maximum(scores.sets_of, 1)
    return np.array([rounded(mean) for mean in means], dtype=np.float64)


def _resampled_points(scores: Scores, points: Floats, drawn: Floats) -> Floats:
    """Return the points a round of each entrant in each resample; where it has no set there, what it really has."""
    results = scores.by_block(scores.result_set, scores.result_entrant, scores.results)
    counts = scores.by_block(scores.result_set, scores.result_entrant, np.ones(len(scores.results)))
    sets = drawn @ counts
    return np.where(sets > 0, drawn @ results / np.maximum(sets, 1), points)


def _rank_chances(resampled: Floats, scores: Scores) -> Floats:
    """Return rank probabilities of those who have a set, among themselves; shape (entrants, ranks)."""
    has_sets = scores.sets_of > 0
    chances = np.zeros((len(scores.entrants), int(has_sets.sum())))
    chances[has_sets] = resampling.rank_probabilities(resampled[:, has_sets])
    return chances


def _seat_means(scores: Scores, entrant: int) -> tuple[float | None, ...]:
    sat = scores.seated == entrant
    return tuple(
        rounded(scores.margins[sat[:, seat], seat].mean()) if sat[:, seat].any() else None
        for seat in range(scores.seats)
    )


def _causes(tables: Sequence[TableResult], shape: Shape) -> dict[str, Counter[str]]:
    """Return faults and forfeits in finished sets by entrant and cause."""
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ended in whole_sets(tables, shape).values():
        for table in ended:
            for lost in table.result.forfeits:
                counted[table.entrants[lost.seat]][lost.cause.value] += 1
            for seat, cause in table.result.faults:
                counted[table.entrants[seat]][cause.value] += 1
    return counted


def _ordered(lines: list[Standing]) -> tuple[Standing, ...]:
    """Return the lines best first, those without a set last and of one rank."""
    last = 1 + sum(line.sets > 0 for line in lines)
    placed = [line if line.sets else replace(line, rank=last) for line in lines]
    return tuple(sorted(placed, key=lambda line: (line.rank, line.entrant)))


def _named(
    matrix: list[list[Meeting]], names: Sequence[str], lines: Sequence[Standing]
) -> dict[str, dict[str, Meeting]]:
    place = {name: index for index, name in enumerate(names)}
    order = [line.entrant for line in lines]
    return {one: {two: matrix[place[one]][place[two]] for two in order if two != one} for one in order}
