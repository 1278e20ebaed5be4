"""`ladder standings`, `explain` and `report`: what a finished ladder shows, and how they refuse."""

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from clients.cli.main import app
from referee.commands import standings
from referee.ladder.shown import shown as show
from tests.ladder.laddering import bot, run_ladder, standings_json, write_ladder

SETS = 6
NAMES = ("greedy", "cautious", "dial")
OF_A_LINE = {
    "rank", "entrant", "points_per_round", "interval", "p_rank_1", "rank_probabilities", "rating", "rating_interval",
    "placement_rating", "placement_interval", "rounds", "sets", "seat_means", "causes", "decisions",
    "trial_problem", "per_1000_decisions", "think_time_ms",
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a ladder that has been played."""
    folder = tmp_path_factory.mktemp("played")
    entrants = {"greedy": bot("greedy"), "cautious": bot("cautious"), "dial": bot("dial-25")}
    assert run_ladder(write_ladder(folder, entrants, sets=SETS), folder / "data").code == 0
    return folder / "data"


def shown(data: Path, *arguments: str) -> str:
    """Return what a ladder command prints."""
    ended = CliRunner().invoke(app, ["ladder", *arguments, "--data", str(data)])
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


def test_json_has_all_that_standings_rest_on(data: Path) -> None:
    """Every promised key in every line, and the same bytes again."""
    text = shown(data, "standings", "--json")
    assert shown(data, "standings", "--json") == text
    found = json.loads(text)
    assert set(found) == {"ladder", "preset", "sets", "seat_means", "notes", "standings", "meetings"}
    assert found["sets"] == SETS
    for line in found["standings"]:
        assert set(line) == OF_A_LINE
        assert set(line["per_1000_decisions"]) == {"time_out", "illegal", "crashed", "refused"}
        assert line["decisions"] > line["rounds"]
        assert 0 < line["think_time_ms"]["p50"] <= line["think_time_ms"]["p95"] <= line["think_time_ms"]["p99"]
        assert sum(line["rank_probabilities"]) == pytest.approx(1, abs=1e-3)
        assert set(found["meetings"][line["entrant"]]) == set(NAMES) - {line["entrant"]}
    assert [line["points_per_round"] for line in found["standings"]] == sorted(
        (line["points_per_round"] for line in found["standings"]), reverse=True
    )


def test_csv_has_the_numbers_of_json(data: Path) -> None:
    """A row an entrant, in the order of the standings, whole in any spreadsheet."""
    rows = list(csv.DictReader(io.StringIO(shown(data, "standings", "--csv"))))
    lines = json.loads(shown(data, "standings", "--json"))["standings"]
    assert [row["entrant"] for row in rows] == [line["entrant"] for line in lines]
    for row, line in zip(rows, lines, strict=True):
        assert float(row["points_per_round"]) == line["points_per_round"]
        assert [float(row["interval.low"]), float(row["interval.high"])] == line["interval"]
        assert float(row["think_time_ms.p99"]) == line["think_time_ms"]["p99"]
        assert [float(row["seat_mean.0"]), float(row["seat_mean.1"])] == line["seat_means"]


def test_as_of_shows_what_the_first_sets_alone_say(data: Path, tmp_path: Path) -> None:
    """The standings of a ladder that had ended there; nothing at 0, and all of it beyond the end."""
    short = write_ladder(
        tmp_path, {"greedy": bot("greedy"), "cautious": bot("cautious"), "dial": bot("dial-25")}, sets=SETS
    )
    short.write_text(short.read_text().replace(f"sets = {SETS}", "sets = 3"))
    assert run_ladder(short, tmp_path / "data").code == 0
    as_of = json.loads(shown(data, "standings", "--json", "--as-of", "3"))
    for line in as_of["standings"]:
        del line["think_time_ms"]
    assert as_of == json.loads(standings_json(tmp_path / "data"))
    assert json.loads(shown(data, "standings", "--json", "--as-of", "0"))["sets"] == 0
    assert json.loads(shown(data, "standings", "--json", "--as-of", "99"))["sets"] == SETS


def test_text_has_every_table(data: Path) -> None:
    """Points, ratings, conduct, seats and meetings, each with every entrant."""
    text = shown(data, "standings")
    for heading in ("points/round", "P(rank 1)", "placements", "time-outs", "p99", "seat 1", "ahead of"):
        assert heading in text
    for name in NAMES:
        assert sum(line.split()[:1] == [name] for line in text.splitlines()) == 5
        assert f"test: remi, {SETS} sets" in text


def test_a_narrow_terminal_cuts_no_number_off(data: Path) -> None:
    """Tables are as wide as they are; sentences alone are fitted to the terminal."""
    written = []
    for width in (40, 400):
        console = Console(file=io.StringIO(), width=width)
        ladder = standings.find_ladder(data, None)
        standings.write_text(show(ladder), console)
        assert isinstance(console.file, io.StringIO)
        written.append(console.file.getvalue())
    narrow, wide = ([line.split() for line in text.splitlines()] for text in written)
    assert max(map(len, written[0].splitlines())) > 40
    words = [word for line in narrow for word in line]
    assert words == [word for line in wide for word in line]


def test_without_a_set_there_is_no_rank(data: Path) -> None:
    """Nobody is first before anything is over: the table has a dash where a rank would stand."""
    lines = shown(data, "standings", "--as-of", "0").splitlines()
    assert sorted(words[1] for words in map(str.split, lines) if words[:1] == ["–"]) == sorted(NAMES)


def test_explain_speaks_of_two(data: Path) -> None:
    """As sentences, and as JSON."""
    assert shown(data, "explain", "dial", "greedy").count("points a round") == 1
    found = json.loads(shown(data, "explain", "dial", "greedy", "--json"))
    assert {found["one"], found["two"]} == {"dial", "greedy"}
    assert found["common_sets"] == SETS // 3
    assert found["lead"] == pytest.approx(found["points_per_round"][0] - found["points_per_round"][1])
    assert 1 <= len(found["decisive"]) <= found["sets"]


def test_a_report_is_written_whole(data: Path, tmp_path: Path) -> None:
    """Beside the data unless told, its path printed, the same bytes again."""
    assert shown(data, "report") == f"{data / 'test.html'}\n"
    out = tmp_path / "page.html"
    assert shown(data, "report", "--out", str(out)) == f"{out}\n"
    assert out.read_bytes() == (data / "test.html").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert "ladder report" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["standings", "nosuch"], "there is no ladder nosuch; there are test"),
        (["explain", "greedy", "nobody"], "there is no entrant nobody in test; name two of greedy, cautious, dial"),
        (["explain", "greedy", "greedy"], "name two different entrants"),
        (["explain", "greedy", "dial", "--as-of", "0"], "no set of greedy is finished"),
        (["report", "--out", "/nowhere/page.html"], "choose another with --out"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(data: Path, arguments: list[str], part: str) -> None:
    """Exit code 2 and one line that says what to do."""
    ended = CliRunner().invoke(app, ["ladder", *arguments, "--data", str(data)])
    assert ended.exit_code == 2
    assert part in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
