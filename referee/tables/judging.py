"""What a submission is worth before it may change anything: timely, legal, answered before."""

from engine.reasons import Reason, RuleViolation, Violation
from engine.record.entries import Entry, Played, Refusal
from engine.record.fold import TableState
from engine.verify import check
from referee.tables.desk import Answered, Desk
from referee.tables.messages import Submission


def untimely_for(message: Submission, state: TableState | None, open_decision: int | None) -> Violation | None:
    """Return why *message* answers nothing that is open, None if it does."""
    if state is None or state.match.over is not None:
        return Violation(Reason.MATCH_OVER)
    if message.decision_id != open_decision:
        return Violation(Reason.DECISION_STALE)
    if state.turn != message.seat:
        return Violation(Reason.NOT_YOUR_TURN, {"turn": state.turn or 0})
    return None


def checked(message: Submission, state: TableState) -> Answered:
    """Return what is wrong with the play of *message* and what it still owes; changes nothing."""
    if isinstance(message.play, RuleViolation):
        return message.play.violation, ()
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
