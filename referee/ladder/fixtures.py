"""Who sits where in a set, and what an entrant made of it: pure and repeatable."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from engine.record.terms import drawn_tables

Design = Literal["rotation", "bridge"]
"""How the tables of a set are made.

`rotation`: as many tables as seats; the entrants move one seat on from table to table.
`bridge`: every entrant sits once, and is compared with those who held its cards elsewhere.
"""


class Shape(NamedTuple):
    """What a set consists of.

    Attributes:
        design: How its tables are made.
        players: Seats at a table.
        tables: Tables at which its deal is played.
    """

    design: Design
    players: int
    tables: int

    @property
    def entrants(self) -> int:
        """Entrants in a set."""
        return self.players if self.design == "rotation" else self.players * self.tables


class PlannedSet(NamedTuple):
    """A set: one deal, played at several tables.

    Attributes:
        number: Number of the set, from 0.
        tables: Entrants by seat, per table.
    """

    number: int
    tables: tuple[tuple[str, ...], ...]


def rotation(players: int) -> Shape:
    """Return the shape of a set in which everybody takes every seat."""
    return Shape("rotation", players, players)


def seated(number: int, entrants: Iterable[str], shape: Shape, seed: bytes) -> PlannedSet:
    """Return set *number* of *entrants*, as many as its *shape* takes, in any order.

    Tables and seats are drawn from the set's *seed* and the entrants' names, so that
    nobody chooses them and anybody can draw them again once the seed is shown.
    """
    rotates = shape.design == "rotation"
    return PlannedSet(number, drawn_tables(entrants, seed, shape.players, shape.tables, is_rotation=rotates))
