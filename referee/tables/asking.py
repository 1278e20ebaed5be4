"""The two messages that show a seat its view: seated and decision."""

from collections.abc import Sequence

from engine.record.deal import Secret
from engine.record.fold import TableState
from engine.views import seat_view
from referee.tables.desk import Desk
from referee.tables.messages import SendDecision, SendSeated


def seated_message(state: TableState, secret: Secret, nonces: Sequence[bytes], desk: Desk) -> SendSeated:
    """Return what tells a stream that it carries the seat of *desk* in the deal of *secret* and *nonces*."""
    header = state.header
    return SendSeated(
        table_id=header.match_id,
        seat=desk.seat,
        rules=state.match.rules,
        clock=state.clock,
        commitment=bytes.fromhex(header.commitment),
        bot_seed=secret.bot_seed(header.match_id, nonces, desk.seat),
        view=seat_view(state.match, desk.seat),
        players=header.seats,
        last_sequence=len(desk.log),
    )


def decision_message(state: TableState, desk: Desk, public_head: bytes) -> SendDecision:
    """Return what asks the seat of *desk* for the open decision, gathered events included."""
    gathered = desk.stream is not None and desk.stream.gathered
    first, events = desk.gather() if gathered else (0, ())
    bank = state.banks_us[desk.seat]
    timed = state.clock.timed
    return SendDecision(
        table_id=desk.table_id,
        seat=desk.seat,
        decision_id=state.decision,
        view=seat_view(state.match, desk.seat),
        first_sequence=first,
        events=events,
        public_head=public_head,
        bank_us=bank if timed else None,
        allowance_us=state.clock.allowance_us(bank) if timed else None,
    )
