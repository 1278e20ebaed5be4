"""The session against a referee that the test plays, and against a real one whose connection breaks."""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc_testing
import pytest

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.messages import Asked, Broken, Noticed, Over, Seated, Told
from clients.session import Session, SessionError, Wishes
from engine.moves import DRAW, Play
from engine.record.audit import audit
from engine.views import SeatView
from rummyref.v1 import events_pb2, play_service_pb2, reasons_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.clients.playing import RULES, VIEW
from tests.referee.process import RefereeProcess
from wire.rules import rule_set_to_message
from wire.views import seat_view_to_message

SERVICE = play_service_pb2.DESCRIPTOR.services_by_name["PlayService"]
WITHIN_S = 60.0


class ByHand:
    """A session in a thread of its own, and the referee's end of its streams."""

    def __init__(self, **wishes: Any) -> None:
        """Begin the session."""
        self._channel = grpc_testing.channel([SERVICE], grpc_testing.strict_real_time())
        self.session = Session("by-hand", "secret-token", Wishes(**wishes), _channel=self._channel)
        self.heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            for message in self.session.messages():
                self.heard.put(message)
            self.heard.put("closed")
        except SessionError as failed:
            self.heard.put(failed)

    def stream(self) -> tuple[dict[str, str], Any, pb.Hello]:
        """Accept the next stream; return its metadata, its server end and its hello."""
        metadata, server = self._channel.take_stream_stream(SERVICE.methods_by_name["Play"])
        server.send_initial_metadata(())
        return dict(metadata), server, server.take_request().hello

    def next(self) -> Any:
        """Return what the session says next."""
        return self.heard.get(timeout=WITHIN_S)

    def end(self) -> None:
        """Close the session and wait for it."""
        self.session.close()
        self._thread.join(WITHIN_S)
        assert not self._thread.is_alive()


@pytest.fixture
def by_hand() -> Iterator[ByHand]:
    """A session whose referee is the test."""
    pair = ByHand(capacity=3, offers=True)
    yield pair
    pair.end()


def seated(last_sequence: int = 4) -> pb.PlayResponse:
    """Return what binds a seat."""
    message = pb.Seated(
        table_id="t", seat=0, rules=rule_set_to_message(RULES), bot_seed=7, players=["anna", "ben"],
        last_sequence=last_sequence, view=seat_view_to_message(VIEW),
    )  # fmt: skip
    return pb.PlayResponse(seated=message)


def event(sequence: int) -> pb.PlayResponse:
    """Return an event of the seat."""
    presence = events_pb2.Event(sequence=sequence, seat_presence=events_pb2.SeatPresence(seat=1, present=True))
    return pb.PlayResponse(event=pb.TableEvent(table_id="t", seat=0, event=presence))


def test_the_hello_says_what_is_wished_and_who_calls(by_hand: ByHand) -> None:
    """Capacity, delivery, offers, protocol; the token as a bearer."""
    metadata, _, hello = by_hand.stream()
    assert metadata["authorization"] == "Bearer secret-token"
    assert (hello.protocol, hello.capacity, hello.want_views, hello.want_offers) == (1, 3, True, True)
    assert (hello.delivery, list(hello.resume)) == (pb.DELIVERY_GATHERED, [])


def test_a_decision_is_answered_on_the_stream(by_hand: ByHand) -> None:
    """The submission names table, seat, decision and try."""
    _, server, _ = by_hand.stream()
    server.send_response(seated())
    decision = pb.Decision(table_id="t", seat=0, decision_id=9, view=seat_view_to_message(VIEW))
    server.send_response(pb.PlayResponse(decision=decision))
    assert isinstance(by_hand.next(), Seated)
    asked = by_hand.next()
    assert isinstance(asked, Asked)
    assert (asked.decision_id, asked.view, asked.allowance_s) == (9, VIEW, None)
    by_hand.session.submit(asked, DRAW, 2)
    submit = server.take_request().submit
    assert (submit.table_id, submit.seat, submit.decision_id, submit.attempt) == ("t", 0, 9, 2)


def test_a_broken_stream_is_resumed_after_the_last_event(by_hand: ByHand) -> None:
    """The new hello names the seat and what it has heard; what is told twice is heard once."""
    _, server, _ = by_hand.stream()
    for message in (seated(4), event(5), event(6)):
        server.send_response(message)
    assert [type(by_hand.next()) for _ in range(3)] == [Seated, Told, Told]
    server.terminate((), grpc.StatusCode.UNAVAILABLE, "gone")
    assert isinstance(by_hand.next(), Broken)
    _, server, hello = by_hand.stream()
    assert [(seat.table_id, seat.seat, seat.last_sequence) for seat in hello.resume] == [("t", 0, 6)]
    for message in (seated(8), event(6), event(7), event(8)):
        server.send_response(message)
    assert isinstance(by_hand.next(), Seated)
    assert [by_hand.next().seat.last_sequence for _ in range(2)] == [8, 8]


def test_a_seat_whose_match_is_over_is_not_resumed(by_hand: ByHand) -> None:
    """The next hello does not name it."""
    _, server, _ = by_hand.stream()
    server.send_response(seated())
    server.send_response(pb.PlayResponse(table_over=pb.TableOver(table_id="t", seat=0)))
    assert [type(by_hand.next()) for _ in range(2)] == [Seated, Over]
    server.terminate((), grpc.StatusCode.UNAVAILABLE, "gone")
    assert isinstance(by_hand.next(), Broken)
    assert list(by_hand.stream()[2].resume) == []


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.INVALID_ARGUMENT]
)
def test_a_refused_session_does_not_come_back(by_hand: ByHand, code: grpc.StatusCode) -> None:
    """What would be refused again is an error with the referee's words."""
    _, server, _ = by_hand.stream()
    server.terminate((), code, "unknown token; register again")
    failed = by_hand.next()
    assert isinstance(failed, SessionError)
    assert str(failed) == "unknown token; register again"


def test_an_event_from_the_future_is_skipped_only_where_that_is_safe(by_hand: ByHand) -> None:
    """An unknown event that may not be skipped ends the session instead of being played past."""
    _, server, _ = by_hand.stream()
    server.send_response(seated(0))
    for sequence, skippable in ((1, True), (2, False)):
        unknown = events_pb2.Event(sequence=sequence, skippable=skippable)
        server.send_response(pb.PlayResponse(event=pb.TableEvent(table_id="t", seat=0, event=unknown)))
    assert isinstance(by_hand.next(), Seated)
    failed = by_hand.next()
    assert isinstance(failed, SessionError)
    assert failed.reason == "PROTOCOL_UNSUPPORTED"


def test_messages_and_reasons_from_the_future_are_borne(by_hand: ByHand) -> None:
    """An empty message is passed over; an unknown reason has a name that says so."""
    _, server, _ = by_hand.stream()
    server.send_response(pb.PlayResponse())
    server.send_response(pb.PlayResponse(notice=pb.Notice(reason=9999, message="new")))  # type: ignore[arg-type]
    server.send_response(pb.PlayResponse(notice=pb.Notice(reason=reasons_pb2.REASON_SEAT_MOVED, message="moved")))
    assert [by_hand.next() for _ in range(2)] == [Noticed("UNSPECIFIED", "new"), Noticed("SEAT_MOVED", "moved")]


class Breaking(GreedyBot):
    """Cuts its own connection at every third decision, before it answers."""

    session: Session
    decisions = 0

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Play greedily over a bad network."""
        type(self).decisions += 1
        if self.decisions % 3 == 0:
            self.session.break_stream()
        return super().play(view, offers)


def test_a_match_is_finished_over_a_bad_network(tmp_path: Path) -> None:
    """However often the stream breaks, every decision is answered once and the record verifies."""
    referee = RefereeProcess(tmp_path)
    sessions = [Session(referee.address, "") for _ in range(2)]
    for session, name in zip(sessions, ("anna", "ben"), strict=True):
        session.register(name)
    table_id = sessions[0].create_table("remi", {"players": 2, "rounds": 2}, "untimed", "minimal")
    for session in sessions:
        session.take_seat(table_id)
    Breaking.session, Breaking.decisions = sessions[0], 0
    other = threading.Thread(target=Runner(sessions[1], GreedyBot).run, kwargs={"matches": 1}, daemon=True)
    other.start()
    assert Runner(sessions[0], Breaking).run(matches=1) == 1
    other.join(WITHIN_S)
    assert Breaking.decisions > 6
    assert referee.stop() == 0
    with (tmp_path / "replays" / f"{table_id}.rummy.jsonl").open(newline="") as lines:
        entries = lines.readlines()
    assert not [line for line in entries if '"kind":"stand_in"' in line or '"kind":"refusal"' in line]
    assert audit(entries).ok
