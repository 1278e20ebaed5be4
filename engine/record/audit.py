"""Audit: check a replay with nothing but the file.

Re-executes every play, re-refuses every refusal, recomputes the deal from the
reveal, the stand-in's plays, the clocks, the scores and the chain.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.events import Event
from engine.reasons import RuleViolation
from engine.record.chain import Links, ReplayError, SignedEnd, UnreadableError
from engine.record.deal import NO_SET, Secret, nonce_hash, nonces_of, proof_problem
from engine.record.entries import Cause, Dealt, Entry, Hashes, Header, Refusal, Result, Reveal, Void
from engine.record.fields import EntryError
from engine.record.fold import TableState, begin, fold
from engine.record.judging import problem_with
from engine.record.replay import ReplayLine, read
from engine.record.signature import Check
from engine.rules.ruleset import RULES_VERSION


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an audit found.

    Attributes:
        match_id: Id of the match, empty if not even the header could be read.
        entries: Entries that are good, up to the first bad one.
        rounds: Rounds replayed.
        bad_entry: Number of the first bad entry, None if all are good.
        problem: What is wrong with it, and what was expected.
        readable: False where the file is no replay that this version reads: bad input rather than a bad match.
        signer: Hex of the public key that signed it, empty if nobody did.
        seats: Names of the players, per seat.
        last: The last entry with its head, of a replay that is sound.
        header: What the match is, of a replay that is sound.
        played: Whether it is a sound replay of a match that was played to its end.
    """

    match_id: str
    entries: int
    rounds: int
    bad_entry: int | None
    problem: str
    readable: bool = True
    signer: str = ""
    seats: tuple[str, ...] = ()
    last: ReplayLine | None = None
    header: Header | None = None
    played: bool = False

    @property
    def ok(self) -> bool:
        """Whether the replay is sound from the header to the reveal."""
        return self.bad_entry is None


class Step(NamedTuple):
    """An entry of a sound replay and what it led to.

    Attributes:
        number: Number of the entry, from 0.
        entry: The entry.
        state: The table after it.
        events: What was told of it, in order, each to its audience.
    """

    number: int
    entry: Entry
    state: TableState
    events: list[Event]


def audit(lines: Iterable[str], check: Check | None = None) -> Verdict:
    """Check the replay of *lines*, each with its line end.

    Args:
        lines: The file.
        check: Checks the signature; without it a signature is taken as it is.

    Returns:
        The verdict; a bad file is a verdict, not an exception.
    """
    kept: list[ReplayLine] = []
    match_id, signer, rounds = "", "", 0
    seats: tuple[str, ...] = ()
    header: Header | None = None
    try:
        for line in chained(lines, check):
            if isinstance(line, SignedEnd):
                signer = line.signature.key.hex()
                continue
            kept.append(line)
            if isinstance(line.entry, Header):
                header, match_id, seats = line.entry, line.entry.match_id, line.entry.seats
        for step in steps(kept):
            rounds = len(step.state.match.history)
    except ReplayError as bad:
        return Verdict(match_id, bad.number, 0, bad.number, bad.problem, not isinstance(bad, UnreadableError))
    return Verdict(
        match_id, len(kept), rounds, None, "", signer=signer, seats=seats, last=kept[-1], header=header,
        played=isinstance(kept[-2].entry, Result),
    )  # fmt: skip


def chained(lines: Iterable[str], check: Check | None = None) -> Iterator[ReplayLine | SignedEnd]:
    """Yield the lines of a replay whose chain holds, and whose signature *check* finds good.

    Raises:
        ReplayError: As `read`, the chain is broken, or the signature is of something else.
    """
    links = Links(check)
    for line in read(lines):
        links.follow(line)
        yield line


def steps(lines: Sequence[ReplayLine]) -> Iterator[Step]:
    """Yield every entry of a whole replay with what it led to, each checked; nothing if it was void before its deal.

    Raises:
        ReplayError: An entry is not what it must be.
    """
    header, secret = _ends(lines)
    dealt, nonces = _dealt(header, lines)
    if nonces is None:
        _begun(header, secret, nonces_of(("",) * len(header.seats)), lines[-1].number)  # what it was to be played by
        return
    state, events = _begun(header, secret, nonces, lines[-1].number)
    for number, entry, *_ in lines[: dealt + 1]:
        yield Step(number, entry, state, events if number == dealt else [])
    ended, refused = False, set[tuple[int, int]]()
    for number, entry, *_ in lines[dealt + 1 : -1]:
        if ended:
            raise ReplayError(number, "expected the reveal after the result")
        if isinstance(entry, Refusal):
            if (state.decision, entry.attempt) in refused:
                raise ReplayError(number, f"attempt {entry.attempt} of the decision was refused before")
            refused.add((state.decision, entry.attempt))
        state, events = _step(state, number, entry)
        yield Step(number, entry, state, events)
        ended = isinstance(entry, Result | Void)
    if not ended:
        raise ReplayError(lines[-1].number, "expected the result before the reveal")
    yield Step(lines[-1].number, lines[-1].entry, state, [])


def _ends(lines: Sequence[ReplayLine]) -> tuple[Header, Secret]:
    """Return header and secret, the latter checked against the commitment and the proof of its set."""
    if not lines or not isinstance(lines[0].entry, Header):
        raise ReplayError(0, "expected a header")
    header, last = lines[0].entry, lines[-1]
    if not 1 <= header.rules_version <= RULES_VERSION:
        raise UnreadableError(0, f"rules version {header.rules_version}; this version knows 1 to {RULES_VERSION}")
    reveal = last.entry
    if not isinstance(reveal, Reveal) or len(lines) < 3:
        raise ReplayError(len(lines), "the replay ends before the reveal")
    try:
        secret = Secret.of(reveal)
    except ValueError as wrong:
        raise ReplayError(last.number, str(wrong)) from wrong
    if secret.commitment(header.match_id) != header.commitment:
        raise ReplayError(last.number, f"the secret is not the one committed to: expected {header.commitment}")
    problem = _origin_problem(header, reveal)
    if problem:
        raise ReplayError(last.number, problem)
    return header, secret


def _origin_problem(header: Header, reveal: Reveal) -> str:
    """Return what is wrong with where the secret is said to come from, or nothing."""
    if header.deal not in ("table", "set") or (header.deal == "set") != (reveal.table != NO_SET):
        return f"a deal of a {header.deal} with table {reveal.table} of a set"
    if reveal.proof is not None:
        return proof_problem(reveal.proof, reveal.secret) if header.deal == "set" else "a proof without a set"
    return "expected the proof of the set" if header.deal == "set" and header.format > 1 else ""


def _dealt(header: Header, lines: Sequence[ReplayLine]) -> tuple[int, tuple[bytes, ...] | None]:
    """Return the number of the entry that deals and the nonces, None for these if the match was void before."""
    none = ("",) * len(header.seats)
    if header.format == 1:
        return 0, nonces_of(none)
    at, hashes = 1, none
    bound = lines[1].entry
    if isinstance(bound, Hashes):
        at, hashes = 2, bound.hashes
        _check_hashes(header, hashes)
    opened = lines[at].entry
    if isinstance(opened, Void):
        _check_void(opened, hashes, at, len(lines))
        return at, None
    if not isinstance(opened, Dealt):
        raise ReplayError(at, "expected the deal")
    try:
        nonces = nonces_of(opened.nonces)
    except ValueError as wrong:
        raise ReplayError(at, str(wrong)) from wrong
    opening = tuple(nonce_hash(nonce).hex() if text else "" for nonce, text in zip(nonces, opened.nonces, strict=True))
    if opening != hashes:
        raise ReplayError(at, "the nonces do not open the hashes")
    return at, nonces


def _check_hashes(header: Header, hashes: Sequence[str]) -> None:
    """Refuse hashes that are not one a seat, and those of nobody or of nonces that no table takes."""
    sent = [text for text in hashes if text]
    if len(hashes) != len(header.seats) or not sent or header.deal == "set":
        raise ReplayError(1, "expected a hash of each seat that takes part in the deal of its table")
    if not all(map(_is_hash, sent)):
        raise ReplayError(1, "a hash is 32 bytes, in small hex digits")


def _is_hash(text: str) -> bool:
    try:
        return nonces_of([text])[0].hex() == text
    except ValueError:
        return False


def _check_void(void: Void, hashes: Sequence[str], at: int, lines: int) -> None:
    """Refuse the end, at entry *at* of *lines*, of a match before its deal where it blames or hides something else."""
    culprit = void.culprit
    bound = culprit is not None and 0 <= culprit < len(hashes) and bool(hashes[culprit])
    if void.cause is Cause.NONCE_NOT_OPENED and not bound:
        raise ReplayError(at, "the seat to blame had sent no hash")
    if void.cause is not Cause.NONCE_NOT_OPENED and (void.cause, culprit) != (Cause.REFEREE_FAULT, None):
        raise ReplayError(at, "a match is void before its deal by a nonce that was not opened, or the referee's fault")
    if lines != at + 2:
        raise ReplayError(at + 1, "expected the reveal after a match that is void")


def _begun(header: Header, secret: Secret, nonces: tuple[bytes, ...], last: int) -> tuple[TableState, list[Event]]:
    try:
        state, events = begin(header, secret.dealing(header.match_id, nonces))
    except EntryError as wrong:
        raise UnreadableError(0, str(wrong)) from wrong
    except OverflowError as wrong:
        raise ReplayError(last, "a match id or a table number that no referee gives") from wrong
    if header.strikes < 0:
        raise ReplayError(0, f"{header.strikes} strikes")
    if dict(header.options) != dict(state.match.rules.options):
        raise ReplayError(0, f"expected every option and its value: {dict(state.match.rules.options)}")
    return state, events


def _step(state: TableState, number: int, entry: Entry) -> tuple[TableState, list[Event]]:
    problem = problem_with(state, entry)
    if problem:
        raise ReplayError(number, problem)
    try:
        return fold(state, entry)
    except RuleViolation as refused:
        raise ReplayError(number, f"the play is refused: {refused.violation.reason.name}, {refused}") from refused
    except EntryError as wrong:
        raise ReplayError(number, str(wrong)) from wrong
