"""Records of ladders made anew, seals and all, by somebody who wants another ladder to have been played."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.record.canonical import Json
from engine.record.chain import write
from engine.record.deal import Batch, nonce_hash
from engine.record.entries import Header, Reveal
from engine.record.ladder import (
    Absence,
    BatchBound,
    BatchDealt,
    BatchOpened,
    BatchVoid,
    DealClosed,
    EntrantWithdrawn,
    FixtureOpened,
    LadderBegun,
    LadderEnded,
    LadderEntry,
    LadderTable,
    Outcome,
    ladder_bytes,
    seal,
)
from engine.record.ladder_audit import LadderVerdict, audit_ladder
from engine.record.terms import MatchFound, drawn_tables
from engine.rules.registry import rule_set
from engine.rules.ruleset import RULES_VERSION
from tests.cli.command import rummyref

BATCH = Batch(0, tuple(bytes([number]) * 32 for number in range(4)))
NONCES = {"a": bytes([1]) * 32, "b": bytes([2]) * 32}
OPTIONS: dict[str, int | str | bool] = dict(rule_set("remi", {"players": 2, "rounds": 1}).options)
PLAYED = MatchFound(played=True)


class Closed(NamedTuple):
    """A deal that is over, before its tables are sealed.

    Attributes:
        deal: Its number.
        outcome: What came of it.
        set_number: The set that it was for.
        tables: Tables, None for as many as are drawn.
        cause: Why it is void.
    """

    deal: int
    outcome: Outcome
    set_number: int
    tables: tuple[LadderTable, ...] | None = None
    cause: str = ""


def begun(**terms: Json) -> LadderBegun:
    """Return the first entry of a ladder of two sets, with other *terms* as they are given."""
    told: dict[str, Json] = {
        "preset": "remi", "options": dict(OPTIONS), "clock": "standard", "design": "rotation", "tables": 2, "sets": 2,
        "relabel_suits": True, "entrants": ["a", "b"], "owners": {"a": "a", "b": "b"}, "policy": {"strikes": 3},
        **terms,
    }  # fmt: skip
    return LadderBegun("test", told, "2026-11-30T00:00:00Z", "test")


def seed(deal: int) -> bytes:
    """Return the seed of a deal."""
    return BATCH.seed(deal, tuple(NONCES.values()))


def drawn(deal: int) -> tuple[LadderTable, ...]:
    """Return the two tables that play a deal."""
    seats = drawn_tables("ab", seed(deal), 2, 2, is_rotation=True)
    return tuple(LadderTable(table, f"t-{deal}-{table}", seats[table], "00" * 32) for table in range(2))


HONEST = (
    Closed(0, Outcome.VOID, 0, drawn(0)[:1], "referee_fault"),
    Closed(1, Outcome.PLAYED, 1),
    Closed(2, Outcome.PLAYED, 0),
    Closed(3, Outcome.UNUSED, -1, ()),
)


def record(deals: Sequence[Closed] = HONEST, first: LadderBegun | None = None) -> list[LadderEntry]:
    """Return the record of a ladder in which *deals* ended in that order, every seal as it must be."""
    hashes = {name: nonce_hash(nonce).hex() for name, nonce in NONCES.items()}
    opened, closed = list[LadderEntry](), list[LadderEntry]()
    for deal, outcome, set_number, given, cause in deals:
        tables = drawn(deal) if given is None else given
        opened += [FixtureOpened(seal(seed(deal), deal, set_number, table)) for table in tables]
        closed.append(DealClosed(outcome, cause, set_number, tables, BATCH.proof(deal, tuple(NONCES.values()))))
    return [
        first or begun(), BatchOpened("b", 0, len(BATCH.secrets), BATCH.root.hex()), BatchBound("b", hashes),
        BatchDealt("b", {name: nonce.hex() for name, nonce in NONCES.items()}), *opened, *closed,
        LadderEnded(sum(closed.outcome is Outcome.PLAYED for closed in deals)),
    ]  # fmt: skip


def audited(
    entries: Sequence[LadderEntry], found: Callable[[LadderTable], MatchFound] = lambda _: PLAYED
) -> LadderVerdict:
    """Return what an audit says of *entries*, chained anew, whose replays are as *found*."""
    return audit_ladder(write(map(ladder_bytes, entries)), lambda table, _proof: found(table))


def changed(deal: int, **fields: object) -> list[LadderEntry]:
    """Return the record with other *fields* of one deal."""
    deals = [replace_in(closed, **fields) if closed.deal == deal else closed for closed in HONEST]
    return record(deals)


def replace_in(closed: Closed, **fields: object) -> Closed:
    """Return *closed* with other *fields*."""
    return closed._replace(**fields)  # type: ignore[arg-type]


def test_the_honest_record_is_sound() -> None:
    """A set that was void and played again, one played at once, a deal that was not needed."""
    verdict = audited(record())
    assert (verdict.problem, verdict.ended, verdict.tables) == ("", True, 5)


one, other = drawn(1)
FORGED: dict[str, tuple[list[LadderEntry], str]] = {
    "a match left out": (changed(1, tables=(one,)), "a set has tables 0 to 1, not 0"),
    "the first match left out": (changed(1, tables=(other,)), "a set has tables 0 to 1, not 1"),
    "matches in another order": (changed(1, tables=(other, one)), "a set has tables 0 to 1, not 1, 0"),
    "a match twice": (changed(1, tables=(one, one)), "this table was opened before"),
    "seats exchanged": (changed(1, tables=(replace(one, seats=one.seats[::-1]), other)), "at table 0 sat"),
    "both tables exchanged": (
        changed(1, tables=(replace(one, seats=other.seats), replace(other, seats=one.seats))), "at table 0 sat",
    ),
    "a stranger": (changed(1, tables=(replace(one, seats=("a", "c")), other)), "c is no entrant"),
    "a match without its head": (changed(1, tables=(replace(one, head=""), other)), "it was not played to its end"),
    "an id that leads out of the folder": (
        changed(1, tables=(replace(one, match_id="../t-1-0"), other)), "../t-1-0 is no id of a match",
    ),
    "an id that no file can have": (changed(1, tables=(replace(one, match_id="t\0"), other)), "is no id of a match"),
    "a set that was played is void": (
        changed(1, outcome=Outcome.VOID, cause="referee_fault"), "is void and every table was played to its end",
    ),
    "a set void for no fault": (changed(0, cause="bad luck"), "a deal is void for no such cause: bad luck"),
    "a set played with a cause": (changed(1, cause="referee_fault"), "a deal is played for no such cause"),
    "sets exchanged": (
        record([HONEST[0], replace_in(HONEST[1], set_number=0), replace_in(HONEST[2], set_number=1)]),
        "set 0 plays deal 2",
    ),
    "a deal that was chosen": (record([replace_in(HONEST[2], set_number=1)]), "set 1 plays deal 1"),
    "a deal of its own number again": (record([HONEST[0], Closed(0, Outcome.PLAYED, 0)]), "opened before"),
    "a set more": (record([*HONEST[:3], Closed(3, Outcome.PLAYED, 3)]), "there is no set 3"),
    "terms without rules": (record(first=LadderBegun("test", {}, "", "")), "the terms: key design is missing"),
    "another design": (record(first=begun(design="bridge")), "a set has 4 entrants, not 2"),
    "another number of tables": (record(first=begun(tables=3)), "no ladder has 2 sets of 3"),
    "more tables than there are": (record(first=begun(design="bridge", tables=10**15)), "no ladder has 2 sets of 1000"),
    "more seats than there are": (
        record(first=begun(tables=10**15, options={**OPTIONS, "players": 10**15})), "no ladder has 2 sets of 10000",
    ),
    "nobody at two tables": (
        record(
            [Closed(0, Outcome.PLAYED, 0, tuple(replace(table, seats=()) for table in drawn(0)))],
            begun(design="bridge", options={}),
        ),
        "the terms: no ladder has",
    ),
    "one owner": (record(first=begun(owners={"a": "x", "b": "x"})), "two entrants of one owner"),
    "other entrants": (record(first=begun(entrants=["a", "c"])), "not every entrant has an owner"),
    "a nonce of nobody's": (record(first=begun(entrants=["a"], owners={"a": "a"})), "b is no entrant"),
    "more bad rounds than rounds": (
        [*record()[:4], EntrantWithdrawn("b", Absence.MISCONDUCT, 2, 1, 2), *record()[4:]], "2 of 1 rounds were bad",
    ),
    "a batch void by nobody": (
        [*record()[:3], BatchVoid("b", "nonce_not_opened", "", tuple(secret.hex() for secret in BATCH.secrets))],
        "a batch is void by a nonce",
    ),
    "a batch void by the wrong one": (
        [*record()[:2], BatchVoid("b", "nonce_not_opened", "a", tuple(secret.hex() for secret in BATCH.secrets))],
        "a batch is void by a nonce",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_another_ladder_is_found(name: str) -> None:
    """Whatever was left out, exchanged, chosen or called otherwise: the entry that says so is blamed."""
    entries, problem = FORGED[name]
    verdict = audited(entries)
    assert problem in verdict.problem, verdict
    assert verdict.readable


def header(**fields: object) -> Header:
    """Return the header of a match by the terms, with other *fields* as they are given."""
    due = Header(
        "t-1-0", "remi", dict(OPTIONS), one.seats, "standard", "minimal", 3, "", "set", RULES_VERSION, "", "test"
    )  # fmt: skip
    return replace(due, **fields)  # type: ignore[arg-type]


OTHER_RULES: list[dict[str, object]] = [
    {"preset": "remi-jokers"}, {"options": {**OPTIONS, "rounds": 2}}, {"clock": "bullet"}, {"stand_in": "greedy"},
    {"strikes": 0},
]  # fmt: skip


@pytest.mark.parametrize("fields", OTHER_RULES, ids=str)
def test_a_match_by_other_rules_than_the_ladders_is_found(fields: dict[str, object]) -> None:
    """Sound as its replay is: rules, options, clock, stand-in and strikes are those of the terms."""
    reveal = Reveal("", 0, relabelled=True)
    assert audited(record(), lambda _: MatchFound("", True, header(), reveal)).problem == ""
    (name,) = fields
    assert f"its {name} is" in audited(record(), lambda _: MatchFound("", True, header(**fields), reveal)).problem
    plain = replace(reveal, relabelled=False)
    assert "its relabelled is" in audited(record(), lambda _: MatchFound("", True, header(), plain)).problem


def test_a_match_that_was_not_played_to_its_end_counts_in_no_set() -> None:
    """A replay that is void, in the place of one with a result."""
    verdict = audited(record(), lambda table: PLAYED._replace(played=table.match_id != "t-2-1"))
    assert verdict.problem == "match t-2-1: it was not played to its end"


def test_no_id_makes_the_command_fail(tmp_path: Path) -> None:
    """Ids that lead elsewhere or that no file can have are one line and exit code 1."""
    files = list[Path]()
    for match_id in ("../x", "/dev/zero", "t\0", "t\n", "x" * 5_000, "", "t-\ud7ff"):
        files.append(tmp_path / f"{len(files)}.ladder.jsonl")
        forged = record([Closed(0, Outcome.PLAYED, 0, tuple(replace(table, match_id=match_id) for table in drawn(0)))])
        files[-1].write_text("".join(write(map(ladder_bytes, forged))), "utf-8")
    ran = rummyref("ladder", "verify", *map(str, files))
    assert (ran.returncode, ran.stderr, len(ran.stdout.splitlines())) == (1, "", len(files)), ran
    assert ran.stdout.count("is no id of a match") >= len(files) - 1  # one is too long to be told to its end
