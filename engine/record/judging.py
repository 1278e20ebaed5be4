"""Whether an entry can be true: what the rules of the game do not tell of it but the table does.

An entry that nothing here speaks against may still hold a play that is refused; the fold tells.
"""

from typing import Final

from engine.notation import show_play
from engine.reasons import Reason
from engine.record.canonical import Json, canonical
from engine.record.entries import Cause, Entry, Forfeit, Played, Presence, Refusal, Result, StoodIn, Void
from engine.record.entry_json import to_json
from engine.record.fold import REFUSALS_A_DECISION, TableState, finish_turn, refusal_of

_UNREADABLE: Final = frozenset({Reason.CARD_MALFORMED, Reason.PLAY_EMPTY, Reason.MOVE_MALFORMED})
"""Reasons for which a play may be missing from its refusal: it could not be read."""

_UNASKED: Final = frozenset({Cause.CRASHED, Cause.NEVER_CAME})
"""Causes of a forfeit that do not hang on a decision."""

_OF_DECISIONS: Final = frozenset({Cause.TIME_OUT, Cause.ILLEGAL})
"""Causes of a stand-in that a seat has been asked before."""

_ATTEMPTS: Final = 1 << 32
"""Numbers that a try may have: those of a uint32."""


def problem_with(state: TableState, entry: Entry) -> str:
    """Return what speaks against *entry* at a table in *state*, or nothing."""
    over = state.match.over is not None
    if isinstance(entry, Result) is not over:
        return "the match is over: expected the result" if over else "the match goes on and has no result"
    if isinstance(entry, Void):
        ours = (entry.cause, entry.culprit) == (Cause.REFEREE_FAULT, None)
        return "" if ours else "a match is void after its deal by a fault of the referee alone, and no seat's"
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
        case Played() | StoodIn() | Refusal() if entry.seat != state.turn:
            return f"expected seat {state.turn} to act"
        case Played():
            return _asked_problem(state, entry) or _clock_problem(state, entry)
        case StoodIn():
            return _clock_problem(state, entry)
        case Refusal():
            return _asked_problem(state, entry) or _refusal_problem(state, entry)
        case Presence(seat, present):
            there = "there" if present else "away"
            return f"the player of the seat was {there} before" if present == state.present[seat] else ""
        case Forfeit():
            return _forfeit_problem(state, entry)


def _asked_problem(state: TableState, entry: Played | Refusal) -> str:
    """Return why the seat of *entry*, whose turn it is, was not asked and cannot have sent a play; or nothing."""
    if not 0 <= entry.attempt < _ATTEMPTS:
        return f"attempt {entry.attempt}: no message has such a number"
    if state.refusals >= REFUSALS_A_DECISION:
        return f"the decision had {REFUSALS_A_DECISION} refusals: expected the stand-in"
    if state.forfeited(entry.seat):
        return "the seat has forfeited the round: expected the stand-in"
    return "" if state.present[entry.seat] else "the player of the seat is away: expected the stand-in"


def _forfeit_problem(state: TableState, entry: Forfeit) -> str:
    if not state.header.strikes:
        return "nothing is forfeited at a table of people"
    if state.forfeited(entry.seat):
        return "the seat has forfeited the round before"
    if entry.cause in _UNASKED:
        return ""
    asked = entry.seat == state.turn and state.present[entry.seat]
    late = entry.cause is Cause.TIME_OUT and state.clock.timed
    illegal = entry.cause is Cause.ILLEGAL and state.refusals >= REFUSALS_A_DECISION
    return "" if asked and (late or illegal) else f"nothing before tells that the round is lost for {entry.cause.value}"


def _refusal_problem(state: TableState, entry: Refusal) -> str:
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
    if entry.used_us and entry.cause not in _OF_DECISIONS:
        return f"time was charged to a seat that was not asked: {entry.cause.value}"
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
