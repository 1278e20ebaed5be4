"""Replay files as bad as they may be: opened, read with bounds, and quoted without harm."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clients.cli.exits import BAD_INPUT, FAILED, stop
from engine.record.audit import Step, chained, steps
from engine.record.chain import ReplayError, UnreadableError, lines_in
from engine.record.replay import ReplayLine, only_entries, read

_QUOTED = 300


def plain(text: str) -> str:
    """Return *text* of a file fit for one line of a terminal: no control characters, not too long."""
    safe = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text[: _QUOTED + 1])
    return safe if len(safe) <= _QUOTED else f"{safe[:_QUOTED]} …"


def counted(number: int, thing: str) -> str:
    """Return *number* of a *thing* in words, such as `1 round`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


@contextmanager
def opened(file: Path) -> Iterator[Iterator[str]]:
    """Open *file* and yield its lines.

    Raises:
        OSError: It cannot be opened.
    """
    with file.open("rb") as raw:
        yield lines_in(raw)


def whole(file: Path) -> Iterator[Step]:
    """Yield the checked steps of the replay in *file*, none if it was void before its deal; stops where it is bad."""
    try:
        with opened(file) as lines:
            kept = list(only_entries(chained(lines)))
        yield from steps(kept)
    except (ReplayError, OSError) as bad:
        refuse(file, bad)


def entries(file: Path) -> Iterator[ReplayLine]:
    """Yield the entries of *file* as they are written; ends the command where one cannot be read."""
    try:
        with opened(file) as lines:
            yield from only_entries(read(lines))
    except (ReplayError, OSError) as bad:
        refuse(file, bad)


def refuse(file: Path, bad: ReplayError | OSError) -> None:
    """End the command: 2 where *file* is no replay, 1 where it is a bad one."""
    found = isinstance(bad, ReplayError) and not isinstance(bad, UnreadableError)
    stop(f"{file}: {problem_of(bad)}", FAILED if found else BAD_INPUT)


def problem_of(bad: ReplayError | OSError) -> str:
    """Return what is wrong, as one line."""
    return plain(str(bad) if isinstance(bad, ReplayError) else bad.strerror or str(bad))
