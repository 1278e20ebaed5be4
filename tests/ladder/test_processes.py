"""Bot processes: limits, logs, their end, and the sandbox."""

import asyncio
import json
import os
import signal
import socket
import sys
import venv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.ladder.logs import LOG_LIMIT, EntrantLog
from referee.ladder.policy import Limits
from referee.ladder.processes import BotProcess, Guard, StartError, limited
from referee.ladder.sandbox import Sandbox
from tests.ladder.laddering import bot, check_replays, run_ladder, write_ladder

WITHIN_S = 60.0


def open_files() -> int:
    """Return how many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
async def guard() -> AsyncIterator[Guard]:
    """The warden of this test's processes."""
    warden = Guard()
    await warden.start()
    yield warden
    await warden.stop()


class Watched:
    """A bot process, and how often it has ended."""

    def __init__(self, command: list[str], folder: Path, guard: Guard, restarts: int = 0) -> None:
        """Prepare to run *command* in *folder*."""
        self._ends = asyncio.Semaphore(0)
        self.log = EntrantLog(folder / "bot.log")
        environment = {"PATH": os.environ["PATH"]}
        self.process = BotProcess(
            "bot", command, environment, folder, self.log, guard, restarts, lambda _: self._ends.release()
        )  # fmt: skip

    async def end(self) -> None:
        """Return once it is known to have ended."""
        await asyncio.wait_for(self._ends.acquire(), WITHIN_S)


async def test_limits_hold_for_a_bot_and_what_it_starts(tmp_path: Path, guard: Guard) -> None:
    """The program sees them as its own, and so does a child of its."""
    limits = Limits(cpu_s=77, memory_mb=300, open_files=99)
    script = "ulimit -t; ulimit -d; ulimit -n; sh -c 'ulimit -n'"
    watched = Watched(limited(["sh", "-c", script], limits), tmp_path, guard)
    await watched.process.start()
    await watched.end()
    assert watched.log.path.read_text().split("\n")[:4] == ["77", str(300 * 1024), "99", "99"]


async def test_a_bot_beyond_its_cpu_time_is_killed(tmp_path: Path, guard: Guard) -> None:
    """It ends by the signal for that, and is a bot that has crashed like any other."""
    watched = Watched(limited(["sh", "-c", "while :; do :; done"], Limits(cpu_s=1)), tmp_path, guard)
    await watched.process.start()
    await watched.end()
    assert watched.process.exit_code in (-signal.SIGXCPU, -signal.SIGKILL)
    assert watched.process.is_dead


def test_without_limits_a_command_is_run_as_it_is() -> None:
    """And an entrant's own limits come before the ladder's."""
    assert limited(["a", "b"], Limits()) == ["a", "b"]
    merged = Limits(cpu_s=5).over(Limits(cpu_s=9, open_files=64))
    assert (merged.cpu_s, merged.memory_mb, merged.open_files) == (5, None, 64)


async def test_a_killed_bot_is_noticed(tmp_path: Path, guard: Guard) -> None:
    """By its process: it has no stream that could break and no clock that could run out."""
    watched = Watched(["sleep", "600"], tmp_path, guard)
    await watched.process.start()
    os.killpg(watched.process.pid, signal.SIGKILL)
    await watched.end()
    assert (watched.process.exit_code, watched.process.is_dead) == (-signal.SIGKILL, True)


async def test_what_a_bot_leaves_behind_holds_nothing_of_ours(tmp_path: Path, guard: Guard) -> None:
    """A process in a session of its own keeps the bot's output open: its end is noticed, and no file is kept open."""
    leave = "import os, subprocess; print(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)"
    before = open_files()
    watched = Watched([sys.executable, "-c", leave], tmp_path, guard)
    await watched.process.start()
    await watched.end()
    await watched.process.stop()
    await asyncio.sleep(0)  # transports close in the next turn of the loop
    os.kill(int(watched.log.path.read_text().split()[0]), signal.SIGKILL)
    assert open_files() == before


async def test_a_bot_that_has_ended_is_signalled_no_more(
    tmp_path: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of its group may mean another by the time the ladder ends."""
    watched = Watched(["true"], tmp_path, guard)
    await watched.process.start()
    await watched.end()
    signalled = list[int]()
    monkeypatch.setattr(os, "killpg", lambda group, _: signalled.append(group))
    await watched.process.stop()
    assert (watched.process.pid, signalled) == (0, [])


def test_a_log_keeps_the_newest_within_its_limit(tmp_path: Path) -> None:
    """Whatever a bot prints, two files hold no more than the limit, and the last of it is there."""
    log = EntrantLog(tmp_path / "bot.log")
    for number in range(40):
        log.write(f"{number:07}\n".encode() * 10_000)
        log.note(f"note {number}")
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert sum(sizes) <= LOG_LIMIT
    assert log.path.read_text().splitlines()[-2:] == [f"{39:07}", "[referee] note 39"]
    again = EntrantLog(log.path)
    again.write(b"x" * (3 * LOG_LIMIT))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= LOG_LIMIT


def test_in_the_sandbox_a_bot_reaches_the_referee_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network, no database, no file but in its home, no environment, no process but its own, which end with it."""
    monkeypatch.setenv("ORGANISER_SECRET", "told to nobody")
    try:
        Sandbox(tmp_path).close()
    except StartError as impossible:
        pytest.skip(str(impossible))
    data = tmp_path / "data"
    probing = [sys.executable, str(Path(__file__).with_name("probing_bot.py")), str(data)]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        file = write_ladder(tmp_path, {"probing": [*probing, port], "greedy": bot("greedy")})
        ended = run_ladder(file, data, "--sandbox")
        assert (ended.code, ended.left) == (0, []), ended
    told = json.loads((data / "logs" / "probing.log").read_text().splitlines()[0])
    assert told.pop("processes") < 10
    assert told == {
        "referee": "unix",
        "network": False,
        "database": False,
        "folder": False,
        "home": True,
        "secret": False,
    }
    check_replays(data, 4)


async def test_in_the_sandbox_a_virtual_environment_is_there(tmp_path: Path, guard: Guard) -> None:
    """A Python of its own, and a program that a link leads to, start wherever they are; what is beside them is not."""
    try:
        sandbox = Sandbox(tmp_path / "data")
    except StartError as impossible:
        pytest.skip(str(impossible))
    elsewhere, ladder = tmp_path / "elsewhere", tmp_path / "ladder"
    ladder.mkdir()
    venv.create(elsewhere / "env", symlinks=True)
    package = next((elsewhere / "env" / "lib").glob("python*/site-packages")) / "of_the_bot.py"
    package.write_text("print('imported')\n")
    (elsewhere / "secret").write_text("x")
    (elsewhere / "tool").mkdir()
    (elsewhere / "tool" / "run").write_text(f"#!/bin/sh\nls {elsewhere}\necho started\n")
    (elsewhere / "tool" / "run").chmod(0o755)
    (elsewhere / "links").mkdir()
    (elsewhere / "links" / "run").symlink_to(elsewhere / "tool" / "run")
    (elsewhere / "linked").symlink_to(elsewhere / "env")
    (ladder / "linked").symlink_to(elsewhere / "env")
    for command, said in (
        *(
            ([str(environment / "bin" / "python"), "-c", "import of_the_bot"], ["imported"])
            for environment in (elsewhere / "env", elsewhere / "linked", ladder / "linked")
        ),
        ([str(elsewhere / "links" / "run")], ["links", "tool", "started"]),
    ):
        bot = Watched(sandbox.wrapped(command, ladder, os.environ["PATH"]), tmp_path, guard)
        await bot.process.start()
        await bot.end()
        lines = bot.log.path.read_text().splitlines()
        assert [line for line in lines if not line.startswith("[referee]")] == said, lines
        bot.log.path.unlink()
    sandbox.close()


def test_without_bubblewrap_there_is_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install; nothing has begun."""
    monkeypatch.setenv("PATH", str(tmp_path))
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")})
    ended = run_ladder(file, tmp_path / "data", "--sandbox")
    assert ended.code == 2
    assert (
        ended.said == "rummyref ladder: --sandbox needs bubblewrap: install it (Debian: apt-get install bubblewrap)\n"
    )
