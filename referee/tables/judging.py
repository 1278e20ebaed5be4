"""What a submission is worth before it may change anything: timely, legal, answered before."""

from engine.reasons import Reason, RuleViolation, Violation
from engine.record.entries import Cause, Entry, Played, Refusal
from engine.record.fold import REFUSALS_A_DECISION, TableState
from engine.verify import check
from referee.tables.desk import Answered, Desk
from referee.tables.messages import Submission


def settled_answer(
    message: Submission, desk: Desk, state: TableState | None, open_decision: int | None
) -> Answered | None:
    """Return the answer to a submission that cannot change anything any more, None if it is to be judged.

    That is the first answer again to an attempt that had one, or why nothing that is open is answered.
    """
    known = desk.answer_to(message.decision_id, message.attempt)
    if known is not None and not message.validate_only:
        return known
    untimely = _untimely(message, state, open_decision)
    return None if untimely is None else (untimely, ())


def _untimely(message: Submission, state: TableState | None, open_decision: int | None) -> Violation | None:
    if state is None or state.match.over is not None:
        return Violation(Reason.MATCH_OVER)
    if message.decision_id != open_decision:
        return Violation(Reason.DECISION_STALE)
    if state.turn != message.seat:
        return Violation(Reason.NOT_YOUR_TURN, {"turn": state.turn or 0})
    return None


def checked(message: Submission, state: TableState) -> Answered:
    """Return what is wrong with the play of *message* and what it still owes; changes nothing."""
    if isinstance(message.play, Violation):
        return message.play, ()
    try:
        return None, check(state.match.round.position(message.seat), message.play)
    except RuleViolation as refused:
        return refused.violation, ()


def remember(entry: Entry, state: TableState, desks: list[Desk]) -> None:
    """Restore from *entry*, not yet folded into *state*, the answer that a repetition must get again."""
    if isinstance(entry, Played):
        desks[entry.seat].accepted[state.decision] = entry.attempt
    elif isinstance(entry, Refusal):
        violation = Violation(entry.reason)
        if entry.play is not None:
            try:
                check(state.match.round.position(entry.seat), entry.play)
            except RuleViolation as refused:
                violation = refused.violation
        desks[entry.seat].answers[state.decision, entry.attempt] = (violation, ())


def absence(state: TableState, desk: Desk) -> Cause | None:
    """Return why the stand-in plays the turn of *desk* without asking it, None if it is to be asked."""
    if state.forfeited(desk.seat):
        return next(lost.cause for lost in reversed(state.forfeits) if lost.seat == desk.seat)
    if state.refusals >= REFUSALS_A_DECISION:
        return Cause.ILLEGAL  # a kill came between the last refusal and the stand-in
    return Cause.LEFT if desk.away else None


def is_late(state: TableState, seat: int, used_us: int) -> bool:
    """Return whether *seat*, to act, has used more time than it has."""
    return state.clock.timed and used_us > state.clock.allowance_us(state.banks_us[seat])


def overdue(state: TableState, seat: int, used_us: int) -> tuple[int, Cause]:
    """Return what is charged to *seat*, whose time is over, and why the stand-in plays for it."""
    if not state.clock.timed:
        return 0, Cause.LEFT
    return max(used_us, state.clock.allowance_us(state.banks_us[seat]) + 1), Cause.TIME_OUT
