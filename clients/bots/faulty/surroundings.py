"""Bots that burden the machine they run on: output, processes, memory, files."""

import mmap
import os
import subprocess
import sys
from typing import Final, TextIO

from clients.bots.faulty.expected import CRASHES_TWICE, PLAYS, Faulty
from clients.bots.runner import MakeBot, Runner
from clients.messages import Asked
from clients.session import Session

_CHILDREN: Final = 3
_LINES: Final = 2_000
_PIECE: Final = 1 << 28
_PIECES: Final = 64
_FILES: Final = 5_000


class _OutputFlood(Runner):
    """Writes a hundred kilobytes with every decision."""

    output: TextIO

    def _play(self, asked: Asked, attempt: int) -> None:
        self.output.write("a line that nobody has asked for, and many more\n" * _LINES)
        super()._play(asked, attempt)


class StdoutFlood(_OutputFlood):
    """Writes to its standard output."""

    output = sys.stdout


class StderrFlood(_OutputFlood):
    """Writes to its standard error."""

    output = sys.stderr


class Forks(Runner):
    """Starts processes that would outlive it, and plays on."""

    def __init__(self, session: Session, make_bot: MakeBot, seed: int | None = None) -> None:
        """Start them."""
        super().__init__(session, make_bot, seed)
        self._children = [subprocess.Popen(["sleep", "600"]) for _ in range(_CHILDREN)]  # noqa: S607 - a harmless one


class FillsMemory(Runner):
    """Asks for ever more memory at its first decision, until there is none: an organiser sets the limit."""

    def _play(self, asked: Asked, attempt: int) -> None:
        # Asked for and never touched: a machine without limits is not harmed by it.
        pieces = [mmap.mmap(-1, _PIECE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(_PIECES)]
        for piece in pieces:
            piece.close()
        super()._play(asked, attempt)


class OpensFiles(Runner):
    """Opens ever more files at its first decision, until it may open no more: an organiser sets the limit."""

    def _play(self, asked: Asked, attempt: int) -> None:
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(_FILES)]
        for file in files:
            os.close(file)
        super()._play(asked, attempt)


BOTS: Final = {
    "stdout-flood": Faulty(StdoutFlood, PLAYS),
    "stderr-flood": Faulty(StderrFlood, PLAYS),
    "forks": Faulty(Forks, PLAYS),
    "fills-memory": Faulty(FillsMemory, CRASHES_TWICE),
    "opens-files": Faulty(OpensFiles, CRASHES_TWICE),
}
