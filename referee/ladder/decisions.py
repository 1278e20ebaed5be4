"""Decisions of a ladder's tables: how many there were, how long they took, how many went wrong."""

import json
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.record.entries import Cause, Result
from engine.record.entry_json import from_json
from referee.ladder.fixtures import Shape
from referee.ladder.margins import TableResult, whole_sets

PERCENTILES: Final = (50, 95, 99)
"""Of think time."""

_OWN: Final = {Cause.TIME_OUT.value, Cause.ILLEGAL.value}
"""Causes of a stand-in's play that the seat was asked for before."""


class SeatDecisions(NamedTuple):
    """Decisions of a seat at one table.

    Attributes:
        used_us: Time charged for each, in order; those that a stand-in took over included.
        refused: Plays that were refused.
    """

    used_us: "array[int]"
    refused: int


class PlayedTable(NamedTuple):
    """A finished table with all that is told of its decisions.

    Attributes:
        result: Its result.
        seats: Decisions by seat.
    """

    result: TableResult
    seats: tuple[SeatDecisions, ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions of one entrant in finished sets.

    Attributes:
        count: Decisions that it was asked for.
        refused: Plays that were refused, most of them mended by another try.
        think_us: Think time by percentile, nearest rank; empty without a decision.
    """

    count: int = 0
    refused: int = 0
    think_us: dict[int, int] = field(default_factory=dict)

    def per_thousand(self, events: int) -> float:
        """Return *events* per 1,000 decisions, 0 without any."""
        return 1_000 * events / self.count if self.count else 0.0


def played_table(number: int, entrants: tuple[str, ...], entries: Iterable[bytes]) -> PlayedTable | None:
    """Return what the *entries* of a table of set *number* tell; None if it has no result yet."""
    used = [array("q") for _ in entrants]
    refused = [0] * len(entrants)
    result = None
    for body in entries:
        entry = json.loads(body)
        kind = entry["kind"]
        # Turns of a forfeited round that nobody was asked for have its cause too, and cost no time.
        if kind == "play" or (kind == "stand_in" and entry["cause"] in _OWN and entry["used_us"]):
            used[entry["seat"]].append(entry["used_us"])
        elif kind == "refusal":
            refused[entry["seat"]] += 1
        elif kind == "result":
            result = from_json(entry)
    if not isinstance(result, Result):
        return None
    return PlayedTable(TableResult(number, entrants, result), tuple(map(SeatDecisions, used, refused)))


def decisions(tables: Iterable[PlayedTable], shape: Shape) -> dict[str, Decisions]:
    """Return the decisions of each entrant that has a finished set."""
    by_result = {table.result[:2]: table for table in tables}
    used: dict[str, array[int]] = {}
    refused: dict[str, int] = {}
    for ended in whole_sets((table.result for table in by_result.values()), shape).values():
        for table in ended:
            for entrant, seat in zip(table.entrants, by_result[table[:2]].seats, strict=True):
                used.setdefault(entrant, array("q")).extend(seat.used_us)
                refused[entrant] = refused.get(entrant, 0) + seat.refused
    return {
        entrant: Decisions(len(times), refused[entrant], _percentiles(sorted(times))) for entrant, times in used.items()
    }


def _percentiles(times: list[int]) -> dict[int, int]:
    return {percent: times[-(-len(times) * percent // 100) - 1] for percent in PERCENTILES} if times else {}
