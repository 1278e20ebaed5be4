"""The record of a ladder: which deals it bound itself to, which tables it opened, and what came of each deal.

An entry a deal and a table, chained as a replay is, so that a match left out
shows. Tables are sealed until their deal is over: nobody can tell before which of
them play the same cards. Audience: the referee; everybody once the ladder is exported.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from hashlib import sha256
from typing import Final

from engine.record.canonical import Json, canonical
from engine.record.entries import SetProof
from engine.record.entry_json import proof_from_json, proof_to_json
from engine.record.fields import EntryError, Fields

LADDER_FORMAT: Final = 1
"""Version of the entries of a ladder's record."""

LADDER_SUFFIX: Final = ".ladder.jsonl"
_SEAL: Final = b"rummyref fixture 1"


@unique
class Outcome(Enum):
    """What came of a deal."""

    PLAYED = "played"
    VOID = "void"
    UNUSED = "unused"


@unique
class Absence(Enum):
    """Why an entrant is withdrawn: too many bad rounds, a failed trial, or its owner's or the organiser's word."""

    MISCONDUCT = "misconduct"
    TRIAL = "trial"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class LadderBegun:
    """The first entry.

    Attributes:
        ladder: Name of the ladder.
        terms: What it was begun with: rules, options, entrants, design and the like.
        wall: Wall-clock start, `_wall` in the entry.
        referee: Version of the referee, `_referee` in the entry.
    """

    ladder: str
    terms: Mapping[str, Json]
    wall: str
    referee: str


@dataclass(frozen=True, slots=True)
class BatchOpened:
    """The secrets of consecutive deals are bound, before anybody's nonce.

    Attributes:
        batch: Id of the batch.
        first: Number of its first deal.
        size: Deals in it.
        root: Hex of what is published of them.
    """

    batch: str
    first: int
    size: int
    root: str


@dataclass(frozen=True, slots=True)
class BatchBound:
    """What the entrants that take part have bound themselves to.

    Attributes:
        batch: Id of the batch.
        hashes: Hex of the hash of its nonce, by entrant.
    """

    batch: str
    hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BatchDealt:
    """All that the deals of a batch depend on is there.

    Attributes:
        batch: Id of the batch.
        nonces: Hex of its nonce, by entrant; they count in the order of the names.
    """

    batch: str
    nonces: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BatchVoid:
    """No deal of a batch will be played; another batch has the same numbers.

    Attributes:
        batch: Id of the batch.
        cause: Why.
        culprit: Entrant that is to blame, empty for the referee.
        secrets: Hex of the secret of each deal.
    """

    batch: str
    cause: str
    culprit: str
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FixtureOpened:
    """A table was opened.

    Attributes:
        seal: Hex of `seal` over what it is, which the entry of its deal shows.
    """

    seal: str


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table of a deal.

    Attributes:
        table: Number of the table in its set, from 0.
        match_id: Id of its match.
        seats: Entrants by seat.
        head: Hex of the last head of the match's record, its reveal included; empty if it was never dealt.
    """

    table: int
    match_id: str
    seats: tuple[str, ...]
    head: str


@dataclass(frozen=True, slots=True)
class DealClosed:
    """A deal is over, and nothing secret depends on it any more.

    Attributes:
        outcome: What came of it.
        cause: Why it is void; empty otherwise.
        set_number: The set that it was for, from 0; -1 for an unused one.
        tables: Its tables, by number.
        proof: Where its seed comes from.
    """

    outcome: Outcome
    cause: str
    set_number: int
    tables: tuple[LadderTable, ...]
    proof: SetProof


@dataclass(frozen=True, slots=True)
class EntrantTried:
    """How the trial of an entrant ended, as far as the ladder knew.

    Attributes:
        entrant: Who.
        problem: What was wrong, in words; empty for one that may be ranked.
        matches: Ids of the matches it played; they count for nothing, and their replays stand beside the others.
    """

    entrant: str
    problem: str
    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntrantWithdrawn:
    """An entrant plays no further sets until it returns.

    Attributes:
        entrant: Who.
        cause: Why.
        set_number: The first set that it is left out of.
        rounds: Its rounds since it was last let in, in the sets judged so far.
        bad: Those of them that were bad.
    """

    entrant: str
    cause: Absence
    set_number: int
    rounds: int
    bad: int


@dataclass(frozen=True, slots=True)
class EntrantReturned:
    """A withdrawn entrant plays again.

    Attributes:
        entrant: Who.
        set_number: The first set that it may be in.
    """

    entrant: str
    set_number: int


@dataclass(frozen=True, slots=True)
class LadderEnded:
    """Nothing more is played.

    Attributes:
        sets: Sets played.
    """

    sets: int


LadderEntry = (
    LadderBegun | BatchOpened | BatchBound | BatchDealt | BatchVoid | FixtureOpened | DealClosed
    | EntrantTried | EntrantWithdrawn | EntrantReturned | LadderEnded
)  # fmt: skip


def seal(seed: bytes, deal: int, set_number: int, table: LadderTable) -> str:
    """Return what hides *table* of *deal*, played for a set, until its *seed* is shown, in hex."""
    what: Json = {
        "deal": deal, "set": set_number, "table": table.table, "match": table.match_id, "seats": list(table.seats),
    }  # fmt: skip
    return sha256(_SEAL + seed + canonical(what)).hexdigest()


def ladder_bytes(entry: LadderEntry) -> bytes:
    """Return the canonical bytes of *entry*."""
    return canonical(ladder_to_json(entry))


def ladder_to_json(entry: LadderEntry) -> dict[str, Json]:
    """Return the JSON form of *entry*."""
    match entry:
        case LadderBegun(ladder, terms, wall, referee):
            return {
                "kind": "ladder", "format": LADDER_FORMAT, "ladder": ladder, "terms": dict(terms),
                "_wall": wall, "_referee": referee,
            }  # fmt: skip
        case BatchOpened(batch, first, size, root):
            return {"kind": "batch", "batch": batch, "first": first, "size": size, "root": root}
        case BatchBound(batch, hashes):
            return {"kind": "hashes", "batch": batch, "hashes": dict(hashes)}
        case BatchDealt(batch, nonces):
            return {"kind": "nonces", "batch": batch, "nonces": dict(nonces)}
        case BatchVoid(batch, cause, culprit, secrets):
            return {
                "kind": "batch_void", "batch": batch, "cause": cause, "culprit": culprit, "secrets": list(secrets),
            }  # fmt: skip
        case FixtureOpened(sealed):
            return {"kind": "fixture", "seal": sealed}
        case DealClosed(outcome, cause, set_number, tables, proof):
            return {
                "kind": "deal", "outcome": outcome.value, "cause": cause, "set": set_number,
                "tables": [_table_to_json(table) for table in tables], "proof": proof_to_json(proof),
            }  # fmt: skip
        case EntrantTried(entrant, problem, matches):
            return {"kind": "trial", "entrant": entrant, "problem": problem, "matches": list(matches)}
        case EntrantWithdrawn(entrant, why, set_number, rounds, bad):
            return {
                "kind": "withdrawn", "entrant": entrant, "cause": why.value, "set": set_number,
                "rounds": rounds, "bad": bad,
            }  # fmt: skip
        case EntrantReturned(entrant, set_number):
            return {"kind": "returned", "entrant": entrant, "set": set_number}
        case LadderEnded(sets):
            return {"kind": "end", "sets": sets}


def _table_to_json(table: LadderTable) -> Json:
    return {"table": table.table, "match": table.match_id, "seats": list(table.seats), "head": table.head}


def _read_begun(fields: Fields) -> LadderBegun:
    if fields.number("format") != LADDER_FORMAT:
        raise EntryError(f"format {fields.number('format')} is not read by this version; it reads {LADDER_FORMAT}")
    return LadderBegun(
        fields.text("ladder"), fields.object("terms"), fields.text("_wall"), fields.text("_referee")
    )  # fmt: skip


def _read_closed(fields: Fields) -> DealClosed:
    tables = []
    for item in fields.items("tables"):
        if not isinstance(item, dict):
            raise EntryError("a table is not an object")
        of = Fields(item, set())
        tables.append(LadderTable(of.number("table"), of.text("match"), of.texts("seats"), of.text("head")))
        of.need_no_more()
    try:
        outcome = Outcome(fields.text("outcome"))
    except ValueError as unknown:
        raise EntryError(f"unknown outcome {fields.text('outcome')}") from unknown
    return DealClosed(
        outcome, fields.text("cause"), fields.number("set"), tuple(tables), proof_from_json(fields.object("proof"))
    )


def _read_withdrawn(fields: Fields) -> EntrantWithdrawn:
    try:
        cause = Absence(fields.text("cause"))
    except ValueError as unknown:
        raise EntryError(f"unknown cause {fields.text('cause')}") from unknown
    return EntrantWithdrawn(
        fields.text("entrant"), cause, fields.number("set"), fields.number("rounds"), fields.number("bad")
    )  # fmt: skip


_READERS: Final[dict[str, Callable[[Fields], LadderEntry]]] = {
    "ladder": _read_begun,
    "batch": lambda of: BatchOpened(of.text("batch"), of.number("first"), of.number("size"), of.text("root")),
    "hashes": lambda of: BatchBound(of.text("batch"), of.texts_by_name("hashes")),
    "nonces": lambda of: BatchDealt(of.text("batch"), of.texts_by_name("nonces")),
    "batch_void": lambda of: BatchVoid(
        of.text("batch"), of.text("cause"), of.text("culprit"), of.texts("secrets")
    ),
    "fixture": lambda of: FixtureOpened(of.text("seal")),
    "deal": _read_closed,
    "trial": lambda of: EntrantTried(of.text("entrant"), of.text("problem"), of.texts("matches")),
    "withdrawn": _read_withdrawn,
    "returned": lambda of: EntrantReturned(of.text("entrant"), of.number("set")),
    "end": lambda of: LadderEnded(of.number("sets")),
}  # fmt: skip


def ladder_from_json(value: Json) -> LadderEntry:
    """Return the entry that *value* is the JSON form of.

    Raises:
        EntryError: It is none, or has a key that this version does not know.
    """
    if not isinstance(value, dict):
        raise EntryError("an entry is a JSON object")
    kind = value.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise EntryError(f"unknown kind of entry {kind}")
    fields = Fields(value)
    entry = reader(fields)
    fields.need_no_more()
    return entry
