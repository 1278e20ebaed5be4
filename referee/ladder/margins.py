"""Points of tables as a ladder counts them: forfeits taken in, margins, results of sets."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.record.entries import Result
from engine.record.fold import FOR_GOOD
from engine.rules.ruleset import ScoreSense
from referee.ladder.fixtures import Shape

Seats = tuple[tuple[str, ...], list[list[int]]]
"""Who sits at a table, and the points of its rounds by seat."""


class TableResult(NamedTuple):
    """A finished table of a ladder.

    Attributes:
        set_number: Its set.
        entrants: By seat.
        result: As the record has it.
    """

    set_number: int
    entrants: tuple[str, ...]
    result: Result


def adjudicated(result: Result, sense: ScoreSense) -> list[list[int]]:
    """Return each seat's points in each round, the sign turned so that more is better, forfeits counted.

    A seat that forfeits a round gets the worst points at the table, or keeps its own if they are no better.
    """
    sign = sense.value
    found = [[sign * value for value in points] for points in result.points]
    for lost in result.forfeits:
        for number, points in enumerate(result.points):
            if lost.round == number or (lost.round < number and lost.cause in FOR_GOOD):
                found[number][lost.seat] = min(sign * value for value in points)
    return found


def margins(result: Result, sense: ScoreSense) -> list[list[float]]:
    """Return each seat's margin in each round: points less the mean of the others'."""
    others = len(result.totals) - 1
    return [
        [((others + 1) * value - sum(signed)) / others for value in signed] for signed in adjudicated(result, sense)
    ]


def whole_sets(tables: Iterable[TableResult], shape: Shape) -> dict[int, list[TableResult]]:
    """Return the tables of each set whose every table has ended: sets by number, tables by who sat where."""
    by_set: dict[int, list[TableResult]] = {}
    for table in sorted(tables, key=lambda table: table[:2]):
        by_set.setdefault(table.set_number, []).append(table)
    return {number: ended for number, ended in by_set.items() if len(ended) == shape.tables}


def set_results(tables: Iterable[TableResult], sense: ScoreSense, shape: Shape) -> dict[str, dict[int, float]]:
    """Return each entrant's result by set, for sets whose every table has ended."""
    results: dict[str, dict[int, float]] = {}
    for number, ended in whole_sets(tables, shape).items():
        for entrant, value in results_of_set(ended, sense, shape).items():
            results.setdefault(entrant, {})[number] = value
    return results


def results_of_set(tables: Iterable[TableResult], sense: ScoreSense, shape: Shape) -> dict[str, float]:
    """Return what each entrant made of a set, given all its *tables*; points a round, more is better.

    In a rotation it is the mean of the entrant's margins, in a bridge that of its
    points less the mean of what others made with the same cards.
    """
    return results_of_points([(table.entrants, adjudicated(table.result, sense)) for table in tables], shape)


def results_of_points(tables: Sequence[Seats], shape: Shape) -> dict[str, float]:
    """Return the same, given who sat at each table and what the seats made in each of its rounds."""
    return _by_margin(tables, shape.players) if shape.design == "rotation" else _by_cards(tables)


def _by_margin(tables: Sequence[Seats], players: int) -> dict[str, float]:
    """Return means of margins, everybody having sat at every table; whole until the end, so that 0 is exactly 0."""
    made = dict.fromkeys(tables[0][0], 0)
    played = 0
    for entrants, rounds in tables:
        for points in rounds:
            for entrant, value in zip(entrants, points, strict=True):
                made[entrant] += value
        played += len(rounds)
    total = sum(made.values())
    return {entrant: (players * value - total) / (played * (players - 1)) for entrant, value in made.items()}


def _by_cards(tables: Sequence[Seats]) -> dict[str, float]:
    """Return each entrant's points less the mean of those whom the same round gave the same cards."""
    made: dict[tuple[int, int], dict[str, int]] = {}
    for entrants, rounds in tables:
        for number, points in enumerate(rounds):
            for seat, entrant in enumerate(entrants):
                made.setdefault((number, seat), {})[entrant] = points[seat]
    gathered: dict[str, list[float]] = {}
    for by_entrant in made.values():
        others = len(by_entrant) - 1  # 0 in a round that no other table came to
        for entrant, value in by_entrant.items() if others else ():
            lead = (others + 1) * value - sum(by_entrant.values())
            gathered.setdefault(entrant, []).append(lead / others)
    return {entrant: sum(values) / len(values) for entrant, values in sorted(gathered.items())}
