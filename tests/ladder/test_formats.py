"""Formats and designs as users run them, with bots that play alike: what cancels out is exactly zero."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from engine.rules.registry import rule_set
from referee.ladder.fixtures import Shape, rotation
from referee.ladder.margins import TableResult, set_results
from referee.ladder.results import table_results
from referee.store.database import open_database
from referee.store.queries import Store
from tests.ladder.laddering import bot, check_replays, run_ladder, standings_json, write_ladder

GREEDY = bot("greedy")


def played(file: Path, folder: Path) -> list[TableResult]:
    """Run a ladder that must go well and return its tables."""
    ended = run_ladder(file, folder / "data")
    assert (ended.code, ended.left) == (0, []), ended
    return table_results(Store(open_database(f"sqlite:///{folder / 'data' / 'rummyref.db'}")), "test")


def members(tables: list[TableResult]) -> dict[int, set[str]]:
    """Return who was in each set."""
    sets: dict[int, set[str]] = {}
    for table in tables:
        sets.setdefault(table.set_number, set()).update(table.entrants)
    return sets


def test_a_round_robin_meets_every_pair_once_a_cycle(tmp_path: Path) -> None:
    """Four entrants, six sets of two: each pair in one of them, every set result 0."""
    file = write_ladder(
        tmp_path, dict.fromkeys("abcd", GREEDY), sets=6, format="round_robin", relabel_suits=False
    )  # fmt: skip
    tables = played(file, tmp_path)
    pairs = Counter(tuple(sorted(pair)) for pair in members(tables).values())
    assert pairs == Counter(combinations("abcd", 2))
    results = set_results(tables, rule_set("remi", {"players": 2}).sense, rotation(2))
    assert {value for mine in results.values() for value in mine.values()} == {0.0}


def test_in_a_bridge_nobody_sees_a_deal_twice(tmp_path: Path) -> None:
    """Every entrant has one seat a deal; bots that play alike make the same of the same cards: exactly 0."""
    names = ("a", "b", "c", "d", "e")
    file = write_ladder(
        tmp_path, dict.fromkeys(names, GREEDY), sets=5, design="bridge", tables=2, relabel_suits=False
    )  # fmt: skip
    tables = played(file, tmp_path)
    seats = Counter((table.set_number, name) for table in tables for name in table.entrants)
    assert set(seats.values()) == {1}
    assert Counter(name for _, name in seats) == dict.fromkeys(names, 4)
    results = set_results(tables, rule_set("remi", {"players": 2}).sense, Shape("bridge", 2, 2))
    assert {name: set(mine.values()) for name, mine in results.items()} == {name: {0.0} for name in names}
    check_replays(tmp_path / "data", 10)
    lines = json.loads(standings_json(tmp_path / "data"))["standings"]
    assert {(line["sets"], line["points_per_round"]) for line in lines} == {(4, 0.0)}


def test_a_gauntlet_meets_all_others(tmp_path: Path) -> None:
    """Three at a table: the first entrant in every set, the others equally often."""
    file = write_ladder(tmp_path, dict.fromkeys("abcd", GREEDY), sets=3, players=3, format="gauntlet")
    sets = members(played(file, tmp_path))
    assert all("a" in names for names in sets.values())
    assert Counter(name for names in sets.values() for name in names) == {"a": 3, "b": 2, "c": 2, "d": 2}


@pytest.mark.parametrize("design", ["rotation", "bridge"])
def test_an_ab_match_ends_when_it_is_decided(tmp_path: Path, design: str) -> None:
    """A bot that always forfeits is worse after few sets; the rest of the budget is left, and a resume adds nothing."""
    entrants = {"a": ["false"], "b": GREEDY} | (dict.fromkeys("cd", GREEDY) if design == "bridge" else {})
    file = write_ladder(
        tmp_path, entrants, "[ladder.policy]", "bad_share = 1.0",
        sets=400, format="ab", margin=1, parallel_tables=2, design=design,
    )  # fmt: skip
    tables = played(file, tmp_path)
    assert 8 <= len(members(tables)) < 100
    again = run_ladder(file, tmp_path / "data", "--resume")
    assert again.code == 0
    assert len(played_again(tmp_path)) == len(tables)


def played_again(folder: Path) -> list[TableResult]:
    """Return the tables that the record has."""
    return table_results(Store(open_database(f"sqlite:///{folder / 'data' / 'rummyref.db'}")), "test")
