"""Ends bot processes when the ladder that started them has gone, `kill -9` included.

Run as a script, with nothing but the standard library. It reads process groups from
its standard input, `+ID` as one starts and `-ID` once one has ended, and kills those
that are left when the input ends.
"""

import contextlib
import os
import signal
import sys
from typing import TextIO


def guard(lines: TextIO) -> set[int]:
    """Follow *lines* to their end and return the groups that are left."""
    groups: set[int] = set()
    for line in lines:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    return groups


def main() -> None:
    """Guard until the standard input ends."""
    for group in guard(sys.stdin):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
