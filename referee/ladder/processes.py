"""Bot processes: started from a command, watched, restarted once, and reaped as groups."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

from referee.ladder import limits, warden
from referee.ladder.logs import EntrantLog
from referee.ladder.policy import Limits

_CHUNK: Final = 65_536
_END_WITHIN_S: Final = 3.0
_LAST_WORDS_WITHIN_S: Final = 1.0
_log = structlog.get_logger()


class StartError(Exception):
    """A bot's command cannot be started; the message says which and why."""


@dataclass(slots=True)
class Guard:
    """The warden of a ladder: a process that outlives it and ends its bots."""

    _process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it, in a session of its own so that Ctrl-C does not reach it."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", warden.__file__, stdin=asyncio.subprocess.PIPE, start_new_session=True
        )

    def watch(self, group: int) -> None:
        """End *group* when this process has gone."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Leave *group* alone: it has ended, and its number may come to mean another."""
        self._tell(f"-{group}\n")

    async def stop(self) -> None:
        """Dismiss it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await self._process.wait()

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(line.encode())


@dataclass(slots=True)
class BotProcess:
    """One entrant's process, and its successor after a crash.

    Attributes:
        name: Entrant.
        command: Program and arguments.
        env: Whole environment of the process.
        folder: Where it runs.
        log: Where its output goes.
        guard: Ends it should this process be killed.
        restarts: Times it is started again.
        on_exit: Called with it when its process has ended unasked.
        crashes: Times it ended unasked.
        exit_code: Of the process that ended last; negative for a signal.
    """

    name: str
    command: list[str]
    env: dict[str, str]
    folder: Path
    log: EntrantLog
    guard: Guard
    restarts: int
    on_exit: "Callable[[BotProcess], None]"
    crashes: int = 0
    exit_code: int | None = None
    _process: asyncio.subprocess.Process | None = None
    _watching: asyncio.Task[None] | None = None
    _stopping: bool = field(default=False)

    @property
    def pid(self) -> int:
        """Id of its process, and of the process's group; 0 while it has none."""
        return self._process.pid if self._process is not None else 0

    @property
    def is_dead(self) -> bool:
        """Whether it has crashed for good."""
        return self.crashes > self.restarts

    async def start(self) -> None:
        """Start it in a process group of its own.

        Raises:
            StartError: There is no such program.
        """
        try:
            self._process, output = await self._spawn()
        except OSError as missing:
            raise StartError(f"entrant {self.name}: cannot run {self.command[0]}: {missing.strerror}") from missing
        self.guard.watch(self._process.pid)
        self._watching = asyncio.get_running_loop().create_task(self._watch(self._process, output))

    async def _spawn(self) -> tuple[asyncio.subprocess.Process, int]:
        """Return the new process, and where its output comes out.

        That is a pipe of our own: of one that asyncio makes it waits for the end before it says that the process
        has ended, however long somebody else holds it.
        """
        output, inlet = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *self.command,
                env=self.env,
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=inlet,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(inlet)
        return process, output

    async def stop(self) -> None:
        """End it and everything it has started."""
        self._stopping = True
        self._signal(signal.SIGTERM)
        if self._watching is not None:
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(self._watching), _END_WITHIN_S)
        self._signal(signal.SIGKILL)
        if self._watching is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    async def _watch(self, process: asyncio.subprocess.Process, output: int) -> None:
        reading = asyncio.ensure_future(self._keep_output(output))
        self.exit_code = await process.wait()
        self._signal(signal.SIGKILL)
        self.guard.forget(process.pid)
        self._process = None
        # What it has left in another session may hold its output open for ever.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(reading, _LAST_WORDS_WITHIN_S)
        if not self._stopping:
            await self._begin_again()

    async def _begin_again(self) -> None:
        self.crashes += 1
        self.log.note(f"its process has ended, exit code {self.exit_code}")
        _log.info("bot_ended", entrant=self.name, exit_code=self.exit_code, crashes=self.crashes)
        self.on_exit(self)
        if self.is_dead:
            return
        try:
            await self.start()
        except StartError:
            self.crashes = self.restarts + 1
            self.on_exit(self)

    async def _keep_output(self, output: int) -> None:
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(output, "rb", 0)
        )
        try:
            while chunk := await reader.read(_CHUNK):
                self.log.write(chunk)
        finally:
            transport.close()


def bot_environment(
    inherited: Mapping[str, str], address: str, token: str, name: str, extra: dict[str, str]
) -> dict[str, str]:
    """Return the environment of a bot: what is *inherited*, ours, and its own additions."""
    return {
        **inherited,
        "PATH": _search_path(),
        "PYTHONUNBUFFERED": "1",
        "RUMMYREF_ADDRESS": address,
        "RUMMYREF_CA": "",
        "RUMMYREF_TOKEN": token,
        "RUMMYREF_BOT": name,
        **extra,
    }


def limited(command: list[str], to: Limits) -> list[str]:
    """Return what runs *command* within the limits *to*."""
    wanted = [to.cpu_s or 0, to.memory_mb or 0, to.open_files or 0]
    return [sys.executable, "-I", "-S", limits.__file__, *map(str, wanted), *command] if any(wanted) else command


def need_command(name: str, command: list[str], folder: Path, env: dict[str, str]) -> None:
    """Refuse a command whose program is not there, before anything is begun.

    Raises:
        StartError: It is not there or cannot be executed, or the folder is not there.
    """
    if not folder.is_dir():
        raise StartError(f"entrant {name} cannot run in {folder}: that is no folder; mend ladder.folder")
    program = command[0]
    if os.sep in program:
        program = str(folder / program)
    if shutil.which(program, path=env.get("PATH", _search_path())) is None:
        raise StartError(f"entrant {name}: there is no program {command[0]}; mend its command in the ladder file")


def _search_path() -> str:
    """Return PATH with the folder of this Python first: `rummyref` is the one that runs the ladder."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
