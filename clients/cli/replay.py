"""`rummyref replay`: read and check replays, with nothing but the files."""

import json
import sys
from pathlib import Path
from typing import Annotated, NamedTuple, TextIO

import typer

from clients.cli.exits import BAD_INPUT, FAILED, stop
from clients.cli.options import AsJson
from engine.record.audit import Verdict, audit
from engine.record.entries import Header, Result, to_json
from engine.record.replay import SUFFIX, ReplayError, read

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
        sys.stdout.write(f"{row.file}  {row.preset}  {seats}\n")


class _Summary(NamedTuple):
    file: str
    match: str
    preset: str
    seats: tuple[str, ...]
    totals: tuple[int, ...]


def _summary(path: Path) -> _Summary:
    summary = _Summary(str(path), "", "unreadable", (), ())
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for line in read(lines):
                if isinstance(line.entry, Header):
                    header = line.entry
                    summary = _Summary(str(path), header.match_id, header.preset, header.seats, ())
                elif isinstance(line.entry, Result):
                    summary = summary._replace(totals=line.entry.totals)
    except (ReplayError, UnicodeDecodeError):
        return _Summary(str(path), "", "unreadable", (), ())
    return summary


@app.command("show")
def show(file: Annotated[Path, typer.Argument(help="A replay.")], as_json: AsJson = False) -> None:  # noqa: FBT002
    """Print the entries of a replay."""
    try:
        with _opened(file) as lines:
            for line in read(lines):
                data = to_json(line.entry)
                if as_json:
                    sys.stdout.write(json.dumps(data) + "\n")
                else:
                    kind = data.pop("kind")
                    rest = "  ".join(f"{key}={value}" for key, value in data.items())
                    sys.stdout.write(f"{line.number:5}  {kind}  {rest}\n")
    except (ReplayError, UnicodeDecodeError) as bad:
        stop(f"{file}: {bad}", FAILED)


@app.command("verify")
def verify(
    files: Annotated[list[Path], typer.Argument(help="Replays.")],
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Re-execute replays and check deal, plays, clocks, scores and chain."""
    verdicts: list[tuple[Path, Verdict]] = []
    for file in files:
        with _opened(file) as lines:
            verdicts.append((file, audit(lines)))
    if as_json:
        sys.stdout.write(json.dumps([_verdict_json(*item) for item in verdicts]) + "\n")
    else:
        for file, verdict in verdicts:
            said = f"ok, {verdict.entries} entries, {verdict.rounds} rounds" if verdict.ok else (
                f"BAD at entry {verdict.bad_entry}: {verdict.problem}"
            )  # fmt: skip
            sys.stdout.write(f"{file}: {said}\n")
    raise typer.Exit(0 if all(verdict.ok for _, verdict in verdicts) else FAILED)


def _verdict_json(file: Path, verdict: Verdict) -> dict[str, object]:
    return {
        "file": str(file),
        "match": verdict.match_id,
        "ok": verdict.ok,
        "entries": verdict.entries,
        "rounds": verdict.rounds,
        "bad_entry": verdict.bad_entry,
        "problem": verdict.problem,
    }


def _opened(file: Path) -> TextIO:
    try:
        return file.open(encoding="utf-8", errors="surrogateescape", newline="")
    except OSError as missing:
        stop(f"{file}: {missing.strerror}", BAD_INPUT)
