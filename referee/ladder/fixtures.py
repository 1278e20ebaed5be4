"""Which entrants meet in which set, and in which seats: pure and repeatable."""

from typing import Literal, NamedTuple

from engine.shuffle import derive, shuffled

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


def rotation(players: int) -> Shape:
    """Return the shape of a set in which everybody takes every seat."""
    return Shape("rotation", players, players)


class PlannedSet(NamedTuple):
    """A set: one deal, played at as many tables as there are seats.

    Attributes:
        number: Number of the set, from 0.
        tables: Entrants by seat, per table; each table turned by one seat.
    """

    number: int
    tables: tuple[tuple[str, ...], ...]


def plan(entrants: tuple[str, ...], players: int, sets: int, secret: bytes) -> list[PlannedSet]:
    """Return every set of a ladder, those who have played least first.

    Among entrants with equally few sets the order is drawn from *secret*, as is
    the order in which a set's entrants sit.
    """
    played = dict.fromkeys(entrants, 0)
    planned = []
    for number in range(sets):
        drawn = shuffled(entrants, derive(secret, "pairing", number))
        chosen = sorted(drawn, key=lambda entrant: played[entrant])[:players]
        for entrant in chosen:
            played[entrant] += 1
        order = shuffled(sorted(chosen), derive(secret, "seats", number))
        tables = tuple(order[-turn:] + order[:-turn] if turn else order for turn in range(players))
        planned.append(PlannedSet(number, tables))
    return planned


def set_secret(secret: bytes, number: int, attempt: int = 0) -> bytes:
    """Return the secret of a set's deal; *attempt* counts the times that the set has become void before."""
    return derive(secret, "set", number, attempt) if attempt else derive(secret, "set", number)
