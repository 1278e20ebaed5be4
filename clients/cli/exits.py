"""Exit codes, and the one way to end with an error."""

import sys
from typing import TYPE_CHECKING, Final, NoReturn

import typer

if TYPE_CHECKING:
    from clients.session import SessionError

DONE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130


def stop(message: str, code: int = BAD_INPUT) -> NoReturn:
    """End with *message* as one line on stderr."""
    sys.stderr.write(f"rummyref: {message}\n")
    raise typer.Exit(code)


def stop_for(refused: "SessionError") -> NoReturn:
    """End with what the referee said, or why there is none to say anything."""
    stop(str(refused), UNREACHABLE if refused.is_unreachable else BAD_INPUT)
