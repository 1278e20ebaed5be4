"""Bot processes: started from a command, watched, restarted once, and reaped as groups."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

LOG_LIMIT: Final = 1_000_000
"""Bytes of output kept for each entrant; what comes after is read and dropped."""

_RESTARTS: Final = 1
_CHUNK: Final = 65_536
_END_WITHIN_S: Final = 3.0
_log = structlog.get_logger()


class StartError(Exception):
    """A bot's command cannot be started; the message says which and why."""


@dataclass(slots=True)
class BotProcess:
    """One entrant's process, and its successor after a crash.

    Attributes:
        name: Entrant.
        command: Program and arguments.
        env: Whole environment of the process.
        folder: Where it runs.
        log: File that its output goes to.
        on_exit: Called with the entrant when its process has ended unasked.
        crashes: Times it ended unasked.
    """

    name: str
    command: list[str]
    env: dict[str, str]
    folder: Path
    log: Path
    on_exit: Callable[[str], None]
    crashes: int = 0
    _process: asyncio.subprocess.Process | None = None
    _watching: asyncio.Task[None] | None = None
    _stopping: bool = field(default=False)

    @property
    def is_dead(self) -> bool:
        """Whether it has crashed for good."""
        return self.crashes > _RESTARTS

    async def start(self) -> None:
        """Start it in a process group of its own.

        Raises:
            StartError: There is no such program.
        """
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                env=self.env,
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as missing:
            raise StartError(f"entrant {self.name}: cannot run {self.command[0]}: {missing.strerror}") from missing
        self._watching = asyncio.get_running_loop().create_task(self._watch(self._process))

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

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        reading = asyncio.ensure_future(self._keep_output(process))
        code = await process.wait()
        self._signal(signal.SIGKILL)
        await reading
        if self._stopping:
            return
        self.crashes += 1
        _log.warning("bot_ended", entrant=self.name, exit_code=code, crashes=self.crashes)
        self.on_exit(self.name)
        if not self.is_dead:
            with contextlib.suppress(StartError):
                await self.start()

    async def _keep_output(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            return
        left = LOG_LIMIT - (self.log.stat().st_size if self.log.exists() else 0)
        with self.log.open("ab") as file:
            while chunk := await process.stdout.read(_CHUNK):
                if left > 0:
                    file.write(chunk[:left])
                    file.flush()
                left -= len(chunk)


def bot_environment(address: str, token: str, name: str, extra: dict[str, str]) -> dict[str, str]:
    """Return the environment of a bot: the caller's, ours, and its own additions.

    The folder of this Python comes first on the path, so that `rummyref` is the
    one that runs the ladder.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {
        **os.environ,
        "PATH": path,
        "PYTHONUNBUFFERED": "1",
        "RUMMYREF_ADDRESS": address,
        "RUMMYREF_TOKEN": token,
        "RUMMYREF_BOT": name,
        **extra,
    }
