"""Whole ladders, by command: standings, zero sums, bots that fail."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from engine.rules.registry import rule_set
from referee.ladder.fixtures import rotation
from referee.ladder.margins import TableResult, set_results
from referee.ladder.results import table_results
from referee.store.database import open_database
from referee.store.queries import Store
from tests.cli.command import ROOT, rummyref
from tests.ladder.laddering import bot, check_replays, run_ladder, standings_json, write_ladder

HONEST = {"anna": bot("greedy"), "ben": bot("cautious")}
SETS = 6
# Three entrants, two at a table, six sets: each pair meets twice, at two tables a set.
TABLES_EACH = 8


def results(data: Path) -> list[TableResult]:
    """Return the results of every table."""
    return table_results(Store(open_database(f"sqlite:///{data / 'rummyref.db'}")), "test")


def between_honest(data: Path) -> list[tuple[int, tuple[str, ...], tuple[tuple[int, ...], ...]]]:
    """Return what was played at the tables without the third entrant."""
    return [
        (table.set_number, table.entrants, table.result.points)
        for table in results(data)
        if set(table.entrants) == set(HONEST)
    ]


def causes(data: Path) -> dict[str, dict[str, int]]:
    """Return faults and forfeits by entrant."""
    return {line["entrant"]: line["causes"] for line in json.loads(standings_json(data))["standings"]}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    """What the honest two play against each other beside a third that is honest too."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file = write_ladder(folder, {**HONEST, "third": bot("greedy")}, sets=SETS)
    assert run_ladder(file, folder / "data").code == 0
    assert causes(folder / "data") == {"anna": {}, "ben": {}, "third": {}}
    return between_honest(folder / "data")


def beside(third: list[str], folder: Path, **settings: object) -> tuple[dict[str, int], str]:
    """Run the honest two beside *third*; return its causes and what was said once all else is as it should be."""
    file = write_ladder(folder, {**HONEST, "third": third}, sets=SETS, **settings)
    ended = run_ladder(file, folder / "data")
    assert (ended.code, ended.left) == (0, []), ended
    found = causes(folder / "data")
    assert (found["anna"], found["ben"]) == ({}, {})
    check_replays(folder / "data", 2 * SETS)
    return found["third"], ended.said


def test_one_deterministic_bot_scores_exactly_zero(tmp_path: Path) -> None:
    """Three names of one bot, suits as they are: each set result is 0, and the JSON has the promised shape."""
    file = write_ladder(
        tmp_path, {name: bot("greedy") for name in "abc"}, players=3, sets=4, relabel_suits=False
    )  # fmt: skip
    ended = run_ladder(file, tmp_path / "data")
    assert (ended.code, ended.left) == (0, []), ended
    by_set = set_results(results(tmp_path / "data"), rule_set("remi", {"players": 3}).sense, rotation(3))
    assert by_set == {name: dict.fromkeys(range(4), 0.0) for name in "abc"}
    shown = json.loads(rummyref("ladder", "standings", "--data", str(tmp_path / "data"), "--json").stdout)
    assert (shown["ladder"], shown["preset"], shown["sets"]) == ("test", "remi", 4)
    promised = ("rank", "entrant", "points_per_round", "interval", "rounds", "sets", "causes")
    assert [{key: line[key] for key in promised} for line in shown["standings"]] == [
        {
            "rank": 1, "entrant": name, "points_per_round": 0.0, "interval": [0.0, 0.0],
            "rounds": 12, "sets": 4, "causes": {},
        }
        for name in "abc"
    ]  # fmt: skip
    refuse_what_is_there(file, tmp_path / "data")


def refuse_what_is_there(file: Path, data: Path) -> None:
    """A ladder that is there is neither begun again nor continued as another one."""
    again = run_ladder(file, data)
    assert again.code == 2
    assert f"--data {data} --resume" in again.said
    file.write_text(file.read_text().replace("sets = 4", "sets = 5"))
    changed = run_ladder(file, data, "--resume")
    assert changed.code == 2
    assert "sets has changed" in changed.said
    for refused in (again, changed):
        assert len(refused.said.splitlines()) == 1, refused.said


def test_a_bot_that_ends_at_once(tmp_path: Path, undisturbed: object) -> None:
    """It is started twice and its rounds are played without it; one line says so."""
    found, said = beside(["false"], tmp_path)
    assert found == {"never_came": TABLES_EACH}
    assert sum("third" in line for line in said.splitlines()) == 1
    assert between_honest(tmp_path / "data") == undisturbed


def test_sets_that_nobody_is_left_for_are_told_of(tmp_path: Path) -> None:
    """The last line says how many and how they are played; that is no failure, and with the bot let in they are."""

    def ladder(ben: list[str]) -> Path:
        policy = "[ladder.policy]\nbad_after = 2"
        return write_ladder(tmp_path, {"anna": bot("greedy"), "ben": ben}, policy, sets=5, parallel_tables=1)

    ended = run_ladder(ladder(["false"]), tmp_path / "data")
    assert (ended.code, ended.left) == (0, []), ended
    last = ended.said.splitlines()[-1]
    assert last.startswith("3 sets are left out, since too few entrants are left; to play them, continue with: ")
    assert last.endswith(" --resume --readmit NAME")
    again = run_ladder(ladder(bot("greedy")), tmp_path / "data", "--resume", "--readmit", "ben")
    assert (again.code, "left out" in again.said) == (0, False), again
    assert json.loads(standings_json(tmp_path / "data"))["sets"] == 5


def test_a_bot_that_never_connects(tmp_path: Path) -> None:
    """It is waited for as long as the clock gives to enter, once; what it has started ends with the ladder."""
    file = write_ladder(
        tmp_path, {"anna": bot("greedy"), "sleeper": ["sh", "-c", "sleep 600 & sleep 600"]}, clock="bullet"
    )  # fmt: skip
    ended = run_ladder(file, tmp_path / "data")
    assert (ended.code, ended.left) == (0, []), ended
    assert causes(tmp_path / "data")["sleeper"] == {"never_came": 4}
    said = [line for line in ended.said.splitlines() if "sleeper" in line]
    assert said == ["entrant sleeper has not been connected for 10 s; its rounds are forfeited until it is"]


def test_the_shortest_bot_plays_without_misconduct(tmp_path: Path) -> None:
    """Forty lines with nothing of ours but the generated API, in a folder of their own, finish a ladder."""
    example = ROOT / "examples" / "minimal_bot.py"
    source = example.read_text("utf-8")
    assert len(source.splitlines()) <= 40
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import", "from"))}
    assert imported <= {"grpc", "rummyref"} | set(sys.stdlib_module_names)
    shutil.copy(example, tmp_path)
    file = write_ladder(
        tmp_path, {"minimal": [sys.executable, "minimal_bot.py"], "greedy": bot("greedy")}, sets=4
    )  # fmt: skip
    ended = run_ladder(file, tmp_path / "data")
    assert (ended.code, ended.left) == (0, []), ended
    assert causes(tmp_path / "data") == {"minimal": {}, "greedy": {}}
    lines = json.loads(standings_json(tmp_path / "data"))["standings"]
    assert {line["sets"] for line in lines} == {4}
    check_replays(tmp_path / "data", 8)
