"""Messages of the Play stream from what tables send."""

from google.protobuf.duration_pb2 import Duration

from engine.clock import ClockProfile
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
from wire.moves import play_to_message
from wire.rules import rule_set_to_message
from wire.views import seat_view_to_message


def reason_of(name: str) -> "reasons_pb2.Reason.ValueType":
    """Return the enum value of a reason's name."""
    return reasons_pb2.Reason.Value(f"REASON_{name}")


def event_of(sequence: int, told: Told) -> events_pb2.Event:
    """Return an event's message; its body is made once for all who are told."""
    if not told.encoded:
        told.encoded.append(event_to_message(told.event))
    message = events_pb2.Event()
    message.CopyFrom(told.encoded[0])
    message.sequence = sequence
    message.public_head = told.public_head
    return message


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
            return pb.PlayResponse(decision=_decision(message, stream))
        case SendEvent(table_id, seat, sequence, told):
            event = event_of(sequence, told)
            return pb.PlayResponse(event=pb.TableEvent(table_id=table_id, seat=seat, event=event))
        case SendAnswer():
            return pb.PlayResponse(answer=_answer(message))
        case SendSeated():
            return pb.PlayResponse(seated=_seated(message))
        case SendTableOver(table_id, seat, result, first, events):
            ended = event_to_message(result).match_over
            return pb.PlayResponse(
                table_over=pb.TableOver(table_id=table_id, seat=seat, result=ended, events=_events(first, events))
            )
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


def _events(first: int, events: tuple[Told, ...]) -> list[events_pb2.Event]:
    return [event_of(sequence, told) for sequence, told in enumerate(events, start=first)]


def _decision(message: SendDecision, stream: PlayerStream) -> pb.Decision:
    decision = pb.Decision(
        table_id=message.table_id,
        seat=message.seat,
        decision_id=message.decision_id,
        events=_events(message.first_sequence, message.events),
        public_head=message.public_head,
    )
    if message.bank_us is not None and message.allowance_us is not None:
        decision.clock.bank.FromMicroseconds(message.bank_us)
        decision.clock.cap.FromMicroseconds(message.allowance_us)
    if stream.want_views:
        decision.view.CopyFrom(seat_view_to_message(message.view))
    if stream.want_offers:
        decision.offers.extend(map(play_to_message, offered(message.view.position)))
    return decision


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
    duration.FromMicroseconds(microseconds)
    return duration
