"""`rummyref doctor`: what is wrong with a bot, before a ladder finds out."""

import contextlib
import json
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.cli.exits import FAILED, stop, stop_for
from clients.cli.options import AsJson
from engine.clock import PROFILES
from engine.rules.registry import presets

if TYPE_CHECKING:
    from clients.doctor.findings import Finding

_STYLES = {"ok": "green", "note": "yellow", "failed": "bold red", "not checked": "dim"}


def doctor(
    command: Annotated[list[str], typer.Argument(help="The bot's command, in one piece or as it is typed.")],
    preset: Annotated[
        list[str] | None, typer.Option("--preset", "-p", help="Rules to play; else one of each family.")
    ] = None,
    clock: Annotated[str, typer.Option(help="Clock profile that it must keep.")] = "standard",
    deterministic: Annotated[  # noqa: FBT002
        bool, typer.Option("--deterministic", help="Fail it if equal deals and seeds give other plays.")
    ] = False,
    memory: Annotated[int, typer.Option(min=1, help="Most memory it may hold, MiB.")] = 1024,
    data: Annotated[
        Path | None, typer.Option(help="New folder to keep logs and replays in; else nothing is kept.")
    ] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Start a bot as a ladder would and check what a ladder will ask of it.

    Exit code 0 if it is fit, 1 if a check failed, 2 for bad usage.
    """
    wanted = tuple(dict.fromkeys(preset or _one_of_each_family()))
    _check(wanted, clock, data)
    from clients.doctor.examination import Examination, Order  # noqa: PLC0415 - loads the stubs only when a bot is meant
    from clients.doctor.findings import Outcome  # noqa: PLC0415
    from clients.doctor.patient import CommandError, need_program  # noqa: PLC0415
    from clients.session import SessionError  # noqa: PLC0415

    words = _words(command)
    try:
        need_program(words)
        with _folder(data) as folder:
            order = Order(words, wanted, clock, deterministic, memory * 1024 * 1024)
            found = Examination(order, folder, lambda line: sys.stderr.write(f"{line}\n")).run()
    except CommandError as wrong:
        stop(str(wrong))
    except SessionError as refused:
        stop_for(refused)
    fit = all(finding.outcome is not Outcome.FAILED for finding in found)
    _show(words, found, fit=fit, as_json=as_json)
    raise typer.Exit(0 if fit else FAILED)


def _words(command: list[str]) -> list[str]:
    """Return the words of a command that may have been given in one piece."""
    try:
        return shlex.split(command[0]) if len(command) == 1 else command
    except ValueError as unreadable:
        stop(f"cannot read {command[0]}: {unreadable}")


def _one_of_each_family() -> list[str]:
    """Return the first preset of each family."""
    first: dict[str, str] = {}
    for name, (family, _) in presets().items():
        first.setdefault(family.name, name)
    return list(first.values())


def _check(wanted: tuple[str, ...], clock: str, data: Path | None) -> None:
    unknown = next((name for name in wanted if name not in presets()), None)
    if unknown is not None:
        stop(f"unknown preset {unknown}; there are {', '.join(presets())}")
    timed = [name for name, profile in PROFILES.items() if profile.timed]
    if clock not in timed:
        stop(f"unknown clock {clock}; there are {', '.join(timed)}")
    if data is not None and data.exists() and (not data.is_dir() or any(data.iterdir())):
        stop(f"{data} is there already; name a new folder")


@contextlib.contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        try:
            data.mkdir(parents=True, exist_ok=True)
        except OSError as refused:
            stop(f"{data} cannot be written to: {refused.strerror}; choose another folder with --data")
        yield data.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="rummyref-doctor-") as folder:
        yield Path(folder)


def _show(command: list[str], found: "list[Finding]", *, fit: bool, as_json: bool) -> None:
    from rich.console import Console  # noqa: PLC0415 - takes longer to load than most commands run
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if as_json:
        checks = [
            {
                "check": each.check,
                "preset": each.preset,
                "outcome": each.outcome.value,
                "found": each.found,
                "figures": dict(each.figures),
            }
            for each in found
        ]
        sys.stdout.write(json.dumps({"command": command, "fit": fit, "checks": checks}, indent=2) + "\n")
        return
    table = Table(title=Text(shlex.join(command)), title_justify="left")
    for heading in ("check", "rules", "outcome", "found"):
        table.add_column(heading, overflow="fold")
    for each in found:
        style = _STYLES[each.outcome.value]
        table.add_row(each.check, each.preset or "–", Text(each.outcome.value, style=style), Text(each.found))
    Console().print(table)
