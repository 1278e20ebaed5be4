"""`rummyref keys`: the key with which a referee signs."""

import sys
from collections.abc import Callable
from pathlib import Path

from referee.keys import KeyFileError, SigningKey, make_key, read_key

DONE, BAD_INPUT = 0, 2


def init(data: Path) -> int:
    """Make the key of the folder *data* and print its public half; return the exit code."""
    return _print(lambda: make_key(data))


def show(data: Path) -> int:
    """Print the public half of the key of the folder *data*; return the exit code."""
    return _print(lambda: read_key(data))


def _print(get: Callable[[], SigningKey]) -> int:
    try:
        sys.stdout.write(get().public.hex() + "\n")
    except KeyFileError as refused:
        sys.stderr.write(f"rummyref keys: {refused}\n")
        return BAD_INPUT
    return DONE
