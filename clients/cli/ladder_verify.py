"""`rummyref ladder verify`: check the record of a ladder with nothing but the files."""

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from clients.cli.exits import BAD_INPUT, FAILED
from clients.cli.options import AsJson
from clients.cli.replay_files import opened, plain, problem_of
from engine.record.audit import Verdict, audit
from engine.record.chain import lines_in
from engine.record.entries import Reveal, SetProof
from engine.record.ladder import LadderTable, Outcome
from engine.record.ladder_audit import LadderVerdict, audit_ladder
from engine.record.replay import SUFFIX, ReplayLine

LADDER_LIMIT: Final = 4 << 30
"""Bytes that the record of a ladder may have: millions of tables."""


def ladder_verify(
    file: Annotated[Path, typer.Argument(help="The record of a ladder.")],
    replays: Annotated[Path | None, typer.Option(help="Folder of its replays; else `replays` beside its own.")] = None,
    key: Annotated[str | None, typer.Option(help="Public key, or a file of it, that must have signed it.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Check a ladder: every deal bound before it was played, every table accounted for, every match replayed."""
    from clients.cli.signatures import is_signed, read_public_key  # noqa: PLC0415 - nothing else needs cryptography

    wanted = None if key is None else read_public_key(key)
    folder = replays or file.resolve().parent.parent / "replays"

    def check_match(table: LadderTable, proof: SetProof) -> str:
        return _match_problem(folder / f"{table.match_id}{SUFFIX}", table, proof)

    try:
        with file.open("rb") as raw:
            verdict = audit_ladder(lines_in(raw, LADDER_LIMIT), check_match, is_signed)
    except OSError as missing:
        sys.stderr.write(f"rummyref: {file}: {problem_of(missing)}\n")
        raise typer.Exit(BAD_INPUT) from missing
    signed = wanted is None or verdict.signer == wanted
    if as_json:
        sys.stdout.write(json.dumps(_as_json(file, verdict, signed=signed)) + "\n")
    elif verdict.readable:
        sys.stdout.write(f"{file}: {_said(verdict, signed=signed)}\n")
    else:
        sys.stderr.write(f"rummyref: {file}: entry {verdict.bad_entry}: {plain(verdict.problem)}\n")
    raise typer.Exit(BAD_INPUT if not verdict.readable else 0 if verdict.ok and signed else FAILED)


def _match_problem(file: Path, table: LadderTable, proof: SetProof) -> str:
    """Return what is wrong with the replay of *table*, or nothing."""
    if not table.head and not file.exists():
        return ""  # void before its replay could be written
    from clients.cli.signatures import is_signed  # noqa: PLC0415

    try:
        with opened(file) as lines:
            verdict = audit(lines, is_signed)
    except OSError:
        return f"its replay is missing: there is no {file}"
    if verdict.last is None:
        return f"entry {verdict.bad_entry} of its replay: {verdict.problem}"
    return _mismatch(verdict, verdict.last, table, proof)


def _mismatch(verdict: Verdict, last: ReplayLine, table: LadderTable, proof: SetProof) -> str:
    """Return where a sound replay is not the one that the ladder tells of, or nothing."""
    if table.head and last.head.hex() != table.head:
        return f"its replay ends with head {last.head.hex()}, the ladder says {table.head}"
    if verdict.match_id != table.match_id or verdict.seats != table.seats:
        return "its replay is of another table"
    shown = last.entry
    same = isinstance(shown, Reveal) and shown.proof == proof and shown.table == table.table
    return "" if same else "its replay shows another deal"


def _said(verdict: LadderVerdict, *, signed: bool) -> str:
    if not verdict.ok:
        return f"BAD at entry {verdict.bad_entry}: {plain(verdict.problem)}"
    if not signed:
        return f"BAD: signed by {verdict.signer or 'nobody'}"
    deals = ", ".join(f"{count} {outcome.value}" for outcome, count in verdict.outcomes.items())
    still = "" if verdict.ended else f"; not over: {verdict.open_tables} tables are sealed"
    signer = f"signed by {verdict.signer[:16]}…" if verdict.signer else "not signed"
    return f"ok, deals {deals}; {verdict.tables} matches replayed{still}; {signer}"


def _as_json(file: Path, verdict: LadderVerdict, *, signed: bool) -> dict[str, object]:
    return {
        "file": str(file),
        "ladder": verdict.ladder,
        "ok": verdict.ok and signed,
        "readable": verdict.readable,
        "entries": verdict.entries,
        "deals": {outcome.value: verdict.outcomes.get(outcome, 0) for outcome in Outcome},
        "tables": verdict.tables,
        "open_tables": verdict.open_tables,
        "ended": verdict.ended,
        "bad_entry": verdict.bad_entry,
        "problem": verdict.problem,
        "signer": verdict.signer,
    }
