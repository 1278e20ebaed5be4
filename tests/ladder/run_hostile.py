"""`make ladder-hostile`: play every bot that misbehaves, and print what came of each; exit code 1 if that differs.

With `--sets N` the ladder has as many sets, and it is said how the memory of the
referee went, which must be flat.
"""

import argparse
import contextlib
import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Final

from clients.bots.faulty.catalogue import FAULTY
from tests.ladder.hostile import differences
from tests.ladder.laddering import LadderProcess

FILE: Final = Path(__file__).parents[2] / "ladders" / "hostile.toml"
WITHIN_S: Final = 6 * 3600.0
SAMPLE_S: Final = 1.0


class Memory:
    """Samples how much memory a process has, until it ends."""

    def __init__(self, pid: int) -> None:
        """Watch the process *pid*."""
        self._file = Path(f"/proc/{pid}/statm")
        self.resident: list[int] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._done.wait(SAMPLE_S):
            with contextlib.suppress(OSError, IndexError):
                self.resident.append(int(self._file.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))

    def told(self) -> str:
        """Return how much there was after the first fifth of the run and in its last."""
        self._done.set()
        self._thread.join()
        fifth = max(len(self.resident) // 5, 1)
        before, after = (_mean_mib(part) for part in (self.resident[fifth : 2 * fifth], self.resident[-fifth:]))
        change = f"{after / before - 1:+.1%}"
        return f"memory of the referee: {before:.1f} MiB in the second fifth, {after:.1f} MiB in the last: {change}"


def _mean_mib(sizes: list[int]) -> float:
    return sum(sizes) / len(sizes) / 2**20


def _file(sets: int | None, folder: Path) -> Path:
    """Return the ladder file, with as many *sets* where that is given."""
    if sets is None:
        return FILE
    file = folder / FILE.name
    file.write_text(re.sub(r"^sets = \d+$", f"sets = {sets}", FILE.read_text(), flags=re.MULTILINE))
    return file


def main() -> int:
    """Run the ladder, print a line a bot, and return the exit code."""
    parser = argparse.ArgumentParser(description="Play every bot that misbehaves beside honest ones.")
    parser.add_argument("--sets", type=int, help="sets to play; else those of ladders/hostile.toml")
    given = parser.parse_args()
    data = Path("build/hostile")
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    began = time.monotonic()
    ladder = LadderProcess(["ladder", "run", str(_file(given.sets, data)), "--data", str(data)])
    memory = Memory(ladder.pid)
    ended = ladder.wait(WITHIN_S)
    sys.stdout.write(ended.said)
    if ended.code:
        return 1
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")
    if given.sets is not None:
        sys.stdout.write(memory.told() + "\n")
    found = differences(data, "hostile", {name: name for name in FAULTY}, {"anna", "ben"})
    for entrant, problem in found.items():
        wanted = str(FAULTY[entrant].expected) if entrant in FAULTY else "undisturbed"
        sys.stdout.write(f"{'DIFFERS' if problem else 'ok     '} {entrant:24} {wanted:16} {problem}\n")
    wrong = sum(map(bool, found.values())) + bool(ended.left)
    for left in ended.left:
        sys.stdout.write(f"DIFFERS left running: {left}\n")
    sys.stdout.write(f"{len(found) - wrong} as expected, {wrong} not\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
