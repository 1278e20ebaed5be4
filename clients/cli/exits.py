"""Exit codes, and the one way to end with an error."""

import sys
from typing import Final, NoReturn

import typer

DONE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130


def stop(message: str, code: int = BAD_INPUT) -> NoReturn:
    """End with *message* as one line on stderr."""
    sys.stderr.write(f"rummyref: {message}\n")
    raise typer.Exit(code)
