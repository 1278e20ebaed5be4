"""Audit: check a replay with nothing but the file.

Re-executes every play, re-refuses every refusal, recomputes the deal from the
reveal, the stand-in's plays, the clocks, the scores and the chain.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.events import Event
from engine.notation import show_play
from engine.reasons import Reason, RuleViolation
from engine.record.canonical import Json, canonical
from engine.record.chain import Links, ReplayError, SignedEnd, UnreadableError
from engine.record.deal import NO_SET, Secret, nonce_hash, nonces_of, proof_problem
from engine.record.entries import (
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    StoodIn,
    Void,
)  # fmt: skip
from engine.record.entry_json import to_json
from engine.record.fields import EntryError
from engine.record.fold import REFUSALS_A_DECISION, TableState, begin, finish_turn, fold, refusal_of
from engine.record.replay import ReplayLine, read
from engine.record.signature import Check
from engine.rules.ruleset import RULES_VERSION

_UNREADABLE: Final = frozenset({Reason.CARD_MALFORMED, Reason.PLAY_EMPTY, Reason.MOVE_MALFORMED})
"""Reasons for which a play may be missing from its refusal: it could not be read."""


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
    try:
        for line in chained(lines, check):
            if isinstance(line, SignedEnd):
                signer = line.signature.key.hex()
                continue
            kept.append(line)
            if isinstance(line.entry, Header):
                match_id, seats = line.entry.match_id, line.entry.seats
        for step in steps(kept):
            rounds = len(step.state.match.history)
    except ReplayError as bad:
        return Verdict(match_id, bad.number, 0, bad.number, bad.problem, not isinstance(bad, UnreadableError))
    return Verdict(match_id, len(kept), rounds, None, "", signer=signer, seats=seats, last=kept[-1])


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
        return
    state, events = _begun(header, secret, nonces, lines[-1].number)
    for number, entry, *_ in lines[: dealt + 1]:
        yield Step(number, entry, state, events if number == dealt else [])
    ended = False
    for number, entry, *_ in lines[dealt + 1 : -1]:
        if ended:
            raise ReplayError(number, "expected the reveal after the result")
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
    if opening != hashes or (header.deal == "set" and hashes != none):
        raise ReplayError(at, "the nonces do not open the hashes")
    return at, nonces


def _check_void(void: Void, hashes: Sequence[str], at: int, lines: int) -> None:
    """Refuse the end, at entry *at* of *lines*, of a match before its deal where it blames or hides something else."""
    culprit = void.culprit
    bound = culprit is not None and 0 <= culprit < len(hashes) and bool(hashes[culprit])
    if void.cause is Cause.NONCE_NOT_OPENED and not bound:
        raise ReplayError(at, "the seat to blame had sent no hash")
    if lines != at + 2:
        raise ReplayError(at + 1, "expected the reveal after a match that is void")


def _begun(header: Header, secret: Secret, nonces: tuple[bytes, ...], last: int) -> tuple[TableState, list[Event]]:
    try:
        state, events = begin(header, secret.dealing(header.match_id, nonces))
    except EntryError as wrong:
        raise UnreadableError(0, str(wrong)) from wrong
    except OverflowError as wrong:
        raise ReplayError(last, "a match id or a table number that no referee gives") from wrong
    if dict(header.options) != dict(state.match.rules.options):
        raise ReplayError(0, f"expected every option and its value: {dict(state.match.rules.options)}")
    return state, events


def _step(state: TableState, number: int, entry: Entry) -> tuple[TableState, list[Event]]:
    problem = _problem(state, entry)
    if problem:
        raise ReplayError(number, problem)
    try:
        return fold(state, entry)
    except RuleViolation as refused:
        raise ReplayError(number, f"the play is refused: {refused.violation.reason.name}, {refused}") from refused
    except EntryError as wrong:
        raise ReplayError(number, str(wrong)) from wrong


def _problem(state: TableState, entry: Entry) -> str:
    """Return what the rules do not tell about *entry* but the table does, or nothing."""
    if isinstance(entry, Void):
        known = entry.culprit is None or 0 <= entry.culprit < len(state.header.seats)
        return "" if known else "a seat that does not exist"
    over = state.match.over is not None
    if isinstance(entry, Result) is not over:
        return "the match is over: expected the result" if over else "the match goes on and has no result"
    if isinstance(entry, Result):
        return _result_problem(entry, state.result())
    if isinstance(entry, Played | StoodIn | Refusal | Presence | Forfeit):
        exists = 0 <= entry.seat < len(state.header.seats)
        return _seat_problem(state, entry) if exists else "a seat that does not exist"
    return ""


def _result_problem(claimed: Result, made: Result) -> str:
    """Return the first part of a *claimed* result that is not as the match *made* it, and what it is; or nothing."""
    one, other = to_json(claimed), to_json(made)
    part = next((part for part in one if one[part] != other[part]), "")
    return f"the result has {part} {_text(one[part])}, expected {_text(other[part])}" if part else ""


def _text(value: Json) -> str:
    return canonical(value).decode("utf-8")


def _seat_problem(state: TableState, entry: Played | StoodIn | Refusal | Presence | Forfeit) -> str:
    match entry:
        case Played() | StoodIn():
            return f"expected seat {state.turn} to act" if entry.seat != state.turn else _clock_problem(state, entry)
        case Refusal():
            return _refusal_problem(state, entry)
        case Presence(seat, present):
            there = "there" if present else "away"
            return f"the player of the seat was {there} before" if present == state.present[seat] else ""
        case Forfeit(seat):
            return "the seat has forfeited the round before" if state.forfeited(seat) else ""


def _refusal_problem(state: TableState, entry: Refusal) -> str:
    if state.refusals >= REFUSALS_A_DECISION:
        return f"refusal {REFUSALS_A_DECISION + 1} of a decision: expected the stand-in"
    if entry.play is None:
        return "" if entry.reason in _UNREADABLE else f"{entry.reason.name} of a play that is not there"
    refused = refusal_of(state, entry.seat, entry.play)
    if refused is None:
        return "the play is legal and was refused"
    expected = refused.violation.reason
    return "" if expected is entry.reason else f"refused for {entry.reason.name}, expected {expected.name}"


def _clock_problem(state: TableState, entry: Played | StoodIn) -> str:
    if entry.used_us < 0:
        return "a negative time was charged"
    late = state.clock.timed and entry.used_us > state.clock.allowance_us(state.banks_us[entry.seat])
    if isinstance(entry, Played):
        return "the clock had run out: expected the stand-in" if late else ""
    return _stand_in_problem(state, entry, late=late)


def _stand_in_problem(state: TableState, entry: StoodIn, *, late: bool) -> str:
    if not _is_due(state, entry, late=late):
        return f"nothing before tells that the stand-in was to play for {entry.cause.value}"
    if entry.plays != (expected := finish_turn(state)):
        return f"the stand-in plays otherwise: expected {' and '.join(map(show_play, expected))}"
    return ""


def _is_due(state: TableState, entry: StoodIn, *, late: bool) -> bool:
    """Return whether the stand-in had to play for the cause that *entry* gives."""
    seat = entry.seat
    if state.forfeited(seat):
        return any(lost.seat == seat and lost.cause is entry.cause for lost in state.forfeits)
    match entry.cause:
        case Cause.TIME_OUT:
            return late
        case Cause.ILLEGAL:
            return state.refusals >= REFUSALS_A_DECISION
        case Cause.LEFT:
            # A ladder's table without clocks waits for a seat that has gone, and keeps no word of its going.
            return not state.present[seat] or (bool(state.header.strikes) and not state.clock.timed)
        case _:
            return False
