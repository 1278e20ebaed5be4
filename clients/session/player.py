"""A player's session: registering, tables, and the stream.

Synchronous, one thread a stream. A broken connection is mended with growing
pauses and its seats are resumed; what cannot be mended is a `SessionError` of
one line.
"""

import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from clients.messages import (
    Answered,
    Asked,
    Broken,
    Incoming,
    Noticed,
    Over,
    Seated,
    SeatInfo,
    Standing,
    Told,
    Voided,
)  # fmt: skip
from clients.session.channel import SessionError, open_channel, session_error
from clients.session.nonces import Nonces
from engine.moves import Play
from engine.reasons import Reason, RuleViolation, Violation
from engine.rules.options import Options
from rummyref.v1 import moves_pb2, player_service_pb2, reasons_pb2, table_service_pb2
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from rummyref.v1.table_service_pb2_grpc import TableServiceStub
from wire.events import event_from_message
from wire.moves import play_from_message, play_to_message
from wire.rules import rule_set_from_message, settings_to_messages
from wire.views import seat_view_from_message

PROTOCOL: Final = 1
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 2.0
_GIVE_UP_AFTER_S: Final = 60.0
_NEVER_THERE_AFTER_S: Final = 5.0
"""How long a referee is waited for that has never answered: one just being started, not a wrong address."""

_CALL_S: Final = 10.0
_FATAL: Final = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.PERMISSION_DENIED,
}
_GONE: Final = {"MATCH_OVER", "INTERNAL"}
"""Reasons of notices after which a seat is not to be resumed."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a session asks for in its hello.

    Attributes:
        capacity: Tables it will carry.
        gathered: Whether events may wait for the next decision.
        offers: Whether decisions carry offered plays.
        name: Name of the client program.
        protocol: Version of the protocol that it claims to speak.
        contributes: Whether to take part in the randomness of deals.
    """

    capacity: int = 1
    gathered: bool = True
    offers: bool = False
    name: str = "rummyref"
    protocol: int = PROTOCOL
    contributes: bool = True


@dataclass(slots=True)
class Session:
    """A player's session with one referee.

    Attributes:
        address: HOST:PORT of the referee.
        token: The player's token.
        ca: File of the certificate authorities to trust, or `system`; empty for no TLS.
        player_id: Id of the player, once registered here; empty for a token from elsewhere.
    """

    address: str
    token: str = field(repr=False)
    wishes: Wishes = field(default_factory=Wishes)
    ca: str = ""
    player_id: str = ""
    _seats: dict[tuple[str, int], SeatInfo] = field(default_factory=dict)
    _outgoing: "queue.SimpleQueue[pb.PlayRequest | bytes | None]" = field(default_factory=queue.SimpleQueue)
    _channel: grpc.Channel | None = None
    _call: Any = None
    _closed: threading.Event = field(default_factory=threading.Event)
    _welcomed: bool = False
    _nonces: Nonces = field(default_factory=Nonces)

    # -- unary calls --------------------------------------------------------------

    def register(self, name: str) -> str:
        """Become a player of *name*; return and use the token."""
        request = player_service_pb2.RegisterRequest(name=name)
        answer = self._unary(PlayerServiceStub(self._open()).Register, request, with_token=False)
        self.token, self.player_id = answer.token, answer.player_id
        return self.token

    def create_table(self, preset: str, options: Options, clock: str, stand_in: str) -> str:
        """Make a table and return its id."""
        request = table_service_pb2.CreateTableRequest(
            preset=preset, options=settings_to_messages(options), clock=clock, stand_in=stand_in
        )
        return str(self._unary(TableServiceStub(self._open()).CreateTable, request).table.table_id)

    def take_seat(self, table_id: str, seat: int | None = None) -> int:
        """Take a seat, the first free one if none is named, and return it."""
        request = table_service_pb2.TakeSeatRequest(table_id=table_id, seat=seat)
        return int(self._unary(TableServiceStub(self._open()).TakeSeat, request).seat)

    def leave_seat(self, table_id: str, seat: int) -> None:
        """Give up a seat; in a match the stand-in plays on."""
        request = table_service_pb2.LeaveSeatRequest(table_id=table_id, seat=seat)
        self._unary(TableServiceStub(self._open()).LeaveSeat, request)

    def get_table(self, table_id: str) -> table_service_pb2.Table:
        """Return what anybody may know of a table."""
        request = table_service_pb2.GetTableRequest(table_id=table_id)
        return self._unary(TableServiceStub(self._open()).GetTable, request).table  # type: ignore[no-any-return]

    def standing(self, table_id: str) -> Standing:
        """Return where a table stands."""
        table = self.get_table(table_id)
        state = table_service_pb2.TableState.Name(table.state).removeprefix("TABLE_STATE_").lower()
        return Standing(state, tuple(seat.player_name for seat in table.seats), tuple(table.view.totals))

    def _unary(self, method: Any, request: Any, *, with_token: bool = True) -> Any:
        try:
            return method(request, timeout=_CALL_S, metadata=self._metadata() if with_token else None)
        except grpc.RpcError as error:
            raise session_error(error, self.address, self.ca) from error

    # -- the stream ---------------------------------------------------------------

    def messages(self) -> Iterator[Incoming]:
        """Yield what the referee says, mending the connection as it breaks.

        Ends after `close`.

        Raises:
            SessionError: The referee refuses this session, has been
                unreachable for a minute, or has never answered.
        """
        pause, waited = _FIRST_PAUSE_S, 0.0
        while not self._closed.is_set():
            try:
                for message in self._stream():
                    pause, waited = _FIRST_PAUSE_S, 0.0
                    yield message
                broken = "the referee ended the stream"
            except grpc.RpcError as error:
                if self._closed.is_set():
                    return
                failure = session_error(error, self.address, self.ca, probe=not self._welcomed)
                if error.code() in _FATAL or self._gives_up(failure, waited):
                    raise failure from error
                broken = str(failure)
            if self._closed.is_set():
                return
            yield Broken(broken)
            self._closed.wait(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads reconnections
            waited += pause
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _gives_up(self, failure: SessionError, waited_s: float) -> bool:
        if self._welcomed:
            return waited_s > _GIVE_UP_AFTER_S
        return failure.is_mismatch or waited_s > _NEVER_THERE_AFTER_S

    def submit(self, asked: Asked, play: Play, attempt: int = 1, *, validate_only: bool = False) -> None:
        """Send *play* for a decision, or have it checked; the answer comes as a message."""
        submit = pb.Submit(
            table_id=asked.seat.table_id,
            seat=asked.seat.seat,
            decision_id=asked.decision_id,
            attempt=attempt,
            play=play_to_message(play),
            validate_only=validate_only,
        )
        self.send(pb.PlayRequest(submit=submit))

    def send(self, request: pb.PlayRequest) -> None:
        """Send a message as it is."""
        self._outgoing.put(request)

    def break_stream(self) -> None:
        """Cut the stream, as a bad network would; `messages` mends it."""
        if self._call is not None:
            self._call.cancel()

    def close(self) -> None:
        """End the session; `messages` ends."""
        self._closed.set()
        self._outgoing.put(None)
        if self._call is not None:
            self._call.cancel()
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _stream(self) -> Iterator[Incoming]:
        outgoing: queue.SimpleQueue[pb.PlayRequest | bytes | None] = queue.SimpleQueue()
        self._outgoing = outgoing
        outgoing.put(self._first())
        self._call = call = self._method()(iter(outgoing.get, None), metadata=self._metadata())
        try:
            if self._closed.is_set():  # by another thread, before there was a call to cancel
                return
            for response in call:
                self._welcomed = True
                yield from self._read(response)
        finally:
            outgoing.put(None)
            call.cancel()

    def _first(self) -> pb.PlayRequest:
        return pb.PlayRequest(hello=self._hello())

    def _method(self) -> Callable[..., Any]:
        return PlayServiceStub(self._open()).Play

    def _hello(self) -> pb.Hello:
        return pb.Hello(
            protocol=self.wishes.protocol,
            client_name=self.wishes.name,
            capacity=self.wishes.capacity,
            delivery=pb.DELIVERY_GATHERED if self.wishes.gathered else pb.DELIVERY_IMMEDIATE,
            want_views=True,
            want_offers=self.wishes.offers,
            contributes=self.wishes.contributes,
            resume=[
                pb.Resume(table_id=seat.table_id, seat=seat.seat, last_sequence=seat.last_sequence)
                for seat in self._seats.values()
                if not seat.over
            ],
        )

    def _open(self) -> grpc.Channel:
        if self._channel is None:
            self._channel = open_channel(self.address, self.ca)
        return self._channel

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)

    # -- reading ------------------------------------------------------------------

    def _read(self, response: pb.PlayResponse) -> Iterator[Incoming]:
        match response.WhichOneof("kind"):
            case "decision":
                yield from self._read_decision(response.decision)
            case "seated":
                yield self._read_seated(response.seated)
            case "event":
                known = self._seats.get((response.event.table_id, response.event.seat))
                if known is not None:
                    yield from self._read_events(known, [response.event.event])
            case "answer":
                yield from self._read_answer(response.answer)
            case "table_over":
                yield from self._read_over(response.table_over)
            case "table_void":
                yield self._read_void(response.table_void)
            case "notice":
                yield self._read_notice(response.notice)
            case _:
                self._contribute(response)

    def _contribute(self, response: pb.PlayResponse) -> None:
        """Send what a deal waits for; a kind that is unknown waits for nothing."""
        match response.WhichOneof("kind"):
            case "hash_call":
                call = response.hash_call
                part = pb.Contribute(table_id=call.table_id, nonce_hash=self._nonces.hash_for(call.table_id))
            case "nonce_call":
                opened = response.nonce_call
                nonce = self._nonces.nonce_for(opened.table_id, opened.nonce_hashes)
                if nonce is None:
                    raise SessionError(
                        "NONCE_REFUSED", f"the referee deals {opened.table_id} without this player's nonce"
                    )
                part = pb.Contribute(table_id=opened.table_id, nonce=nonce)
            case _:
                return
        part.seat = (response.hash_call if response.HasField("hash_call") else response.nonce_call).seat
        self.send(pb.PlayRequest(contribute=part))

    def _read_void(self, void: pb.TableVoid) -> Voided:
        self._seats.pop((void.table_id, void.seat), None)
        return Voided(void.table_id, void.seat, void.cause, void.culprit if void.HasField("culprit") else None)

    def _read_notice(self, notice: pb.Notice) -> Noticed:
        reason = _reason_name(notice.reason)
        if reason in _GONE:
            self._seats.pop((notice.table_id, notice.seat), None)
        return Noticed(reason, notice.message)

    def _read_seated(self, seated: pb.Seated) -> Seated:
        rules = rule_set_from_message(seated.rules)
        key = (seated.table_id, seated.seat)
        before = self._seats.get(key)
        self._seats[key] = seat = SeatInfo(
            seated.table_id,
            seated.seat,
            rules,
            seated.bot_seed,
            seat_view_from_message(seated.view, rules),
            tuple(seated.players),
            before.last_sequence if before else seated.last_sequence,
        )
        return Seated(seat)

    def _read_events(self, seat: SeatInfo, events: Any) -> Iterator[Told]:
        for message in events:
            if message.sequence <= seat.last_sequence:
                continue
            seat.last_sequence = message.sequence
            event = event_from_message(message, seat.seat)
            if event is not None:
                yield Told(seat, event)
            elif not message.skippable:
                raise SessionError(
                    "PROTOCOL_UNSUPPORTED", "the referee tells of events that this version cannot read; update it"
                )

    def _read_decision(self, decision: pb.Decision) -> Iterator[Incoming]:
        seat = self._seats.get((decision.table_id, decision.seat))
        if seat is None:
            return
        yield from self._read_events(seat, decision.events)
        timed = decision.HasField("clock")
        seat.view = seat_view_from_message(decision.view, seat.rules)
        yield Asked(
            seat,
            decision.decision_id,
            seat.view,
            tuple(_readable(decision.offers)),
            decision.clock.cap.ToMicroseconds() / 1e6 if timed else None,
        )

    def _read_answer(self, answer: pb.Answer) -> Iterator[Answered]:
        seat = self._seats.get((answer.table_id, answer.seat))
        if seat is None:
            return
        refused, message = None, ""
        if answer.WhichOneof("outcome") == "refused":
            name = _reason_name(answer.refused.reason)
            message = answer.refused.message
            refused = Violation(Reason.__members__.get(name, Reason.MOVE_MALFORMED), dict(answer.refused.facts))
        debts = tuple(debt.message for debt in answer.open_debts)
        yield Answered(seat, answer.decision_id, answer.attempt, refused, message, debts)

    def _read_over(self, over: pb.TableOver) -> Iterator[Incoming]:
        seat = self._seats.get((over.table_id, over.seat))
        if seat is None:
            return
        yield from self._read_events(seat, over.events)
        seat.over = True
        del self._seats[over.table_id, over.seat]
        yield Over(seat, tuple(over.result.totals), tuple(over.result.winners))


def _readable(offers: Iterable[moves_pb2.Play]) -> Iterator[Play]:
    """Yield the plays that this version can read; a newer referee may offer others beside them."""
    for offer in offers:
        with contextlib.suppress(RuleViolation):
            yield play_from_message(offer)


def _reason_name(value: int) -> str:
    """Return the name of a reason; the enum may grow, so unknown ones have one too."""
    known = reasons_pb2.Reason.DESCRIPTOR.values_by_number.get(value)
    return known.name.removeprefix("REASON_") if known else "UNSPECIFIED"
