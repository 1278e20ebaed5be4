"""Commands that need no referee: what they print, and bad input in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.rules.registry import presets
from tests.cli.command import ROOT, environment, refused, rummyref
from tests.ladder.laddering import bot, standings_json, write_ladder


def test_help_explains_every_command() -> None:
    """The help of the whole names each part."""
    text = rummyref("--help").stdout
    for name in ("serve", "ladder", "bot", "arrange", "rules", "scenario", "replay"):
        assert name in text


@pytest.mark.parametrize("preset", presets())
def test_rules_are_explained(preset: str) -> None:
    """Every preset lists its options and what its moves oblige to."""
    text = rummyref("rules", "show", preset).stdout
    assert "take:" in text
    assert "players = " in text
    data = json.loads(rummyref("rules", "show", preset, "--json").stdout)
    assert data["preset"] == preset
    assert data["options"]["draw_streams"] is False


def test_rules_of_a_table_name_what_differs() -> None:
    """Options given, and those that they turn off, stand under the heading of the preset."""
    lines = rummyref("rules", "show", "remik", "-o", "rounds=5", "-o", "tie=extra_round").stdout.splitlines()
    assert lines[1:3] == ["but here rounds=5, limit=0, tie=extra_round", ""]
    assert "  The match ends after 5 rounds." in lines
    assert not any("above 300" in line for line in lines)
    assert "but here" not in rummyref("rules", "show", "remik", "-o", "limit=300").stdout


def test_rules_list_has_every_preset() -> None:
    """One line a preset, and the same as JSON."""
    lines = rummyref("rules", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(presets())
    assert [row["preset"] for row in json.loads(rummyref("rules", "list", "--json").stdout)] == list(presets())


def test_arrange_prints_the_json_that_scripts_rely_on() -> None:
    """Keys, fewest points left, and each way out with the closer's points."""
    answer = json.loads(rummyref("arrange", "remi", "3C 4C 5C 6C", "QS", "QH QD QC", "--json").stdout)
    assert set(answer) == {"rules", "melds", "left", "left_points", "meld_points", "going_out"}
    points = {way["discard"]: way["points"] for way in answer["going_out"]}
    assert points == {"3C": 105, "6C": 105, "QS": 150, "QH": 150, "QD": 150, "QC": 150}
    assert answer["left_points"] == 0


def test_arrange_melds_nothing_without_a_run_in_remi() -> None:
    """Sets alone count for nothing."""
    answer = json.loads(rummyref("arrange", "remi", "AS AH AD AC KS KH KD", "--json").stdout)
    assert (answer["melds"], answer["left_points"], answer["meld_points"]) == ([], 90, 0)


def test_arrange_counts_melds_on_the_table() -> None:
    """A run on the table lets sets count."""
    text = rummyref("arrange", "remi", "9S 9H 9D AC", "--table", "4H 5H 6H").stdout
    assert "9S 9H 9D" in text
    assert "out:   discard AC" in text


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("arrange", "nonsense", "2H"), "unknown preset"),
        (("arrange", "remi", "1X"), "1X is not a card"),
        (("arrange", "remi", "2H 2H"), "2H number 2"),
        (("arrange", "remi", "2H", "-o", "nonsense=1"), "unknown option nonsense"),
        (("arrange", "remi", "2H", "-o", "rounds=1000"), "1 to 100"),
        (("arrange", "remi", "2H", "-o", "rounds"), "NAME=VALUE"),
        (("arrange", "remi", "2H", "-o", "rounds=3", "-o", "target=100"), "contradict"),
        (("arrange", "remi", "2H", "-o", "players=9"), "2 to 4"),
        (("rules", "show", "nonsense"), "unknown preset"),
        (("rules", "show", "remi", "-o", "=3"), "option '=3' is not NAME=VALUE"),
        (("bot", "run", "nonsense"), "unknown bot"),
        (("scenario", "run", "no-such-file"), "no-such-file"),
        (("replay", "verify", "no-such-file"), "no-such-file"),
        (("replay", "list", "--data", "no-such-folder"), "no-such-folder"),
        (("ladder", "standings", "--data", "no-such-folder"), "no-such-folder"),
        (("ladder", "run", "no-such-file"), "no-such-file"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], part: str) -> None:
    """Exit code 2, the problem named, no traceback."""
    assert part in refused(*arguments)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "no such command 'nonsense'; see rummyref --help"),
        ("ladder nonsense", "no such command 'nonsense'; see rummyref ladder --help"),
        ("match remi", "missing argument 'COMMAND...'; see rummyref match --help"),
        ("play --nonsense", "no such option: --nonsense; see rummyref play --help"),
        ("bot run greedy --capacity none", "see rummyref bot run --help"),
        ("ladder run --data", "option '--data' requires an argument; see "),
        ("serve --nonsense", "unrecognized arguments: --nonsense; see rummyref serve --help"),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_in_one(line: str, said: str) -> None:
    """What is wrong, and which help tells more."""
    assert said in refused(*line.split())


@pytest.mark.parametrize("line", ["", "ladder"])
def test_a_line_that_says_nothing_gets_the_help(line: str) -> None:
    """It is no error of anybody's, but nothing was done."""
    ran = rummyref(*line.split())
    assert (ran.returncode, ran.stderr) == (2, "")
    assert "Commands" in ran.stdout


def test_a_bot_without_a_referee_is_told_so() -> None:
    """Exit code 3, and how to start one."""
    assert "rummyref serve" in refused("bot", "run", "greedy", "--address", "127.0.0.1:1", code=3)


def test_scenarios_pass_fail_and_cannot_be_read(tmp_path: Path) -> None:
    """Exit codes 0, 1 and 2, and the closing count."""
    good = "rules remi-five-rounds players=2\nhand 0: 4H 5H 6H 7H 8H 9H TH\nturn 0\nplay 0: draw\nexpect ok\n"
    file = tmp_path / "good.txt"
    file.write_text(good)
    result = rummyref("scenario", "run", str(file))
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed")
    file.write_text(good.replace("expect ok", "expect refused"))
    result = rummyref("scenario", "run", str(file))
    assert (result.returncode, result.stdout.splitlines()[-1]) == (1, "0 passed, 1 failed")
    file.write_text(good.replace("4H", "4X"))
    assert f"{file}:2" in refused("scenario", "run", str(file))
    file.write_bytes(b"rules remi\nhand 0: \xff\n")
    assert f"{file}:2 this is no text in UTF-8" in refused("scenario", "run", str(file))
    assert f"{tmp_path} cannot be read: Is a directory" in refused("scenario", "run", str(tmp_path))


def test_what_is_no_replay_is_said_to_be_none(tmp_path: Path) -> None:
    """Exit code 2 and one line on stderr that names the file."""
    file = tmp_path / "bad.rummy.jsonl"
    file.write_text("no replay\n")
    assert f"{file}: entry 0: no replay" in refused("replay", "verify", str(file))


@pytest.mark.parametrize("arguments", [("bot", "list"), ("rules", "show", "remi"), ("--help",)], ids="-".join)
def test_an_output_that_is_full_is_said(arguments: tuple[str, ...]) -> None:
    """One line and exit code 2, whether it is noticed while writing or at the end."""
    for more in ({}, {"PYTHONUNBUFFERED": "1"}):
        with Path("/dev/full").open("w") as full:
            ended = subprocess.run(
                [sys.executable, "-m", "clients.cli", *arguments],
                stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment() | more, check=False,
            )  # fmt: skip
        assert ended.returncode == 2, ended
        assert ended.stderr == "rummyref: the output cannot be written: No space left on device\n"


def test_closed_streams_are_no_obstacle(tmp_path: Path) -> None:
    """A ladder whose standard streams were closed, as some that start programs do, is played to its end."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")}, sets=1)
    command = [sys.executable, "-m", "clients.cli", "ladder", "run", str(file), "--data", str(tmp_path / "data")]
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command], cwd=ROOT, env=environment(), check=False, timeout=120
    )
    assert ended.returncode == 0
    assert json.loads(standings_json(tmp_path / "data"))["sets"] == 1
