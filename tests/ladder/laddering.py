"""Ladders as users run them: a file, a command, and what is left afterwards."""

import contextlib
import io
import json
import os
import select
import shlex
import subprocess
import sys
import tomllib
import uuid
from dataclasses import dataclass
from pathlib import Path

from engine.record.audit import audit
from referee.commands.standings import show_standings
from tests.cli.command import ROOT, environment

SEED = "5eed" * 16
WITHIN_S = 60.0
_MARK = "RUMMYREF_TEST_RUN"
_TOLD = "RUMMYREF_TEST_TOLD"


def bot(name: str) -> list[str]:
    """Return the command of a bot that comes with rummyref."""
    return [sys.executable, "-m", "clients.cli", "bot", "run", name]


def telling(heard: Path | None = None) -> list[str]:
    """Return the command of a greedy bot that tells the test of each of its decisions; *heard* gets all it is sent."""
    return [sys.executable, "-m", "tests.ladder.telling_bot", *([str(heard)] if heard else [])]


def write_ladder(folder: Path, entrants: dict[str, list[str]], *more: str, **settings: object) -> Path:
    """Write a repeatable ladder of *entrants*, command by name, with *more* at its end, and return its path."""
    values = {"name": "test", "preset": "remi", "players": 2, "sets": 2, "clock": "slow", "seed": SEED, **settings}
    lines = ["[ladder]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    for name, command in entrants.items():
        lines += ["[[entrant]]", f'name = "{name}"', f"command = {list(map(str, command))}"]
    file = folder / "ladder.toml"
    file.write_text("\n".join([*lines, *more, ""]))
    tomllib.loads(file.read_text())
    return file


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'


@dataclass
class Ended:
    """A ladder command that has ended.

    Attributes:
        code: Exit code.
        said: What it wrote to stderr.
        left: Command lines of processes that it has left running.
    """

    code: int
    said: str
    left: list[str]


class LadderProcess:
    """`rummyref ladder run` in a process of its own."""

    def __init__(self, arguments: list[str], told: Path | None = None, largest_file: int | None = None) -> None:
        """Start it; bots that tell do so into the FIFO *told*. No file may grow beyond *largest_file* bytes."""
        self._mark = uuid.uuid4().hex
        limit = ["prlimit", f"--fsize={largest_file}"] if largest_file is not None else []
        self._process = subprocess.Popen(
            [*limit, sys.executable, "-m", "clients.cli", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**environment(), _MARK: self._mark, _TOLD: str(told or "")},
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def signal(self, number: int) -> None:
        """Send it a signal; it must be running."""
        assert self._process.poll() is None, "the ladder has ended before it was to be interrupted"
        self._process.send_signal(number)

    def wait(self, within_s: float = WITHIN_S) -> Ended:
        """Wait for its end, and for that of everything it has started."""
        try:
            _, said = self._process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its warden ends the bots
            raise
        return Ended(self._process.returncode, said, _still_running(self._mark))


def _still_running(mark: str, within_s: float = 10.0) -> list[str]:
    """Return the command lines of processes with *mark* in their environment that do not end by themselves."""
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{_MARK}={mark}".encode() not in (folder / "environ").read_bytes():
                continue
            process = os.pidfd_open(int(folder.name))
            try:
                if not select.select([process], [], [], within_s)[0]:
                    left.append((folder / "cmdline").read_text())
            finally:
                os.close(process)
    return left


def run_ladder(file: Path, data: Path, *more: str, within_s: float = WITHIN_S) -> Ended:
    """Run a ladder to its end."""
    return LadderProcess(["ladder", "run", str(file), "--data", str(data), *more]).wait(within_s)


def resumed(said: str, told: Path | None = None) -> LadderProcess:
    """Run the command that an interrupted ladder has printed."""
    line = next(line for line in said.splitlines() if "continue with: " in line)
    program, *arguments = shlex.split(line.partition("continue with: ")[2])
    assert program == "rummyref"
    return LadderProcess(arguments, told)


def standings_json(data: Path, name: str = "test") -> str:
    """Return what `ladder standings --json` prints, without what was measured in time."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert show_standings(data, name, form="json") == 0
    shown = json.loads(printed.getvalue())
    for line in shown["standings"]:
        del line["think_time_ms"]
    return json.dumps(shown)


def check_replays(data: Path, tables: int) -> None:
    """Check that every table has a replay and every replay verifies."""
    replays = list((data / "replays").glob("*.rummy.jsonl"))
    assert len(replays) == tables
    for replay in replays:
        with replay.open(newline="") as lines:
            verdict = audit(lines)
        assert verdict.ok, verdict


class Told:
    """A FIFO into which bots write a byte for each decision."""

    def __init__(self, folder: Path) -> None:
        """Make it in *folder*."""
        self.path = folder / "told"
        os.mkfifo(self.path)
        self._file = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)

    def wait(self, decisions: int) -> None:
        """Return after *decisions* more decisions."""
        while decisions > 0:
            assert select.select([self._file], [], [], WITHIN_S)[0], "the bots have fallen silent"
            decisions -= len(os.read(self._file, decisions))

    def forget(self) -> None:
        """Drop what has been told so far."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._file, 65_536):
                pass

    def close(self) -> None:
        """Close it."""
        os.close(self._file)
