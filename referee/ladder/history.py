"""How ratings came about: what they were after each share of the sets."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.ladder.rating import against_the_others, normal_matrix, strengths_of
from referee.ladder.scores import Scores, summed

MOMENTS: Final = 60
"""Numbers of sets at which ratings are looked at, at most."""


@dataclass(frozen=True, slots=True)
class History:
    """Ratings over time.

    Attributes:
        sets: Finished sets at each moment, ascending.
        ratings: Rating at each moment by entrant, in points a round; None before its first set.
    """

    sets: tuple[int, ...]
    ratings: dict[str, tuple[float | None, ...]]


def history(scores: Scores) -> History:
    """Return what the ratings were when the first sets, by number, were all there was."""
    entrants, step = len(scores.entrants), scores.tables_in_set
    moments = sorted({scores.sets * number // MOMENTS for number in range(1, MOMENTS + 1)} - {0})
    centred = scores.centred(scores.totals / scores.rounds[:, None])
    normal, pull = np.zeros((entrants, entrants)), np.zeros(entrants)
    found: dict[str, list[float | None]] = {entrant: [] for entrant in scores.entrants}
    begin = 0
    for end in moments:
        part = slice(begin * step, end * step)
        normal += normal_matrix(scores.seated[part], step, entrants)
        pull += summed(scores.seated[part], centred[part], entrants)
        ratings = against_the_others(entrants) @ strengths_of(normal, pull)
        for place, entrant in enumerate(scores.entrants):
            found[entrant].append(float(ratings[place]) if normal[place, place] else None)
        begin = end
    return History(tuple(moments), {entrant: tuple(values) for entrant, values in found.items()})
