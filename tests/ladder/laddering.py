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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.clock import PROFILES, SECOND_US, ClockProfile
from engine.record.audit import audit
from referee.commands.standings import show_standings
from tests.cli.command import ROOT, environment

SEED = "5eed" * 16
WITHIN_S = 120.0
_MARK = "RUMMYREF_TEST_RUN"
_TOLD, _ALLOWED = "RUMMYREF_TEST_TOLD", "RUMMYREF_TEST_ALLOWED"


def bot(name: str) -> list[str]:
    """Return the command of a bot that comes with rummyref."""
    return [sys.executable, "-m", "clients.cli", "bot", "run", name]


def telling(heard: Path | None = None) -> list[str]:
    """Return the command of a greedy bot that tells a `Told` of each of its decisions; *heard* gets all it is sent."""
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


def patient(monkeypatch: pytest.MonkeyPatch, a_decision_s: float = 4.0) -> str:
    """Return the name of a clock for a ladder in this process: silence costs little, a machine that halts nothing.

    Whoever answers at once may be kept waiting for nine seconds now and then, and for *a_decision_s* always; who
    does not loses the nine once. The bot that floods the referee keeps itself waiting for longer than that.
    """
    bank_us = 9 * SECOND_US
    profile = ClockProfile("patient", 60 * SECOND_US, bank_us, int(a_decision_s * SECOND_US), bank_us)
    monkeypatch.setitem(PROFILES, profile.name, profile)
    return profile.name


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

    def __init__(
        self,
        arguments: list[str],
        told: "Told | None" = None,
        largest_file: int | None = None,
        program: Sequence[str] = ("-m", "clients.cli"),
    ) -> None:
        """Start it; bots that tell do so to *told*. No file may grow beyond *largest_file* bytes.

        *program* is what Python runs.
        """
        self._mark = uuid.uuid4().hex
        limit = ["prlimit", f"--fsize={largest_file}"] if largest_file is not None else []
        self._process = subprocess.Popen(
            [*limit, sys.executable, *program, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**environment(), _MARK: self._mark, **({} if told is None else told.environment)},
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


def _still_running(mark: str, within_s: float = 60.0) -> list[str]:
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


def run_ladder(
    file: Path, data: Path, *more: str, within_s: float = WITHIN_S, program: Sequence[str] = ("-m", "clients.cli")
) -> Ended:
    """Run a ladder to its end."""
    return LadderProcess(["ladder", "run", str(file), "--data", str(data), *more], program=program).wait(within_s)


def resumed(said: str) -> LadderProcess:
    """Run the command that an interrupted ladder has printed."""
    line = next(line for line in said.splitlines() if "continue with: " in line)
    program, *arguments = shlex.split(line.partition("continue with: ")[2])
    assert program == "rummyref"
    return LadderProcess(arguments)


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
    """FIFOs: into one, bots write a byte for each decision; from the other they take one before they answer it.

    So whatever keeps the test waiting, the bots wait for it a few decisions on, and their ladder does not end.
    """

    AHEAD = 15
    """Decisions that bots may make beyond those that are waited for: a kill comes at any moment among them."""

    def __init__(self, folder: Path) -> None:
        """Make them in *folder*."""
        paths = [folder / "told", folder / "allowed"]
        self.environment = {_TOLD: str(paths[0]), _ALLOWED: str(paths[1])}
        for path in paths:
            os.mkfifo(path)
        self._told, self._allowed = (os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths)

    def wait(self, decisions: int) -> None:
        """Allow *decisions* and some more, and return after as many as those."""
        os.write(self._allowed, bytes(decisions + self.AHEAD))
        while decisions > 0:
            assert select.select([self._told], [], [], WITHIN_S)[0], "the bots have fallen silent"
            decisions -= len(os.read(self._told, decisions))

    def forget(self) -> None:
        """Drop what has been told so far, and allow nothing that has not been made."""
        for file in (self._told, self._allowed):
            with contextlib.suppress(BlockingIOError):
                while os.read(file, 65_536):
                    pass

    def close(self) -> None:
        """Close them."""
        os.close(self._told)
        os.close(self._allowed)
