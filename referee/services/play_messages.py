"""Messages of the Play stream from what tables send."""

from google.protobuf.duration_pb2 import Duration

from engine.clock import SECOND_US, ClockProfile
from engine.offers import offered
from engine.reasons import Violation
from referee.streams import PlayerStream
from referee.tables.messages import (
    Outgoing,
    SendAnswer,
    SendDecision,
    SendEvent,
    SendHashCall,
    SendNonceCall,
    SendNotice,
    SendSeated,
    SendTableOver,
    SendTableVoid,
    Told,
)  # fmt: skip
from rummyref.v1 import clocks_pb2, events_pb2, reasons_pb2
from rummyref.v1 import play_service_pb2 as pb
from wire.events import event_to_message, public_event_to_message
from wire.moves import shared_play
from wire.rules import rule_set_to_message
from wire.views import seat_view_to_message


def reason_of(name: str) -> "reasons_pb2.Reason.ValueType":
    """Return the enum value of a reason's name."""
    return reasons_pb2.Reason.Value(f"REASON_{name}")


def _fill_event(message: events_pb2.Event, sequence: int, told: Told) -> None:
    """Make *message* that of an event; its body is made once for all who are told."""
    if not told.encoded:
        told.encoded.append(event_to_message(told.event))
    message.CopyFrom(told.encoded[0])
    message.sequence = sequence
    message.public_head = told.public_head


def public_event_of(sequence: int, told: Told) -> events_pb2.PublicEvent:
    """Return the message that watchers get of an event."""
    message = public_event_to_message(told.event)
    message.sequence = sequence
    message.public_head = told.public_head
    return message


def clocks_of(clock: ClockProfile) -> clocks_pb2.ClockSettings:
    """Return a profile's message; durations are absent where clocks do not run."""
    if not clock.timed:
        return clocks_pb2.ClockSettings(profile=clock.name)
    return clocks_pb2.ClockSettings(
        profile=clock.name,
        to_enter=_duration(clock.to_enter_us),
        bank=_duration(clock.bank_us),
        increment=_duration(clock.increment_us),
        cap=_duration(clock.cap_us),
    )


def response_of(message: Outgoing, stream: PlayerStream) -> pb.PlayResponse:
    """Return *message* for *stream*, with view and offers where it wants them."""
    match message:
        case SendDecision():
            response = pb.PlayResponse()
            _fill_decision(response.decision, message, stream)
            return response
        case SendEvent(table_id, seat, sequence, told):
            response = pb.PlayResponse(event=pb.TableEvent(table_id=table_id, seat=seat))
            _fill_event(response.event.event, sequence, told)
            return response
        case SendAnswer():
            return pb.PlayResponse(answer=_answer(message))
        case SendSeated():
            return pb.PlayResponse(seated=_seated(message))
        case SendTableOver(table_id, seat, result, first, events):
            ended = event_to_message(result).match_over
            response = pb.PlayResponse(table_over=pb.TableOver(table_id=table_id, seat=seat, result=ended))
            _add_events(response.table_over, first, events)
            return response
        case SendHashCall(table_id, asked, commitment):
            return pb.PlayResponse(hash_call=pb.HashCall(table_id=table_id, seat=asked, commitment=commitment))
        case SendNonceCall(table_id, asked, hashes):
            return pb.PlayResponse(nonce_call=pb.NonceCall(table_id=table_id, seat=asked, nonce_hashes=hashes))
        case SendTableVoid(table_id, seat, void):
            over = pb.TableVoid(table_id=table_id, seat=seat, cause=void.cause.value, culprit=void.culprit)
            return pb.PlayResponse(table_void=over)
        case SendNotice(reason, text, table_id, about):
            notice = pb.Notice(reason=reason_of(reason), message=text, table_id=table_id, seat=about)
            return pb.PlayResponse(notice=notice)


def _add_events(message: pb.Decision | pb.TableOver, first: int, events: tuple[Told, ...]) -> None:
    for sequence, told in enumerate(events, start=first):
        _fill_event(message.events.add(), sequence, told)


def _fill_decision(decision: pb.Decision, message: SendDecision, stream: PlayerStream) -> None:
    """Fill *decision* in its place: a message handed to a constructor is taken in at many times the cost."""
    decision.table_id = message.table_id
    decision.seat = message.seat
    decision.decision_id = message.decision_id
    _add_events(decision, message.first_sequence, message.events)
    decision.public_head = message.public_head
    if message.bank_us is not None and message.allowance_us is not None:
        _set(decision.clock.bank, message.bank_us)
        _set(decision.clock.cap, message.allowance_us)
    if stream.want_views:
        decision.view.CopyFrom(seat_view_to_message(message.view))
    if stream.want_offers:
        decision.offers.extend(map(shared_play, offered(message.view.position)))


def _answer(message: SendAnswer) -> pb.Answer:
    answer = pb.Answer(
        table_id=message.table_id,
        seat=message.seat,
        decision_id=message.decision_id,
        attempt=message.attempt,
        open_debts=[pb.OpenDebt(reason=reason_of(debt.reason.name), message=str(debt)) for debt in message.open_debts],
    )
    if message.refused is None:
        answer.accepted.SetInParent()
    else:
        answer.refused.CopyFrom(_refused(message.refused))
    return answer


def _refused(violation: Violation) -> pb.Refused:
    return pb.Refused(
        reason=reason_of(violation.reason.name),
        message=str(violation),
        facts={key: str(value) for key, value in violation.facts.items()},
    )


def _seated(message: SendSeated) -> pb.Seated:
    return pb.Seated(
        table_id=message.table_id,
        seat=message.seat,
        rules=rule_set_to_message(message.rules),
        clocks=clocks_of(message.clock),
        commitment=message.commitment,
        bot_seed=message.bot_seed,
        view=seat_view_to_message(message.view),
        players=message.players,
        last_sequence=message.last_sequence,
    )


def _duration(microseconds: int) -> Duration:
    duration = Duration()
    _set(duration, microseconds)
    return duration


def _set(duration: Duration, microseconds: int) -> None:
    """Make *duration* so many *microseconds*, which are not negative; the library would first check what is known."""
    seconds, rest = divmod(microseconds, SECOND_US)
    duration.seconds, duration.nanos = seconds, 1_000 * rest
