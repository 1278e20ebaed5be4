"""Standings: a pure function of the results in the record."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from engine.record.entries import Result
from engine.rules.ruleset import ScoreSense

RESAMPLES: Final = 2_000
_CONFIDENCE: Final = (2.5, 97.5)
_BOOTSTRAP_SEED: Final = 20_261_130


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


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. Points: more is better.

    Attributes:
        rank: From 1; entrants with equal points share a rank.
        entrant: Name.
        points_per_round: Mean of its set results.
        interval: 95 % interval of that mean, by resampling sets.
        rounds: Rounds played in finished sets.
        sets: Finished sets.
        causes: Faults and forfeits by cause.
    """

    rank: int
    entrant: str
    points_per_round: float
    interval: tuple[float, float]
    rounds: int
    sets: int
    causes: dict[str, int]


def margins(result: Result, sense: ScoreSense) -> list[list[float]]:
    """Return each seat's margin in each round: points less the mean of the others'.

    A seat that forfeits a round gets the worst points at the table.
    """
    return [[whole / (len(seats) - 1) for whole in seats] for seats in _whole_margins(result, sense)]


def _whole_margins(result: Result, sense: ScoreSense) -> list[list[int]]:
    """Return the margins times the number of other seats: whole, so that what cancels out is exactly 0."""
    found = []
    for number, points in enumerate(result.points):
        signed = [sense.value * value for value in points]
        worst = min(signed)
        for lost in result.forfeits:
            if lost.round == number or (lost.round < number and lost.cause.value in ("strikes", "never_came")):
                signed[lost.seat] = worst
        total = sum(signed)
        found.append([len(signed) * value - total for value in signed])
    return found


def set_results(tables: list[TableResult], sense: ScoreSense, players: int) -> dict[str, dict[int, float]]:
    """Return each entrant's result by set, for sets whose every table has ended."""
    by_set: dict[int, list[TableResult]] = {}
    for table in tables:
        by_set.setdefault(table.set_number, []).append(table)
    results: dict[str, dict[int, float]] = {}
    for number in sorted(by_set):
        if len(by_set[number]) < players:
            continue
        gathered: dict[str, list[int]] = {}
        for table in by_set[number]:
            for round_margins in _whole_margins(table.result, sense):
                for entrant, margin in zip(table.entrants, round_margins, strict=True):
                    gathered.setdefault(entrant, []).append(margin)
        for entrant, values in gathered.items():
            results.setdefault(entrant, {})[number] = sum(values) / (len(values) * (players - 1))
    return results


def standings(tables: list[TableResult], entrants: tuple[str, ...], sense: ScoreSense, players: int) -> list[Standing]:
    """Return the standings, best first; equal arguments give equal bytes.

    Args:
        tables: Finished tables, in any order.
        entrants: All entrants; those without a finished set stand last.
        sense: Which points win.
        players: Tables that make a set whole.
    """
    results = set_results(tables, sense, players)
    intervals = _intervals(results)
    lines = []
    for entrant in entrants:
        mine = results.get(entrant, {})
        own = [table for table in tables if entrant in table.entrants and table.set_number in mine]
        lines.append(
            Standing(
                0,
                entrant,
                _rounded(_mean(list(mine.values()))) if mine else 0.0,
                intervals.get(entrant, (0.0, 0.0)),
                sum(len(table.result.points) for table in own),
                len(mine),
                _causes(entrant, tables),
            )
        )
    lines.sort(key=lambda line: (line.sets == 0, -line.points_per_round, line.entrant))
    return _ranked(lines)


def _ranked(lines: list[Standing]) -> list[Standing]:
    ranked: list[Standing] = []
    for place, line in enumerate(lines, start=1):
        tied = ranked and ranked[-1].points_per_round == line.points_per_round
        ranked.append(replace(line, rank=ranked[-1].rank if tied else place))
    return ranked


def _causes(entrant: str, tables: list[TableResult]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for table in tables:
        if entrant not in table.entrants:
            continue
        seat = table.entrants.index(entrant)
        counted.update(lost.cause.value for lost in table.result.forfeits if lost.seat == seat)
        counted.update(cause.value for who, cause in table.result.faults if who == seat)
    return dict(sorted(counted.items()))


def _intervals(results: dict[str, dict[int, float]]) -> dict[str, tuple[float, float]]:
    """Return percentile intervals of each entrant's mean, its sets drawn with replacement."""
    import numpy as np  # noqa: PLC0415 - only ladders need it

    intervals = {}
    for entrant in sorted(results):
        values = np.array([results[entrant][number] for number in sorted(results[entrant])])
        random = np.random.Generator(np.random.PCG64(_BOOTSTRAP_SEED))
        drawn = random.integers(0, len(values), size=(RESAMPLES, len(values)))
        low, high = np.percentile(values[drawn].mean(axis=1), _CONFIDENCE)
        intervals[entrant] = (_rounded(float(low)), _rounded(float(high)))
    return intervals


def _rounded(value: float) -> float:
    """Return *value* as standings print it; no negative zero."""
    return round(value, 4) + 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
