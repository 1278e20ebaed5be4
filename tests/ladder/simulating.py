"""Ladders without play: results drawn at random from strengths that are known."""

import random
from collections.abc import Mapping

from engine.record.entries import Result
from referee.ladder.margins import TableResult

CARDS = 25.0
"""Deviation of what the cards of a seat are worth in a set, in points: alike at all tables of it."""

LUCK = 20.0
"""Deviation of everything else at one table."""

SEATS = (6.0, 0.0, -2.0, -4.0)
"""What a seat is worth in every set."""


def simulated(
    strengths: Mapping[str, float], players: int, sets: int, chance: random.Random, *, skewed: bool = False
) -> list[TableResult]:
    """Return the tables of *sets* sets; each entrant has played as many as any other, or one more or less.

    Args:
        strengths: Points a round by entrant; only differences matter.
        players: Seats at a table.
        sets: How many.
        chance: What is drawn from.
        skewed: Whether luck seldom helps, and then much, as closing does.
    """
    played = dict.fromkeys(strengths, 0)
    tables = []
    for number in range(sets):
        names = sorted(played, key=lambda name: (played[name], chance.random()))[:players]
        for name in names:
            played[name] += 1
        cards = [SEATS[seat] + chance.gauss(0, CARDS) for seat in range(players)]
        for turn in range(players):
            seated = tuple(names[-turn:] + names[:-turn]) if turn else tuple(names)
            points = tuple(
                round(strengths[name] + cards[seat] + _luck(chance, skewed=skewed)) for seat, name in enumerate(seated)
            )
            tables.append(TableResult(number, seated, Result((points,), points, (points.index(max(points)),), (), ())))
    return tables


def _luck(chance: random.Random, *, skewed: bool) -> float:
    return LUCK * (chance.expovariate(1) - 1) if skewed else chance.gauss(0, LUCK)


def truth(strengths: Mapping[str, float]) -> dict[str, float]:
    """Return what each entrant makes on average against the others, in points a round."""
    total = sum(strengths.values())
    return {name: value - (total - value) / (len(strengths) - 1) for name, value in strengths.items()}
