"""`logs/ENTRANT.log`: the newest of what a bot has printed and of what the referee notes about it."""

import contextlib
from pathlib import Path
from typing import Final

LOG_LIMIT: Final = 1_000_000
"""Bytes kept for each entrant, in two files: the older half is dropped for the newer."""


class EntrantLog:
    """The log of one entrant.

    Attributes:
        path: The newer file; the older one has `.1` behind its name.
    """

    def __init__(self, path: Path) -> None:
        """Go on with the files at *path*, if there are any."""
        self.path: Final = path
        self._size = path.stat().st_size if path.exists() else 0

    def write(self, output: bytes) -> None:
        """Append what the bot has printed."""
        for start in range(0, len(output), LOG_LIMIT // 2):
            self._append(output[start : start + LOG_LIMIT // 2])

    def note(self, line: str) -> None:
        """Append a line of the referee's own."""
        self._append(f"[referee] {line}\n".encode())

    def _append(self, piece: bytes) -> None:
        with contextlib.suppress(OSError):  # a full disk loses what a bot prints, and nothing else by that
            if self._size and self._size + len(piece) > LOG_LIMIT // 2:
                self.path.replace(self.path.with_name(f"{self.path.name}.1"))
                self._size = 0
            with self.path.open("ab") as file:
                file.write(piece)
            self._size += len(piece)
