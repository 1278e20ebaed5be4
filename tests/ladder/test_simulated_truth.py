"""Ladders whose truth is known: intervals hold it, like bots are not told apart, strong ones stand above weak ones.

`RUMMYREF_LADDERS` sets how many ladders are simulated, `RUMMYREF_SETS` how many sets are played.
"""

import math
import os
import random
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Final

import pytest

from clients.bots.cautious import CautiousBot
from clients.bots.dial import DialBot
from clients.bots.greedy import GreedyBot
from clients.bots.runner import MakeBot
from engine.rules.registry import rule_set
from engine.rules.ruleset import ScoreSense
from referee.ladder.explain import explain
from referee.ladder.fixtures import rotation
from referee.ladder.resampling import Interval
from referee.ladder.standings import standings
from tests.ladder.playing_sets import LapsingBot, margins_of_deals, played_set, results_of_duplicates, share_of_rounds
from tests.ladder.simulating import simulated, truth

LADDERS: Final = int(os.environ.get("RUMMYREF_LADDERS", "0"))
"""Simulated ladders of each shape; 0 for as many as a test run has time for."""

SETS: Final = int(os.environ.get("RUMMYREF_SETS", "0"))
"""Sets played for each comparison of designs; 0 for one comparison with a few."""

HIGH = ScoreSense.HIGH_WINS
SHAPES: Final = [(3, 2, 20, 1_000), (4, 4, 30, 150), (6, 3, 40, 150)]
"""Entrants, players, sets, and ladders in a test run."""


def told(line: str) -> None:
    """Show a figure of a long run, for which `pytest -s` is asked."""
    sys.stdout.write(f"{line}\n")


def holds(interval: Interval, value: float) -> bool:
    """Whether an interval holds *value*."""
    return interval is not None and interval[0] <= value <= interval[1]


def coverage(shape: tuple[int, int, int], ladders: int, *, skewed: bool = False) -> Iterator[tuple[bool, bool]]:
    """Yield, for each entrant of each ladder, whether the intervals of points and of the rating hold the truth."""
    entrants, players, sets = shape
    chance = random.Random(20261130)
    strengths = {f"bot {number}": 4.0 * number for number in range(entrants)}
    for _ in range(ladders):
        tables = simulated(strengths, players, sets, chance, skewed=skewed)
        known = truth(strengths)
        for line in standings(tables, tuple(strengths), HIGH, rotation(players)).lines:
            yield holds(line.interval, known[line.entrant]), holds(line.rating_interval, known[line.entrant])


@pytest.mark.parametrize("skewed", [False, True], ids=["normal", "skewed"])
@pytest.mark.parametrize(("entrants", "players", "sets", "ladders"), SHAPES)
def test_intervals_hold_the_truth(entrants: int, players: int, sets: int, ladders: int, *, skewed: bool) -> None:
    """In 95 ± 2 % of a thousand ladders; with fewer there is as much more doubt as chance makes."""
    many = LADDERS or (ladders if not skewed else 150)
    found = list(coverage((entrants, players, sets), many, skewed=skewed))
    doubt = 0.0 if many >= 1_000 else 2 * math.sqrt(0.95 * 0.05 / len(found))
    for held in zip(*found, strict=True):
        share = sum(held) / len(held)
        told(f"{entrants} entrants, {players} players, {sets} sets, skewed {skewed}: {share:.3f} of {len(held)}")
        assert share == pytest.approx(0.95, abs=0.02 + doubt)


def test_one_bot_under_two_names_is_seldom_told_apart() -> None:
    """By standings that are looked at once: in about one ladder of twenty, as their intervals promise."""
    chance, many = random.Random(20261130), LADDERS or 600
    apart = sum(
        explain(simulated({"a": 0.0, "b": 0.0}, 2, 30, chance), ("a", "b"), HIGH, rotation(2)).told_apart
        for _ in range(many)
    )
    told(f"one bot under two names: told apart in {apart} of {many} ladders")
    assert apart / many <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / many)


def test_bots_of_known_strength_stand_in_their_order() -> None:
    """Greedy in 100, 75, 50, 25 and 0 of a hundred decisions: played by the engine, the fit finds that order."""
    bots = {f"dial {percent}": partial(DialBot, percent) for percent in (100, 75, 50, 25, 0)}
    rules = rule_set("remi", {"players": 4, "rounds": 1, "draw_streams": True})
    names = list(bots)
    tables = [
        table
        for number in range(SETS or 30)
        for table in played_set(rules, number, {name: bots[name] for name in names if name != names[number % 5]})
    ]
    lines = {line.entrant: line for line in standings(tables, names, rules.sense, rotation(4)).lines}
    for better, worse in pairwise(names):
        assert lines[better].rating > lines[worse].rating


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("preset", ["remi", "closed-rummy", "remik"])
@pytest.mark.parametrize("first", [GreedyBot, LapsingBot], ids=["greedy", "lapsing"])
def test_duplicate_sets_need_fewer_rounds(preset: str, players: int, first: MakeBot) -> None:
    """Fewer than independent deals for the same interval, at most half as many for two versions of one bot."""
    if not SETS and (preset, players) != ("remi", 4):
        pytest.skip("a long run: RUMMYREF_SETS=300")
    bots = {"first": first, **{f"cautious {number}": CautiousBot for number in range(1, players)}}
    sets = results_of_duplicates(preset, bots, SETS or 60)
    deals = margins_of_deals(preset, bots, (SETS or 60) * players)
    share, low, high = share_of_rounds(sets, deals, players, random.Random(20261130))
    told(f"{preset} for {players}: {share:.2f} ({low:.2f} to {high:.2f}) of the rounds")
    assert share <= (0.5 if first is LapsingBot or (preset, players) == ("remi", 4) else 0.75)
