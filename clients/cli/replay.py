"""`rummyref replay`: read and check replays, with nothing but the files."""

import json
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from clients.cli.exits import BAD_INPUT, FAILED, stop
from clients.cli.options import AsJson
from clients.cli.replay_diff import difference, difference_json, difference_lines
from clients.cli.replay_files import counted, entries, opened, plain, problem_of, whole
from clients.cli.replay_show import (
    Moment,
    Viewer,
    moment_json,
    moment_lines,
    moments_of,
    position_json,
    position_lines,
    viewer_of,
)  # fmt: skip
from clients.cli.replay_text import names_of
from engine.record.audit import Step, Verdict, audit
from engine.record.chain import ReplayError, SignedEnd
from engine.record.entries import Header, Result
from engine.record.entry_json import to_json
from engine.record.replay import SUFFIX, read
from engine.record.signature import Check
from engine.scenario.printer import print_position

app = typer.Typer(no_args_is_help=True, help="List, show and check replays.")
Data = Annotated[Path, typer.Option("--data", help="Folder with replays/.")]


@app.command("list")
def list_replays(data: Data = Path("rummyref-data"), as_json: AsJson = False) -> None:  # noqa: FBT002
    """List the replays of a data folder."""
    folder = data / "replays"
    if not folder.is_dir():
        stop(f"{folder} is no folder; play something with --data {data} first")
    rows = [_summary(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    if as_json:
        sys.stdout.write(json.dumps([row._asdict() for row in rows]) + "\n")
        return
    for row in rows:
        seats = "  ".join(f"{name} {total:+d}" for name, total in zip(row.seats, row.totals, strict=False))
        sys.stdout.write(f"{row.file}  {plain(f'{row.preset}  {seats}')}\n")


class _Summary(NamedTuple):
    file: str
    match: str
    preset: str
    seats: tuple[str, ...]
    totals: tuple[int, ...]


def _summary(path: Path) -> _Summary:
    summary = _Summary(str(path), "", "unreadable", (), ())
    try:
        with opened(path) as lines:
            for line in read(lines):
                if isinstance(line, SignedEnd):
                    break
                if isinstance(line.entry, Header):
                    header = line.entry
                    summary = _Summary(str(path), header.match_id, header.preset, header.seats, ())
                elif isinstance(line.entry, Result):
                    summary = summary._replace(totals=line.entry.totals)
    except (ReplayError, OSError):
        return _Summary(str(path), "", "unreadable", (), ())
    return summary


@app.command("show")
def show(
    file: Annotated[Path, typer.Argument(help="A replay.")],
    seat: Annotated[int | None, typer.Option("--seat", help="As this seat saw it, from 0.")] = None,
    public: Annotated[bool, typer.Option("--public", help="As a spectator saw it.")] = False,  # noqa: FBT002
    at: Annotated[int | None, typer.Option("--at", metavar="N", help="Only the position after entry N.")] = None,
    scenario: Annotated[bool, typer.Option("--scenario", help="The position as a scenario.")] = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Step through a replay: as one seat or a spectator saw it, or all of it."""
    if (public and seat is not None) or (scenario and (public or seat is not None or as_json)):
        stop("--seat, --public and --scenario exclude each other, and a scenario is no JSON")
    steps = whole(file)
    first = next(steps, None)
    if first is None and (scenario or at is not None):
        stop(f"{file}: the match was void before its deal and has no position; leave out --at and --scenario")
    players = len(first.state.header.seats if first else _header(file).seats)
    if seat is not None and not 0 <= seat < players:
        stop(f"seat {seat} does not exist; there are 0 to {players - 1}")
    viewer = viewer_of(seat, players, public=public)
    checked = chain([first], steps) if first else iter(())
    if scenario:
        sys.stdout.write(_scenario(file, checked, at))
    elif at is not None:
        _show_position(_step_at(file, checked, at), viewer, as_json=as_json)
    elif first:
        _show_moments(moments_of(checked), viewer, as_json=as_json)
    else:
        _show_moments((Moment(line.number, line.entry) for line in entries(file)), viewer, as_json=as_json)


def _header(file: Path) -> Header:
    """Return the header of a replay that is sound."""
    return next(line.entry for line in entries(file) if isinstance(line.entry, Header))


def _show_moments(moments: Iterator[Moment], viewer: Viewer, *, as_json: bool) -> None:
    if as_json:
        first = next(moments)
        told = [moment_json(moment, viewer) for moment in chain([first], moments)]
        about = to_json(first.entry)
        sys.stdout.write(json.dumps({"header": about, "viewer": viewer.name, "steps": told}) + "\n")
        return
    for line in moment_lines(moments, viewer):
        sys.stdout.write(f"{line}\n")


def _show_position(step: Step, viewer: Viewer, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"viewer": viewer.name, **position_json(step, viewer)}) + "\n")
        return
    for line in position_lines(step, viewer, names_of(step.state.header)):
        sys.stdout.write(f"{line}\n")


def _step_at(file: Path, steps: Iterator[Step], at: int) -> Step:
    step = next(steps)
    while step.number != at:
        last, following = step.number, next(steps, None)
        if following is None:
            stop(f"{file} has no entry {at}; there are 0 to {last}")
        step = following
    return step


def _scenario(file: Path, steps: Iterator[Step], at: int | None) -> str:
    if at is None:
        step = deque((step for step in steps if step.state.match.over is None), 1)[0]
    else:
        step = _step_at(file, steps, at)
        if step.state.match.over is not None:
            stop(f"the match is over after entry {at}; leave out --at for the last position that was played from")
    seats = ", ".join(f"{number} {name}" for number, name in enumerate(step.state.header.seats))
    about = f"{step.state.header.match_id} after entry {step.number}: {seats}"
    return f"# {plain(about)}\n{print_position(step.state.match)}"


@app.command("diff")
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A replay.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Say where two replays part."""
    found = difference(entries(first), entries(second))
    if as_json:
        sys.stdout.write(json.dumps(difference_json(found)) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in difference_lines(found))
        if found.same:
            sys.stdout.write("the same\n")
    raise typer.Exit(0 if found.same else FAILED)


@app.command("verify")
def verify(
    files: Annotated[list[Path], typer.Argument(help="Replays.")],
    key: Annotated[str | None, typer.Option(help="Public key, or a file of it, that must have signed them.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Re-execute replays and check deal, plays, clocks, scores, chain and signature."""
    from clients.cli.signatures import is_signed, read_public_key  # noqa: PLC0415 - nothing else needs cryptography

    wanted = None if key is None else read_public_key(key)
    verdicts: list[tuple[Path, Verdict]] = []
    for file in files:
        verdict = _signed_by(wanted, _audited(file, is_signed))
        verdicts.append((file, verdict))
        if not as_json:
            out = sys.stdout if verdict.readable else sys.stderr
            out.write(f"{_verdict_line(file, verdict)}\n")
            out.flush()
    if as_json:
        sys.stdout.write(json.dumps([_verdict_json(*item) for item in verdicts]) + "\n")
    readable = all(verdict.readable for _, verdict in verdicts)
    raise typer.Exit(BAD_INPUT if not readable else 0 if all(verdict.ok for _, verdict in verdicts) else FAILED)


def _audited(file: Path, check: Check) -> Verdict:
    try:
        with opened(file) as lines:
            return audit(lines, check)
    except OSError as missing:
        return Verdict("", 0, 0, 0, problem_of(missing), readable=False)


def _signed_by(key: str | None, verdict: Verdict) -> Verdict:
    """Return *verdict*, a bad one if *key* is wanted and is not what the replay is signed with."""
    if key is None or key == verdict.signer or not verdict.ok:
        return verdict
    found = f"signed with key {verdict.signer}" if verdict.signer else "not signed"
    return replace(verdict, bad_entry=verdict.entries, problem=f"{found}, expected {key}")


def _verdict_line(file: Path, verdict: Verdict) -> str:
    if verdict.ok:
        signer = f"signed by {verdict.signer[:16]}…" if verdict.signer else "not signed"
        return f"{file}: ok, {verdict.entries} entries, {counted(verdict.rounds, 'round')}, {signer}"
    problem = plain(verdict.problem)
    if verdict.readable:
        return f"{file}: BAD at entry {verdict.bad_entry}: {problem}"
    return f"rummyref: {file}: entry {verdict.bad_entry}: {problem}"


def _verdict_json(file: Path, verdict: Verdict) -> dict[str, object]:
    return {
        "file": str(file),
        "match": verdict.match_id,
        "ok": verdict.ok,
        "readable": verdict.readable,
        "entries": verdict.entries,
        "rounds": verdict.rounds,
        "bad_entry": verdict.bad_entry,
        "problem": verdict.problem,
        "signer": verdict.signer,
    }
