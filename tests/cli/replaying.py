"""`rummyref replay` in this process, on files that tests write."""

import contextlib
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import typer
from typer.testing import CliRunner

from clients.cli.main import app
from engine.record.canonical import RECORD_START, Json, canonical, linked

_RUNNER = CliRunner()


class Ran(NamedTuple):
    """What a command has said.

    Attributes:
        code: Exit code.
        out: On stdout.
        err: On stderr.
    """

    code: int
    out: str
    err: str


def replay(*arguments: object) -> Ran:
    """Run `rummyref replay` with *arguments*; anything but an exit is the test's failure."""
    result = _RUNNER.invoke(app, ["replay", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def called(command: Callable[..., object], *arguments: object, **options: object) -> Ran:
    """Call the function of a command, which takes a tenth of the time of the command line."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command(*arguments, **options)
        except typer.Exit as ended:
            code = ended.exit_code
    return Ran(code, out.getvalue(), err.getvalue())


def rechained(bodies: Iterable[Json]) -> list[str]:
    """Return lines of a replay with a sound chain over any JSON, as a forger writes them."""
    lines, head = [], RECORD_START
    for body in bodies:
        text = canonical(body)
        head = linked(head, text)
        lines.append(f'{{"entry":{text.decode("utf-8")},"head":"{head.hex()}"}}\n')
    return lines


def written(folder: Path, content: bytes | Iterable[str], name: str = "match") -> Path:
    """Return a file in *folder* with *content*."""
    file = folder / f"{name}.rummy.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else "".join(content).encode("utf-8"))
    return file
