"""`rummyref ladder report`: the standings of a ladder as one page."""

import sys
from pathlib import Path

from referee.commands.standings import BAD_INPUT, DONE, find_ladder
from referee.ladder.begin import LadderError
from referee.ladder.results import LadderResults
from referee.ladder.shown import shown
from referee.store.database import StoreError


def write_report(data: Path, name: str | None, out: Path | None, *, as_of: int | None = None) -> int:
    """Write the report of the ladder *name*, or of the only one in *data*, to *out*; return the exit code.

    Without *out* it is `NAME.html` in *data*. The path is printed.
    """
    try:
        ladder = find_ladder(data, name, as_of)
        path = out or data / f"{ladder.name}.html"
        _write(path, _page(ladder))
    except (StoreError, LadderError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    sys.stdout.write(f"{path}\n")
    return DONE


def _page(ladder: LadderResults) -> str:
    try:
        from referee.ladder.report.page import page  # noqa: PLC0415 - only a report needs what it imports
    except ModuleNotFoundError as missing:
        raise LadderError(f"a report needs {missing.name}; install rummyref with its extra report") from missing
    return page(shown(ladder))


def _write(path: Path, text: str) -> None:
    """Write *text* whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as refused:
        raise LadderError(f"{path} cannot be written: {refused.strerror}; choose another with --out") from refused
