"""What a run of a ladder would do: how much there is to play, and about how long it takes."""

import time
from dataclasses import dataclass
from typing import Final

from engine.match import apply, start
from engine.rules.ruleset import RuleSet
from engine.shuffle import SEED_BYTES, SeededDealing
from engine.stand_in import greedy
from referee.ladder.designs import meeting_range
from referee.ladder.manifest import Manifest

_TRIED: Final = 3
"""Tables that are played to see how long one takes."""

_REFEREE_S: Final = 0.0014
"""Seconds of a processor that a decision costs beside the bot's thinking: referee, wire, record and client.

Measured with 40 sets of remi for two: 6.5 s for 4,460 decisions, those of the start not counted.
"""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would do, if nothing ends it sooner.

    Attributes:
        tables: Tables in all.
        decisions: Decisions in all, about.
        seconds: Seconds if bots think as long as greedy does, all on one processor.
        cycle: Sets of a balanced cycle, None where there is none.
        meetings: How often two entrants meet in a cycle, least and most.
    """

    tables: int
    decisions: int
    seconds: float
    cycle: int | None
    meetings: tuple[int, int] | None


def forecast(manifest: Manifest) -> Forecast:
    """Return what a run of *manifest* would do, from a few tables played by greedy."""
    tables = manifest.ladder.sets * manifest.shape.tables
    began, decisions = time.perf_counter(), 0
    for number in range(_TRIED):
        decisions += _decisions(manifest.rules(), number)
    per_table = decisions / _TRIED
    thinking = (time.perf_counter() - began) / _TRIED
    draw = manifest.outline(manifest.sets_at_once).draw
    cycle = draw.cycle(bytes(SEED_BYTES)) if draw.has_cycle and len(draw.others) > 1 else None
    return Forecast(
        tables,
        round(tables * per_table),
        tables * (thinking + per_table * _REFEREE_S),
        len(cycle) if cycle else None,
        meeting_range(cycle, len(draw.others)) if cycle else None,
    )


def _decisions(rules: RuleSet, number: int) -> int:
    """Play a table by greedy and return how many decisions it took."""
    match, _ = start(rules, SeededDealing(number.to_bytes(SEED_BYTES, "big")))
    decisions = 0
    while (seat := match.turn) is not None:
        match, _ = apply(match, seat, greedy(match.round.position(seat)))
        decisions += 1
    return decisions
