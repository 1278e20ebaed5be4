"""Quick use: a match without a ladder file, and what a ladder file would do."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from referee.commands.ladder import Wishes
from referee.commands.match import play
from referee.ladder.forecast import forecast
from referee.ladder.manifest import ManifestError, read_manifest
from referee.ladder.processes import StartError
from referee.ladder.quick import Match, ladder_file
from referee.ladder.sandbox import Sandbox
from referee.store.database import lock_folder
from tests.cli.command import refused, rummyref
from tests.ladder.laddering import SEED, bot, check_replays, write_ladder

OURS = ["greedy", "random"]


def written(*commands: str, players: int | None = None) -> dict[str, object]:
    """Return the ladder file of a match of *commands*, read back."""
    match = Match("remi", commands, 20, players, 1, "standard", None, None)
    return tomllib.loads(ladder_file(match, OURS, Path("/a folder"), "match-1"))


def names(*commands: str) -> list[str]:
    """Return the names that *commands* get."""
    entrants = written(*commands)["entrant"]
    assert isinstance(entrants, list)
    return [entrant["name"] for entrant in entrants]


def test_bots_are_named_after_their_programs() -> None:
    """Ours by their names, others by program or script, several of a name by numbers."""
    assert names("greedy", "greedy", "random") == ["greedy-1", "greedy-2", "random"]
    assert names("python3 -u bots/mine.py --level 3", "./my-bot", "node bot.js") == ["mine", "my-bot", "bot"]
    assert names("python3 'ä ß.py'", "sh -c 'exec x'")[1] == "exec-x"


def test_what_is_given_is_what_stands_in_the_file() -> None:
    """Quotes, backslashes, blanks and other letters of a command survive, and where it runs is written down."""
    words = ["prog", "a b", 'say "x"', "back\\slash", "żółć \x7f", "'"]
    data = written(shlex.join(words), "greedy")
    entrants = data["entrant"]
    assert isinstance(entrants, list)
    assert [entrant["command"] for entrant in entrants] == [words, ["rummyref", "bot", "run", "greedy"]]
    ladder = data["ladder"]
    assert isinstance(ladder, dict)
    assert ladder["folder"] == "/a folder"


@pytest.mark.parametrize(("bots", "players", "expected"), [(2, None, 2), (4, None, 4), (7, None, 4), (4, 3, 3)])
def test_a_table_has_a_seat_a_bot_as_far_as_there_are_seats(bots: int, players: int | None, expected: int) -> None:
    """Unless a number is given; more bots take turns."""
    ladder = written(*["greedy"] * bots, players=players)["ladder"]
    assert isinstance(ladder, dict)
    assert (ladder["players"], ladder["format"]) == (expected, "round_robin")


def test_a_command_that_no_shell_could_read_is_refused() -> None:
    """An open quote, or nothing."""
    for command in ("'open", " "):
        with pytest.raises(ManifestError):
            written(command, "greedy")


def test_a_match_plays_and_says_who_is_better(tmp_path: Path) -> None:
    """JSON has standings and verdict; the file that was written resumes it; every replay verifies."""
    result = rummyref(
        "match", "remi", "greedy", "random", "--sets", "60", "--margin", "2", "--seed", SEED, "--data", str(tmp_path),
        "--clock", "slow", "--strict", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result
    shown = json.loads(result.stdout)
    assert (shown["verdict"]["a"], shown["verdict"]["b"], shown["verdict"]["verdict"]) == ("greedy", "random", "better")
    assert 8 <= shown["verdict"]["sets"] <= shown["sets"] < 60
    check_replays(tmp_path, 2 * shown["sets"])
    text = rummyref("ladder", "standings", "--data", str(tmp_path)).stdout
    assert text.startswith(f"after {shown['verdict']['sets']} sets greedy is better than random")


CANNOT_BE = {
    "unknown preset": (Match("whist", ("greedy", "greedy"), 2, None, 1, "slow", None, None), "unknown preset whist"),
    "one bot": (Match("remi", ("greedy",), 2, None, 1, "slow", None, None), "two bots or more"),
    "no program": (
        Match("remi", ("greedy", "nonesuch"), 2, None, 1, "slow", None, None),
        "no program nonesuch; give a command, or one of greedy, random",
    ),
    "unknown clock": (Match("remi", ("greedy", "random"), 2, None, 1, "sundial", None, None), "unknown clock sundial"),
    "too few bots": (Match("remi", ("greedy", "random"), 2, 3, 1, "slow", None, None), "3 players need 3 entrants"),
    "too many seats": (Match("remi", ("greedy",) * 5, 2, 5, 1, "slow", None, None), "players"),
    "a seed that is none": (Match("remi", ("greedy", "random"), 2, None, 1, "slow", "abc", None), "ladder.seed"),
    "a margin that is none": (
        Match("remi", ("greedy", "random"), 2, None, 1, "slow", None, float("nan")),
        "the margin must be a number",
    ),
    "a margin without an end": (
        Match("remi", ("greedy", "random"), 2, None, 1, "slow", None, float("inf")),
        "the margin must be a number",
    ),
    "a command with a NUL": (Match("remi", ("greedy", "a\0b"), 2, None, 1, "slow", None, None), "NUL"),
    "too many rounds": (Match("remi", ("greedy", "random"), 2, None, 1000, "slow", None, None), "rounds"),
}


@pytest.mark.parametrize("case", CANNOT_BE)
def test_a_match_that_cannot_be_is_refused_in_a_line_and_leaves_nothing(
    tmp_path: Path, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and no ladder file is left behind."""
    match, part = CANNOT_BE[case]
    assert play(match, OURS, tmp_path, Wishes()) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert part in said
    assert not list(tmp_path.glob("*.toml"))


def test_check_says_what_a_run_would_do(tmp_path: Path) -> None:
    """Preset, format, design, amounts, the cycle, every command; nothing is started or written."""
    file = write_ladder(
        tmp_path, {name: bot("greedy") for name in "abcde"}, sets=12, format="round_robin", isolate=True
    )  # fmt: skip
    result = rummyref("ladder", "check", str(file))
    assert result.returncode == 0, result
    said = result.stdout
    assert "ladder test: remi, 2 players, clock slow" in said
    assert "format round_robin, design rotation: 5 entrants, 2 in a set" in said
    assert "12 sets of 2 tables, each with fresh bots: 24 tables, 8 at once" in said
    assert "a cycle has 10 sets; in it every two meet 1 time; 12 sets are no whole number of cycles" in said
    assert [line.split(":")[0].strip() for line in said.splitlines()[-5:]] == list("abcde")
    assert list(tmp_path.iterdir()) == [file]


def test_check_says_of_a_gauntlet_what_meets(tmp_path: Path) -> None:
    """With one seat beside the first entrant the others take turns, and do not meet."""
    file = write_ladder(tmp_path, {name: bot("greedy") for name in "abcd"}, sets=6, format="gauntlet")
    said = rummyref("ladder", "check", str(file)).stdout
    assert "a cycle has 3 sets; in it each of the others meets a once\n" in said


def test_a_match_waits_for_no_folder_that_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2, and no ladder file of a match that has not begun."""
    with lock_folder(tmp_path):
        assert play(Match("remi", ("greedy", "random"), 2, None, 1, "slow", None, None), OURS, tmp_path, Wishes()) == 2
    assert "is used by another rummyref" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.toml"))


def test_a_match_is_played_in_the_sandbox(tmp_path: Path) -> None:
    """Where there is bubblewrap; elsewhere it is refused as a ladder is."""
    ran = rummyref("match", "remi", "greedy", "random", "--sets", "1", "--sandbox", "--data", str(tmp_path / "data"))
    problem = problem_with_sandboxes(tmp_path)
    assert (ran.returncode, problem in ran.stderr) == (2 if problem else 0, True), ran
    if not problem:
        check_replays(tmp_path / "data", 2)


def problem_with_sandboxes(folder: Path) -> str:
    """Return why this machine has none, or nothing."""
    try:
        Sandbox(folder).close()
    except StartError as impossible:
        return str(impossible)
    return ""


def test_check_refuses_what_a_run_would_refuse(tmp_path: Path) -> None:
    """Exit code 2 and a line: a bad file, and a command that is not there."""
    bad = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")}, colour=1)
    assert "ladder.colour" in refused("ladder", "check", str(bad))
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": ["./no-such-bot"]})
    assert "entrant b: there is no program ./no-such-bot" in refused("ladder", "check", str(file))


def test_a_forecast_counts_decisions(tmp_path: Path) -> None:
    """More sets take as much longer; a bridge has as many tables as its entrants fill."""
    one, ten = (
        forecast(
            read_manifest(write_ladder(tmp_path, {name: ["true"] for name in "abcdef"}, sets=sets, design="bridge"))
        )
        for sets in (1, 10)
    )
    assert (one.tables, ten.tables) == (3, 30)
    assert ten.decisions == pytest.approx(10 * one.decisions, abs=10)
    assert one.decisions > 3 * 10
    assert ten.seconds > one.seconds > 0
