"""The bot that is examined: a process started, watched and ended as a ladder does it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Final, NamedTuple

import psutil

END_WITHIN_S: Final = 3.0
"""Time between SIGTERM, which says that the ladder is over, and SIGKILL."""

_LAST_WORDS: Final = 2_000
_CHUNK: Final = 65_536


class CommandError(ValueError):
    """The bot's command cannot be run; the message says why."""


class Ending(NamedTuple):
    """How a bot's process ended.

    Attributes:
        seconds: After it was told to, or 0.0 if it ended unasked.
        code: Exit code, negative for a signal; None if it had to be killed.
        left: Whether it left processes of its group behind.
    """

    seconds: float
    code: int | None
    left: bool


class Patient:
    """A bot's process group.

    Attributes:
        started: Monotonic time of its start, seconds.
        output: Bytes that it has printed.
        memory: Most memory that its processes have held together, bytes, as far as seen.
    """

    def __init__(self, command: list[str], address: str, token: str, name: str) -> None:
        """Start *command* with the environment that a ladder gives.

        Raises:
            CommandError: There is no such program.
        """
        self.started: Final = time.monotonic()
        self.output = 0
        self.memory = 0
        self._said = b""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                env=environment(address, token, name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as missing:
            raise CommandError(f"cannot run {command[0]}: {missing.strerror}") from missing
        if self._process.stdout is not None:
            threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    @property
    def exit_code(self) -> int | None:
        """Exit code of its process, None while it runs."""
        return self._process.poll()

    @property
    def last_words(self) -> str:
        """The last line that it has printed, empty without one."""
        lines = [line.strip() for line in self._said.decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def weigh(self) -> int:
        """Return the memory that its processes hold now, bytes."""
        held = 0
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    held += each.memory_info().rss
        self.memory = max(self.memory, held)
        return held

    def end(self) -> Ending:
        """Tell it that the ladder is over, and end what has not ended in time."""
        asked = time.monotonic()
        unasked = self.exit_code
        self._signal(signal.SIGTERM)
        try:
            code: int | None = self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            code = None
        seconds = time.monotonic() - asked
        left = code is not None and self._has_left_others()
        self._signal(signal.SIGKILL)
        self._process.wait()
        return Ending(0.0 if unasked is not None else seconds, code, left)

    def _has_left_others(self) -> bool:
        """Whether its group has processes other than itself that still run."""
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error, ProcessLookupError):
                if os.getpgid(each.pid) == self._process.pid and each.status() != psutil.STATUS_ZOMBIE:
                    return True
        return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _listen(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                self.output += len(chunk)
                self._said = (self._said + chunk)[-_LAST_WORDS:]


def environment(address: str, token: str, name: str) -> dict[str, str]:
    """Return the environment of a bot in a ladder: the caller's, and what says where to play and as whom."""
    return {
        **os.environ,
        "PATH": search_path(),
        "PYTHONUNBUFFERED": "1",
        "RUMMYREF_ADDRESS": address,
        "RUMMYREF_CA": "",
        "RUMMYREF_TOKEN": token,
        "RUMMYREF_BOT": name,
        "RUMMYREF_CAPACITY": "8",
    }


def need_program(command: list[str]) -> None:
    """Refuse a command whose program is not there.

    Raises:
        CommandError: It is not there or cannot be executed.
    """
    if not command or shutil.which(command[0], path=search_path()) is None:
        raise CommandError(f"there is no program {command[0] if command else 'named'}; give the command of your bot")


def search_path() -> str:
    """Return PATH with the folder of this Python first: `rummyref` is the one that examines."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
