"""Audit of a ladder: nothing but its record and the replays of its matches.

Checks the chain, that every deal was bound before it was played and is the one
that was played, that every table that was opened is accounted for, and that every
match is the one its replay tells.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.record.chain import ChainLine, Links, ReplayError, SignedEnd, UnreadableError, read_lines
from engine.record.deal import Batch, nonce_hash, nonces_of, proof_problem
from engine.record.entries import SetProof
from engine.record.fields import EntryError
from engine.record.ladder import (
    BatchBound,
    BatchDealt,
    BatchOpened,
    BatchVoid,
    DealClosed,
    EntrantReturned,
    EntrantTried,
    EntrantWithdrawn,
    FixtureOpened,
    LadderBegun,
    LadderEnded,
    LadderEntry,
    LadderTable,
    Outcome,
    ladder_bytes,
    ladder_from_json,
    seal,
)
from engine.record.signature import Check
from engine.record.terms import MatchFound, Terms, match_problem, set_problem, terms_of

CheckMatch = Callable[[LadderTable, SetProof], MatchFound]
"""Says what the replay of a table is, and what is wrong with it."""

_MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a match may be called: never anything that a folder could take for another one."""

_FAULT: Final = "referee_fault"
_NOT_OPENED: Final = "nonce_not_opened"

MOST_DEALS: Final = 1_000_000
"""Deals that a batch may claim."""


@dataclass(frozen=True, slots=True)
class LadderVerdict:
    """What an audit of a ladder found.

    Attributes:
        ladder: Name of the ladder, empty if not even its beginning could be read.
        entries: Entries that are good, up to the first bad one.
        outcomes: How many deals were played, are void and were never used.
        tables: Tables whose deal is over.
        open_tables: Tables that were opened and whose deal is not over.
        ended: Whether the ladder is over.
        bad_entry: Number of the first bad entry, None if all are good.
        problem: What is wrong with it.
        readable: False where the file is no record of a ladder.
        signer: Hex of the public key that signed it, empty if nobody did.
    """

    ladder: str
    entries: int
    outcomes: Mapping[Outcome, int]
    tables: int
    open_tables: int
    ended: bool
    bad_entry: int | None = None
    problem: str = ""
    readable: bool = True
    signer: str = ""

    @property
    def ok(self) -> bool:
        """Whether the record is sound as far as it goes."""
        return self.readable and self.bad_entry is None


@dataclass(slots=True)
class _OpenBatch:
    opened: BatchOpened
    hashes: Mapping[str, str] | None = None
    nonces: Mapping[str, str] | None = None
    is_void: bool = False


@dataclass(slots=True)
class _Books:
    """What the entries so far amount to."""

    check_match: CheckMatch
    ladder: str = ""
    terms: Terms | None = None
    ended: bool = False
    batches: dict[str, _OpenBatch] = field(default_factory=dict)
    batch_of: dict[int, str] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    sealed: set[str] = field(default_factory=set)
    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    played: set[int] = field(default_factory=set)
    again: dict[int, int] = field(default_factory=dict)
    voids: int = 0
    tables: int = 0
    changes: dict[str, list[EntrantWithdrawn | EntrantReturned]] = field(default_factory=dict)

    def enter(self, number: int, entry: LadderEntry) -> str:
        """Take *entry* in; return what is wrong with it, or nothing."""
        if isinstance(entry, LadderBegun) != (number == 0):
            return "a ladder begins once, with its first entry"
        if self.ended:
            return "nothing follows the end of a ladder"
        match entry:
            case LadderBegun():
                return self._begin(entry)
            case BatchOpened():
                return self._open(entry)
            case BatchBound(batch, hashes):
                return self._bind(self.batches.get(batch), hashes)
            case BatchDealt(batch, nonces):
                return self._deal(self.batches.get(batch), nonces)
            case BatchVoid():
                return self._void(self.batches.get(entry.batch), entry)
            case FixtureOpened(sealed):
                if sealed in self.sealed:
                    return "this table was opened before"
                self.sealed.add(sealed)
                return ""
            case DealClosed():
                return self._close(entry)
            case EntrantWithdrawn() | EntrantReturned():
                return self._change(entry)
            case EntrantTried():
                return ""
            case LadderEnded(sets):
                return self._end(sets)

    def _begin(self, entry: LadderBegun) -> str:
        self.ladder = entry.ladder
        try:
            self.terms = terms_of(entry.terms)
        except EntryError as wrong:
            return f"the terms: {wrong}"
        return ""

    def _stranger(self, names: Iterable[str]) -> str:
        """Return that one of *names* is no entrant, or nothing."""
        known = self.terms.owners if self.terms else {}
        stranger = next((name for name in names if name not in known), None)
        return "" if stranger is None else f"{stranger} is no entrant"

    def _open(self, entry: BatchOpened) -> str:
        if not (0 < entry.size <= MOST_DEALS and 0 <= entry.first <= MOST_DEALS):
            return "a batch of a size that no ladder has"
        numbers = range(entry.first, entry.first + entry.size)
        for number in numbers:
            known = self.batch_of.get(number)
            if known is not None and not self.batches[known].is_void:
                return f"deal {number} is bound already"
        if entry.batch in self.batches:
            return f"batch {entry.batch} is open already"
        self.batch_of.update(dict.fromkeys(numbers, entry.batch))
        self.batches[entry.batch] = _OpenBatch(entry)
        return ""

    def _bind(self, batch: _OpenBatch | None, hashes: Mapping[str, str]) -> str:
        if batch is None or batch.hashes is not None or batch.nonces is not None or batch.is_void:
            return "no batch waits for hashes"
        batch.hashes = hashes
        return self._stranger(hashes)

    @staticmethod
    def _deal(batch: _OpenBatch | None, nonces: Mapping[str, str]) -> str:
        if batch is None or batch.nonces is not None or batch.is_void:
            return "no batch waits for nonces"
        try:
            opening = dict(zip(nonces, map(_hash, nonces_of(list(nonces.values()))), strict=True))
        except ValueError as wrong:
            return str(wrong)
        if opening != dict(batch.hashes or {}):
            return "the nonces do not open the hashes"
        batch.nonces = nonces
        return ""

    def _void(self, batch: _OpenBatch | None, entry: BatchVoid) -> str:
        if batch is None or batch.nonces is not None or batch.is_void:
            return "no such batch waits for its deal"
        bound = batch.hashes is not None and entry.culprit in batch.hashes
        if entry.cause != (_NOT_OPENED if bound else _FAULT) or (entry.culprit and not bound):
            return "a batch is void by a nonce that was not opened, or by the referee's fault"
        try:
            root = Batch(batch.opened.first, tuple(map(bytes.fromhex, entry.secrets))).root.hex()
        except (ValueError, IndexError) as wrong:
            return f"the secrets cannot be read: {wrong}"
        if root != batch.opened.root or len(entry.secrets) != batch.opened.size:
            return f"the secrets are not those bound by {batch.opened.root}"
        batch.is_void = True
        self.outcomes[Outcome.VOID] += batch.opened.size
        return ""

    def _close(self, entry: DealClosed) -> str:
        proof = entry.proof
        problem = self._proof_problem(proof) or self._set_problem(entry)
        if problem:
            return problem
        seed = Batch(proof.number, (bytes.fromhex(proof.secret),)).seed(proof.number, nonces_of(proof.nonces))
        problem = self._tables_problem(entry, seed)
        if problem:
            return problem
        self.closed.add(proof.number)
        self.outcomes[entry.outcome] += 1
        self.tables += len(entry.tables)
        if entry.outcome is Outcome.VOID and self.terms:
            self.again[entry.set_number] = self.terms.sets + self.voids
            self.voids += 1
        return ""

    def _tables_problem(self, entry: DealClosed, seed: bytes) -> str:
        """Return what is wrong with the tables of *entry*, which has played the deal of *seed*, or nothing."""
        if self.terms is None:
            return "a ladder without terms"
        problem = set_problem(self.terms, entry, seed)
        if problem:
            return problem
        found = []
        for table in entry.tables:
            if _MATCH_ID.fullmatch(table.match_id) is None:
                return f"{table.match_id} is no id of a match"
            sealed = seal(seed, entry.proof.number, entry.set_number, table)
            if sealed not in self.sealed:
                return f"table {table.match_id} was never opened, or as another one"
            self.sealed.discard(sealed)
            found.append(self.check_match(table, entry.proof))
            problem = found[-1].problem or match_problem(self.terms, found[-1])
            if entry.outcome is Outcome.PLAYED and not (table.head and found[-1].played):
                problem = problem or "it was not played to its end"
            if problem:
                return f"match {table.match_id}: {problem}"
        whole = len(found) == self.terms.tables and all(match.played for match in found)
        return "the set is void and every table was played to its end" if whole and entry.cause else ""

    def _proof_problem(self, proof: SetProof) -> str:
        batch = self.batches.get(self.batch_of.get(proof.number, ""))
        if batch is None or batch.nonces is None:
            return f"deal {proof.number} was never bound"
        if proof.number in self.closed:
            return f"deal {proof.number} is over already"
        opened = batch.opened
        if (proof.root, proof.size, proof.leaf) != (opened.root, opened.size, proof.number - opened.first):
            return f"the proof is not one of batch {opened.batch}"
        if proof.nonces != tuple(batch.nonces[name] for name in sorted(batch.nonces)):
            return f"the nonces are not those of batch {opened.batch}"
        try:
            seed = Batch(proof.number, (bytes.fromhex(proof.secret),)).seed(proof.number, nonces_of(proof.nonces))
        except ValueError as wrong:
            return str(wrong)
        return proof_problem(proof, seed.hex())

    def _set_problem(self, entry: DealClosed) -> str:
        seated = (entrant for table in entry.tables for entrant in table.seats)
        out = next((entrant for entrant in seated if self._left_out(entry.set_number, entrant)), None)
        if out is not None:
            return f"entrant {out} is in set {entry.set_number}, for which it was withdrawn"
        if entry.cause != (_FAULT if entry.outcome is Outcome.VOID else ""):
            return f"a deal is {entry.outcome.value} for no such cause: {entry.cause}"
        if entry.outcome is Outcome.UNUSED:
            return "" if _is_bare(entry) else "a deal that is unused has no set and no tables"
        if entry.set_number in self.played:
            return f"set {entry.set_number} has been played on another deal"
        due = self.again.get(entry.set_number, entry.set_number)
        if self.terms and not 0 <= entry.set_number < self.terms.sets:
            return f"there is no set {entry.set_number}"
        if entry.proof.number != due:
            return f"set {entry.set_number} plays deal {due}"
        if entry.outcome is Outcome.PLAYED:
            self.played.add(entry.set_number)
        return ""

    def _change(self, entry: EntrantWithdrawn | EntrantReturned) -> str:
        stranger = self._stranger((entry.entrant,))
        if stranger:
            return stranger
        if isinstance(entry, EntrantWithdrawn) and not 0 <= entry.bad <= entry.rounds:
            return f"{entry.bad} of {entry.rounds} rounds were bad"
        before = self.changes.setdefault(entry.entrant, [])
        if isinstance(entry, EntrantWithdrawn) == (len(before) % 2 == 1):
            return f"entrant {entry.entrant} {'is withdrawn already' if before else 'was never withdrawn'}"
        if before and entry.set_number < before[-1].set_number:
            return f"entrant {entry.entrant} changes before set {before[-1].set_number} once more"
        before.append(entry)
        return ""

    def _left_out(self, number: int, entrant: str) -> bool:
        """Return whether *entrant* must not be in set *number*."""
        until = [change for change in self.changes.get(entrant, []) if change.set_number <= number]
        return bool(until) and isinstance(until[-1], EntrantWithdrawn)

    def _end(self, sets: int) -> str:
        waiting = sorted(number for number in self.batch_of if number not in self.closed)
        if waiting:
            return f"deal {waiting[0]} was bound and nothing is said of it"
        if self.sealed:
            return f"{len(self.sealed)} tables were opened and nothing is said of them"
        if sets != len(self.played):
            return f"expected {len(self.played)} sets"
        self.ended = True
        return ""


def audit_ladder(lines: Iterable[str], check_match: CheckMatch, check: Check | None = None) -> LadderVerdict:
    """Check the record of a ladder.

    Args:
        lines: The file, each line with its line end.
        check_match: Checks the replay of each table.
        check: Checks the signature; it is taken as it is without.

    Returns:
        The verdict; a bad file is a verdict, not an exception.
    """
    books, good, signer = _Books(check_match), 0, ""
    try:
        for number, found in _read(lines, check):
            if isinstance(found, str):
                signer = found
                continue
            problem = books.enter(number, found)
            if problem:
                raise ReplayError(number, problem)
            good += 1
    except ReplayError as bad:
        readable = not isinstance(bad, UnreadableError)
        return _verdict(books, good, "", bad_entry=bad.number, problem=bad.problem, readable=readable)
    return _verdict(books, good, signer)


def _read(lines: Iterable[str], check: Check | None) -> Iterator[tuple[int, LadderEntry | str]]:
    """Yield the entries with their numbers, and the signer last."""
    links = Links(check)
    for line in read_lines(lines):
        links.follow(line)
        if isinstance(line, SignedEnd):
            yield line.number, line.signature.key.hex()
        else:
            yield line.number, _entry(line)


def _entry(line: ChainLine) -> LadderEntry:
    kind = line.body.get("kind") if isinstance(line.body, dict) else None
    if line.number == 0 and kind != "ladder":
        raise UnreadableError(0, "no record of a ladder: it begins with an entry of kind ladder")
    try:
        entry = ladder_from_json(line.body)
    except EntryError as wrong:
        raise (ReplayError if line.number else UnreadableError)(line.number, str(wrong)) from wrong
    if ladder_bytes(entry) != line.known:
        raise ReplayError(line.number, "the line is not in canonical form")
    return entry


def _verdict(
    books: _Books, good: int, signer: str, *, bad_entry: int | None = None, problem: str = "", readable: bool = True
) -> LadderVerdict:
    return LadderVerdict(
        books.ladder, good, books.outcomes, books.tables, len(books.sealed), books.ended, bad_entry, problem, readable,
        signer,
    )  # fmt: skip


def _is_bare(entry: DealClosed) -> bool:
    return entry.set_number == -1 and not entry.tables


def _hash(nonce: bytes) -> str:
    return nonce_hash(nonce).hex()
