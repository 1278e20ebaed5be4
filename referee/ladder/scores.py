"""Results of whole sets as arrays: what every statistic of a ladder is computed from."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.rules.ruleset import ScoreSense
from referee.ladder.fixtures import Shape
from referee.ladder.margins import TableResult, adjudicated, results_of_points, whole_sets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_BLOCKS: Final = 2_000
"""Blocks of consecutive sets that resampling draws from; with fewer sets each is a block."""


class Scores:
    """The whole sets of a ladder, by set number. Points: more is better.

    Attributes:
        entrants: Names; arrays speak of them by their place here.
        numbers: Numbers of the whole sets, ascending; shape (sets,).
        table_set: Place in `numbers` of each table's set; shape (tables,), ascending.
        seated: Entrant by table and seat; shape (tables, seats).
        totals: Points by table and seat, forfeits counted, all rounds together; shape (tables, seats).
        rounds: Rounds by table; shape (tables,).
        result_set: Place in `numbers` of each set result; shape (results,), ascending.
        result_entrant: Entrant of each set result; shape (results,).
        results: Set results, points a round; shape (results,).
    """

    def __init__(self, tables: Iterable[TableResult], entrants: Sequence[str], sense: ScoreSense, shape: Shape) -> None:
        """Gather the whole sets among *tables*, which come in any order."""
        place = {entrant: index for index, entrant in enumerate(entrants)}
        whole = whole_sets(tables, shape)
        seated: list[int] = []
        totals: list[int] = []
        found: list[dict[str, float]] = []
        for ended in whole.values():
            played = [(table.entrants, adjudicated(table.result, sense)) for table in ended]
            for names, points in played:
                seated.extend(map(place.__getitem__, names))
                totals.extend(points[0] if len(points) == 1 else map(sum, zip(*points, strict=True)))
            found.append(results_of_points(played, shape))
        self.entrants: Final = tuple(entrants)
        self.numbers: Final[Ints] = np.array(list(whole), dtype=np.int64)
        self.table_set: Final[Ints] = np.repeat(np.arange(len(whole)), shape.tables)
        self.seated: Final[Ints] = np.array(seated, dtype=np.int64).reshape(-1, shape.players)
        self.totals: Final[Ints] = np.array(totals, dtype=np.int64).reshape(-1, shape.players)
        self.rounds: Final[Ints] = np.array(
            [len(table.result.points) for ended in whole.values() for table in ended], dtype=np.int64
        )
        self.result_set: Final[Ints] = np.repeat(np.arange(len(whole)), [len(each) for each in found])
        self.result_entrant: Final[Ints] = np.array([place[name] for each in found for name in each], dtype=np.int64)
        self.results: Final[Floats] = np.array([value for each in found for value in each.values()], dtype=np.float64)
        self._shape = shape

    @property
    def sets(self) -> int:
        """Number of whole sets."""
        return len(self.numbers)

    @property
    def seats(self) -> int:
        """Seats at a table."""
        return self._shape.players

    @property
    def tables_in_set(self) -> int:
        """Tables of each set."""
        return self._shape.tables

    @cached_property
    def sets_of(self) -> Ints:
        """Sets of each entrant; shape (entrants,)."""
        return np.bincount(self.result_entrant, minlength=len(self.entrants))

    @cached_property
    def margins(self) -> Floats:
        """Margin a round; shape (tables, seats)."""
        whole = self.seats * self.totals - self.totals.sum(axis=1, keepdims=True)
        margins: Floats = whole / ((self.seats - 1) * self.rounds[:, None])
        return margins

    @property
    def blocks(self) -> int:
        """Number of blocks of consecutive sets."""
        return min(self.sets, _MOST_BLOCKS)

    def by_block(self, of_set: Ints, of_entrant: Ints, values: Floats) -> Floats:
        """Return the sums of *values* by block and entrant; shape (blocks, entrants)."""
        entrants = len(self.entrants)
        keys = of_set * self.blocks // max(self.sets, 1) * entrants + of_entrant
        return summed(keys, values, self.blocks * entrants).reshape(self.blocks, entrants)

    def centred(self, values: Floats) -> Floats:
        """Return *values*, by table and seat, less the mean of their table and that of their seat in their set.

        What is left depends neither on how high a table scored nor on what the cards of a seat were worth.
        """
        by_set = values.reshape(-1, self.tables_in_set, self.seats)
        by_set = by_set - by_set.mean(axis=2, keepdims=True)
        centred: Floats = by_set - by_set.mean(axis=1, keepdims=True)
        return centred.reshape(values.shape)

    def digest(self) -> bytes:
        """Return 32 bytes that follow from the results alone, in whatever order tables ended."""
        hashed = hashlib.sha256("\0".join(self.entrants).encode())
        for array in (self.numbers, self.seated, self.totals, self.rounds):
            hashed.update(array.astype("<i8").tobytes())
        return hashed.digest()


def summed(keys: Ints, values: Floats | None, size: int) -> Floats:
    """Return the sums of *values* by key from 0 to *size* - 1, of ones where there are none."""
    return np.bincount(keys.ravel(), None if values is None else values.ravel(), size).astype(np.float64, copy=False)
