"""What people see of a ladder under way."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from referee.commands import live
from referee.commands.live import LiveView
from referee.ladder.manifest import read_manifest
from referee.ladder.under_way import Progress
from tests.ladder.laddering import bot, run_ladder, write_ladder

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Time:
    """A clock that a test moves, in the place of the monotonic one."""

    def __init__(self) -> None:
        """Begin at some time."""
        self.now_s = 1_000.0

    def monotonic(self) -> float:
        """Return the time."""
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    """What views read the time from."""
    moved = Time()
    monkeypatch.setattr(live, "time", moved)
    return moved


def view(folder: Path, *, terminal: bool, **settings: object) -> tuple[LiveView, io.StringIO]:
    """Return the view of a ladder of two over ten sets, and what it shows."""
    file = write_ladder(folder, {"ann": ["true"], "bob": ["true"]}, sets=10, **settings)
    shown = io.StringIO()
    return LiveView(read_manifest(file), Console(file=shown, force_terminal=terminal, width=100, no_color=True)), shown


def half_way(clock: Time) -> Progress:
    """Return a ladder that has played four of ten sets in a minute."""
    progress = Progress(10, sets_done=4, tables_done=8, started=clock.now_s - 60, faults=3)
    for lead in (10.0, 20.0, 30.0, 40.0):
        progress.tally.add({"ann": -lead, "bob": lead})
    return progress


def test_a_terminal_shows_a_table_that_moves(tmp_path: Path, clock: Time) -> None:
    """How far, how fast, how long still, the standings with intervals, faults; said lines stay."""
    shown, out = view(tmp_path, terminal=True)
    shown.show(half_way(clock))
    shown.say("entrant ann is late")
    shown.close()
    text = CONTROLS.sub("", out.getvalue())
    assert "test: 4 of 10 sets, 8 games/min, 0:01:30 to go" in text
    assert any(line.split() == ["entrant", "points/round", "95", "%", "interval", "sets"] for line in text.splitlines())
    lines = [line for line in text.splitlines() if "+25.00" in line or "-25.00" in line]
    assert [line.split()[:2] for line in lines[:2]] == [["1", "bob"], ["2", "ann"]]
    assert "+4.48 … +45.52" in text  # Student's for four sets
    assert "faults 3" in text
    assert "entrant ann is late" in text
    assert text.rstrip().endswith("test: 4 of 10 sets, 8 games/min")


@pytest.mark.parametrize(("height", "listed"), [(12, 5), (3, 1), (60, 20)])
def test_a_table_is_no_higher_than_its_terminal(tmp_path: Path, clock: Time, height: int, listed: int) -> None:
    """What does not fit would leave its remains behind; the best are listed, twenty at most."""
    file = write_ladder(tmp_path, {f"bot-{number}": ["true"] for number in range(30)}, sets=10)
    console = Console(file=io.StringIO(), force_terminal=True, width=60, height=height)
    shown = LiveView(read_manifest(file), console)
    shown.progress = Progress(10, started=clock.now_s, faults=2)
    lines = console.render_lines(shown._render())
    assert len(lines) < max(height, 7)
    assert sum("bot-" in "".join(part.text for part in line) for line in lines) == listed


def test_nobody_is_placed_before_a_set_is_over(tmp_path: Path, clock: Time) -> None:
    """A dash for rank, points and interval."""
    shown, out = view(tmp_path, terminal=True)
    shown.show(Progress(10, started=clock.now_s))
    shown.close()
    lines = [line.split() for line in CONTROLS.sub("", out.getvalue()).splitlines()]
    assert ["–", "ann", "–", "–", "0"] in lines


def test_elsewhere_a_line_now_and_then(tmp_path: Path, clock: Time) -> None:
    """No control characters, and no more than a line every few seconds, however many tables end."""
    shown, out = view(tmp_path, terminal=False)
    for _ in range(100):
        shown.show(half_way(clock))
    assert out.getvalue() == ""
    clock.now_s += live._EVERY_S
    for _ in range(100):
        shown.show(half_way(clock))
    shown.close()
    assert out.getvalue().splitlines() == [
        "test: 4 of 10 sets, 8 games/min, 0:01:30 to go",
        "test: 4 of 10 sets, 8 games/min",
    ]


def test_an_early_end_is_allowed_for(tmp_path: Path, clock: Time) -> None:
    """Where a match may be decided sooner, what is left is an upper bound."""
    shown, _ = view(tmp_path, terminal=False, format="ab", margin=1)
    shown.show(half_way(clock))
    assert shown.headline() == "test: 4 of 10 sets, 8 games/min, at most 0:01:30 to go"


def test_strict_makes_misconduct_a_failure(tmp_path: Path) -> None:
    """Exit code 1 and a line that counts it, after the standings; without it the ladder has simply ended."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": ["false"]}, sets=1)
    strict = run_ladder(file, tmp_path / "strict", "--strict")
    assert strict.code == 1
    assert strict.said.splitlines()[-1].startswith("rummyref ladder: 2 faults and forfeits, 0 void sets;")
    assert run_ladder(file, tmp_path / "lenient").code == 0


def test_strict_makes_a_ladder_that_nobody_is_left_for_a_failure(tmp_path: Path) -> None:
    """One of two fails its trial: no table counts, no set is played, and that is no success."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": ["false"]}, sets=3, trial=True)
    ended = run_ladder(file, tmp_path / "data", "--strict")
    assert ended.code == 1
    assert ended.said.splitlines()[-1].startswith(
        "rummyref ladder: 0 faults and forfeits, 0 void sets, 3 sets left out;"
    )
