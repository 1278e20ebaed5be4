"""Audit: check a replay with nothing but the file.

Re-executes every play, re-refuses every refusal, recomputes the deal from the
reveal, the stand-in's plays, the clocks, the scores and the chain.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.reasons import Reason, RuleViolation
from engine.record.canonical import RECORD_START, linked
from engine.record.deal import Secret
from engine.record.entries import Cause, Entry, Header, Played, Refusal, Result, Reveal, StoodIn
from engine.record.fields import EntryError
from engine.record.fold import TableState, begin, finish_turn, fold, refusal_of
from engine.record.replay import ReplayError, ReplayLine, read
from engine.rules.ruleset import RULES_VERSION

_UNREADABLE: Final = frozenset({Reason.CARD_MALFORMED, Reason.PLAY_EMPTY, Reason.MOVE_MALFORMED})
"""Reasons for which a play may be missing from its refusal: it could not be read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an audit found.

    Attributes:
        match_id: Id of the match, empty if not even the header could be read.
        entries: Entries read.
        rounds: Rounds replayed.
        bad_entry: Number of the first bad entry, None if all are good.
        problem: What is wrong with it, and what was expected.
    """

    match_id: str
    entries: int
    rounds: int
    bad_entry: int | None
    problem: str

    @property
    def ok(self) -> bool:
        """Whether the replay is sound from the header to the reveal."""
        return self.bad_entry is None


def audit(lines: Iterable[str]) -> Verdict:
    """Check the replay of *lines*, each with its line end.

    Returns:
        The verdict; a bad file is a verdict, not an exception.
    """
    read_lines: list[ReplayLine] = []
    match_id = ""
    try:
        for line in _chained(lines):
            read_lines.append(line)
            if isinstance(line.entry, Header):
                match_id = line.entry.match_id
        rounds = _replayed(read_lines)
    except ReplayError as bad:
        return Verdict(match_id, len(read_lines), 0, bad.number, bad.problem)
    return Verdict(match_id, len(read_lines), rounds, None, "")


def _chained(lines: Iterable[str]) -> Iterable[ReplayLine]:
    head = RECORD_START
    for line in read(lines):
        head = linked(head, line.text)
        if head != line.head:
            raise ReplayError(line.number, f"the chain is broken: head {line.head.hex()}, expected {head.hex()}")
        yield line


def _replayed(lines: list[ReplayLine]) -> int:
    """Return the rounds of the match that *lines* tell from header to reveal."""
    header, secret = _ends(lines)
    dealing = secret.dealing(header.match_id, len(header.seats))
    try:
        state, _ = begin(header, dealing)
    except EntryError as wrong:
        raise ReplayError(0, str(wrong)) from wrong
    for line in lines[1:-1]:
        state = _step(state, line)
    if not isinstance(lines[-2].entry, Result):
        raise ReplayError(lines[-1].number, "expected the result before the reveal")
    return len(state.match.history)


def _ends(lines: list[ReplayLine]) -> tuple[Header, Secret]:
    """Return header and secret, the latter checked against the commitment."""
    if not lines or not isinstance(lines[0].entry, Header):
        raise ReplayError(0, "expected a header")
    header, last = lines[0].entry, lines[-1]
    if header.rules_version != RULES_VERSION:
        raise ReplayError(0, f"rules version {header.rules_version}; this version plays {RULES_VERSION}")
    if not isinstance(last.entry, Reveal) or len(lines) < 3:
        raise ReplayError(len(lines), "the replay ends before the reveal")
    try:
        secret = Secret.of(last.entry)
    except ValueError as wrong:
        raise ReplayError(last.number, str(wrong)) from wrong
    if secret.commitment(header.match_id) != header.commitment:
        raise ReplayError(last.number, f"the secret is not the one committed to: expected {header.commitment}")
    return header, secret


def _step(state: TableState, line: ReplayLine) -> TableState:
    entry = line.entry
    problem = _problem(state, entry)
    if problem:
        raise ReplayError(line.number, problem)
    try:
        state, _ = fold(state, entry)
    except RuleViolation as refused:
        raise ReplayError(line.number, f"the play is refused: {refused.violation.reason.name}, {refused}") from refused
    except (EntryError, IndexError) as wrong:
        raise ReplayError(line.number, str(wrong) or "a seat that does not exist") from wrong
    return state


def _problem(state: TableState, entry: Entry) -> str:
    """Return what the rules do not tell about *entry* but the table does, or nothing."""
    if isinstance(entry, Played | StoodIn):
        if entry.seat != state.turn:
            return f"expected seat {state.turn} to act"
        return _clock_problem(state, entry)
    if isinstance(entry, Refusal):
        return _refusal_problem(state, entry)
    return ""


def _refusal_problem(state: TableState, entry: Refusal) -> str:
    if not 0 <= entry.seat < len(state.header.seats):
        return "a seat that does not exist"
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
    if state.clock.timed and entry.cause is Cause.TIME_OUT and not late and not state.forfeited(entry.seat):
        return "the clock had not run out"
    expected = finish_turn(state)
    return "" if entry.plays == expected else "the stand-in plays otherwise"
