"""A ladder that is stopped, or killed, goes on as if nothing had happened."""

import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from engine.record.ladder import LADDER_SUFFIX
from engine.record.replay import SUFFIX
from referee.commands import ladder as command
from referee.ladder.begin import resume_command
from referee.ladder.run import LadderRun
from tests.cli.command import rummyref
from tests.ladder.laddering import (
    LadderProcess,
    Told,
    bot,
    check_replays,
    resumed,
    run_ladder,
    standings_json,
    telling,
    write_ladder,
)  # fmt: skip

KILLS = 10
SETS = 24
ROOM = 300_000
"""Bytes that hold the schema and a part of a ladder."""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """What the telling bots of this test tell."""
    fifo = Told(tmp_path)
    yield fifo
    fifo.close()


def uninterrupted(file: Path, data: Path) -> str:
    """Return the standings of a run that nobody disturbs."""
    assert run_ladder(file, data).code == 0
    return standings_json(data)


@pytest.mark.parametrize(("players", "dead"), [(2, 2), (3, 2), (4, 0)])
def test_ctrl_c_prints_the_command_that_goes_on(tmp_path: Path, told: Told, players: int, dead: int) -> None:
    """Exit code 130, no bot left; the printed command finishes with the standings of an undisturbed run.

    Bots that are dead, before and after, change nothing in that.
    """
    names = ("cautious", "random", "greedy")[: players - 1]
    entrants = {name: bot(name) for name in names} | {f"dead-{number}": ["false"] for number in range(dead)}
    file = write_ladder(tmp_path, {"teller": telling(), **entrants}, players=players, sets=4 + dead)
    data = tmp_path / "stopped here"
    ladder = LadderProcess(["ladder", "run", str(file), "--data", str(data)], told)
    told.wait(25)
    ladder.signal(signal.SIGINT)
    ended = ladder.wait()
    assert (ended.code, ended.left) == (130, []), ended
    assert [path.name for path in data.glob("rummyref.db*")] == ["rummyref.db"], "not all is in one file"
    assert ended.said.splitlines()[-1].startswith("interrupted; continue with: rummyref ladder run ")
    ended = resumed(ended.said).wait()
    assert (ended.code, ended.left) == (0, []), ended
    assert [path.name for path in data.glob("rummyref.db*")] == ["rummyref.db"], "not all is in one file"
    assert standings_json(data) == uninterrupted(file, tmp_path / "undisturbed")
    check_replays(data, (4 + dead) * players)


def test_ctrl_c_before_the_bots_have_come(tmp_path: Path) -> None:
    """Interrupted while it waits for a bot that never comes, it stops at once and says how to go on."""
    file = write_ladder(tmp_path, {"a": ["sh", "-c", "kill -INT $PPID; exec sleep 600"], "b": ["sleep", "600"]})
    ended = run_ladder(file, tmp_path / "data")
    assert (ended.code, ended.left) == (130, []), ended
    assert "--resume" in ended.said.splitlines()[-1]


def interrupted(*_given: object, **_more: object) -> NoReturn:
    """What Ctrl-C makes of whatever stands here."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["read_manifest", "live_view", "find_ladder"])
def test_ctrl_c_at_either_end_prints_the_command_that_goes_on(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it begins, and again while the standings of a ladder that was stopped are computed."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")})

    async def stopped(*_given: object, **_wishes: object) -> bool:
        return False

    monkeypatch.setattr(LadderRun, "play", stopped)
    monkeypatch.setattr(command, moment, interrupted)
    assert command.run(file, tmp_path / "data", command.Wishes(strict=True)) == 130
    again = resume_command(file, tmp_path / "data", "--strict")
    assert capsys.readouterr().err == f"interrupted; continue with: {again}\n"


@pytest.mark.parametrize("module", ["typer", "referee.commands.ladder", "referee.ladder.run"])
def test_ctrl_c_while_the_command_is_loaded(tmp_path: Path, module: str) -> None:
    """One line instead of a traceback, exit code 130."""
    load = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_more):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from clients.cli.__main__ import main\n"
        "main()\n"
    )
    ended = LadderProcess(["ladder", "run", str(tmp_path / "ladder.toml")], program=("-c", load)).wait()
    assert ended.code == 130, ended
    assert ended.said == "rummyref: interrupted before anything began; give the same command again\n"


def test_kill_nine_changes_no_standings(tmp_path: Path, told: Told) -> None:
    """Ten kills at random moments: no bot outlives them, every replay verifies, the standings are the same bytes."""
    file = write_ladder(tmp_path, {"teller": telling(), "random": bot("random")}, sets=SETS)
    data = tmp_path / "killed"
    again = ["ladder", "run", str(file), "--data", str(data), "--resume"]
    rng = random.Random(20261130)
    for _ in range(KILLS):
        told.forget()
        ladder = LadderProcess(again, told)
        told.wait(rng.randrange(1, 40))
        ladder.signal(signal.SIGKILL)
        ended = ladder.wait()
        assert (ended.code, ended.left) == (-signal.SIGKILL, []), ended
    ended = LadderProcess(again).wait()
    assert (ended.code, ended.left) == (0, []), ended
    assert standings_json(data) == uninterrupted(file, tmp_path / "undisturbed")
    check_replays(data, 2 * SETS)


def test_a_full_disk_stops_the_ladder_and_loses_nothing(tmp_path: Path) -> None:
    """One line says so, no bot is left, and once there is room the ladder goes on as if nothing had happened."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("cautious")}, sets=8)
    data = tmp_path / "full"
    first = ["ladder", "run", str(file), "--data", str(data)]
    ended = LadderProcess(first, largest_file=ROOM).wait()
    assert ended.left == []
    assert ended.code not in (0, 1), ended
    (line,) = ended.said.splitlines()
    assert "Free space" in line, ended
    ended = LadderProcess([*first, "--resume"]).wait()
    assert (ended.code, ended.left) == (0, []), ended
    assert standings_json(data) == uninterrupted(file, tmp_path / "undisturbed")
    check_replays(data, 2 * 8)


NO_ROOM = """
import errno, os, pathlib, sys
replace = pathlib.Path.replace
def full(self, to):
    if str(to).endswith({suffix!r}):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))
    return replace(self, to)
pathlib.Path.replace = full
from clients.cli.main import main
main()
"""
"""What runs `rummyref` where no file with a suffix finds room."""


@pytest.mark.parametrize("suffix", [SUFFIX, LADDER_SUFFIX])
def test_records_that_find_no_room_are_written_when_there_is(tmp_path: Path, suffix: str) -> None:
    """Replays and the ladder's record: one line, no bot is left, nothing half written, and nothing is missing after."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("cautious")}, sets=6)
    data = tmp_path / "full"
    command = ["ladder", "run", str(file), "--data", str(data)]
    ended = LadderProcess(command, program=("-c", NO_ROOM.format(suffix=suffix))).wait()
    assert ended.left == []
    assert ended.code not in (0, 1), ended
    assert "Traceback" not in ended.said
    assert "No space left on device" in ended.said.splitlines()[-1]
    assert not list(data.glob("*/*.partial"))
    ended = LadderProcess([*command, "--resume"]).wait()
    assert (ended.code, ended.left) == (0, []), ended
    check_replays(data, 2 * 6)
    verified = rummyref("ladder", "verify", str(data / "ladders" / f"test{LADDER_SUFFIX}"))
    assert verified.returncode == 0, verified
    assert "deals 6 played, 0 void, 0 unused" in verified.stdout
