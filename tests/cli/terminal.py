"""A pseudo-terminal with a program in it, read until it says what is waited for."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.cli.command import environment

RUMMYREF = ("-m", "clients.cli")


class Terminal:
    """`rummyref` with arguments, as a person sees it."""

    def __init__(self, *arguments: str, cwd: Path, program: tuple[str, ...] = RUMMYREF) -> None:
        """Start the command, or another Python program, in a terminal of its own."""
        self._screen, theirs = pty.openpty()
        env = {**environment(), "TERM": "dumb"}
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""
        self._read_to = 0

    def wait_for(self, pattern: str, within_s: float = 60) -> re.Match[str]:
        """Return the next match of *pattern* in what the program prints."""
        deadline = time.monotonic() + within_s
        while True:
            found = re.compile(pattern).search(self.seen, self._read_to)
            if found:
                self._read_to = found.end()
                return found
            ready, _, _ = select.select([self._screen], [], [], max(deadline - time.monotonic(), 0))
            assert ready, f"waited for {pattern!r} in vain after {self.seen[-800:]!r}"
            try:
                chunk = os.read(self._screen, 65_536)
            except OSError:
                chunk = b""
            assert chunk, f"the program ended before {pattern!r}: {self.seen[-800:]!r}"
            self.seen += chunk.decode("utf-8").replace("\r\n", "\n")

    def type(self, line: str) -> None:
        """Type *line* and press enter."""
        os.write(self._screen, f"{line}\n".encode())

    def play_on(self, choose: Callable[[str], str], until: str) -> None:
        """Answer each prompt with what *choose* makes of the phase, until *until* is seen."""
        while True:
            found = self.wait_for(rf"(draw|play)> |{until}")
            if found[1] is None:
                return
            self.type(choose(found[1]))

    def end(self) -> int:
        """Wait for the program to end and return its exit code."""
        code = self.process.wait(60)
        os.close(self._screen)
        return code
