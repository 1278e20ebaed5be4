"""`rummyref ladder verify`: check the record of a ladder with nothing but the files."""

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from clients.cli.exits import BAD_INPUT, DONE, FAILED
from clients.cli.options import AsJson
from clients.cli.replay_files import counted, opened, plain, problem_of
from engine.record.audit import Verdict, audit
from engine.record.chain import lines_in
from engine.record.entries import Reveal, SetProof
from engine.record.ladder import LadderTable, Outcome
from engine.record.ladder_audit import LadderVerdict, audit_ladder
from engine.record.replay import SUFFIX, ReplayLine
from engine.record.terms import MatchFound

LADDER_LIMIT: Final = 4 << 30
"""Bytes that the record of a ladder may have: millions of tables."""


def ladder_verify(
    files: Annotated[list[Path], typer.Argument(help="Records of ladders.")],
    replays: Annotated[
        Path | None, typer.Option(help="Folder of the replays; else `replays` beside a record's.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Public key, or a file of it, that must have signed them.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Check ladders: every deal bound before it was played, every table accounted for, every match replayed."""
    from clients.cli.signatures import read_public_key  # noqa: PLC0415 - nothing else needs cryptography

    wanted = None if key is None else read_public_key(key)
    told, codes = [], [DONE]
    for file in files:
        verdict = _verdict(file, replays or file.resolve().parent.parent / "replays")
        signed = wanted is None or verdict.signer == wanted
        codes.append(BAD_INPUT if not verdict.readable else DONE if verdict.ok and signed else FAILED)
        if as_json:
            told.append(_as_json(file, verdict, signed=signed))
        elif verdict.readable:
            sys.stdout.write(f"{file}: {_said(verdict, signed=signed)}\n")
        else:
            entry = "" if verdict.bad_entry is None else f"entry {verdict.bad_entry}: "
            sys.stderr.write(f"rummyref: {file}: {entry}{plain(verdict.problem)}\n")
    if as_json:
        sys.stdout.write(json.dumps(told) + "\n")
    raise typer.Exit(max(codes))


def _verdict(file: Path, folder: Path) -> LadderVerdict:
    """Return the verdict on the record in *file*, whose replays are in *folder*."""
    from clients.cli.signatures import is_signed  # noqa: PLC0415

    def check_match(table: LadderTable, proof: SetProof) -> MatchFound:
        return _match_found(folder / f"{table.match_id}{SUFFIX}", table, proof)

    try:
        with file.open("rb") as raw:
            return audit_ladder(lines_in(raw, LADDER_LIMIT), check_match, is_signed)
    except OSError as missing:
        return LadderVerdict("", 0, {}, 0, 0, ended=False, problem=problem_of(missing), readable=False)


def _match_found(file: Path, table: LadderTable, proof: SetProof) -> MatchFound:
    """Return what the replay of *table* is."""
    if not table.head and not file.exists():
        return MatchFound()  # void before its replay could be written
    from clients.cli.signatures import is_signed  # noqa: PLC0415

    try:
        with opened(file) as lines:
            verdict = audit(lines, is_signed)
    except OSError:
        return MatchFound(f"its replay is missing: there is no {file}")
    if verdict.last is None:
        return MatchFound(f"entry {verdict.bad_entry} of its replay: {verdict.problem}")
    shown = verdict.last.entry
    reveal = shown if isinstance(shown, Reveal) else None
    return MatchFound(_mismatch(verdict, verdict.last, table, proof), verdict.played, verdict.header, reveal)


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
    still = "" if verdict.ended else f"; not over: {counted(verdict.open_tables, 'table')} still sealed"
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
