"""Time to compute the standings of a very large ladder anew, from the results of its tables.

A result is one table's; every one has a deal of four seats. Reading them from the
database is not part of it.
"""

import random
import time
from typing import Final

from engine.record.entries import Result
from engine.rules.ruleset import ScoreSense
from referee.ladder.fixtures import rotation
from referee.ladder.margins import TableResult
from referee.ladder.placement import fit_placements
from referee.ladder.rating import fit
from referee.ladder.scores import Scores
from referee.ladder.standings import standings

RESULTS: Final = 1_000_000
ENTRANTS: Final = 20
SEATS: Final = 4
_SEED: Final = 1_000_000


def results(count: int) -> list[TableResult]:
    """Return *count* results of whole sets among bots of different strength."""
    chance = random.Random(_SEED)
    names = tuple(f"bot {number}" for number in range(ENTRANTS))
    strength = {name: 10.0 - number for number, name in enumerate(names)}
    found = []
    for number in range(count // SEATS):
        members = chance.sample(names, SEATS)
        for turn in range(SEATS):
            seated = tuple(members[turn:] + members[:turn])
            points = tuple(int(strength[name] + chance.gauss(0, 30)) for name in seated)
            found.append(TableResult(number, seated, Result((points,), points, (0,), (), ())))
    return found


def report() -> None:
    """Print the times of a refit and of all standings."""
    tables = results(RESULTS)
    names = tuple(f"bot {number}" for number in range(ENTRANTS))
    began, cpu = time.perf_counter(), time.process_time()
    scores = Scores(tables, names, ScoreSense.HIGH_WINS, rotation(SEATS))
    fit(scores)
    fit_placements(scores)
    print(f"rating refit of {RESULTS:,} results of {ENTRANTS} entrants, both ratings")
    print(f"  {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of it computing")
    began, cpu = time.perf_counter(), time.process_time()
    standings(tables, names, ScoreSense.HIGH_WINS, rotation(SEATS))
    print("whole standings: ratings, intervals, chances, seats, meetings")
    print(f"  {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of it computing")
