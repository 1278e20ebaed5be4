"""Events on the wire."""

import typing

import pytest
from hypothesis import given

from engine.cards import NATURALS, bag
from engine.events import (
    DealerDrawn,
    Event,
    MatchCause,
    MatchOver,
    RoundOver,
    SeatPresence,
    YouDrew,
    YouWereDealt,
    audience,
)  # fmt: skip
from engine.rules.position import RoundEnd
from rummyref.v1 import events_pb2 as pb
from tests.wire.playing import every_play
from tests.wire.strategies import SEAT, events
from wire.events import event_from_message, event_to_message, public_event_to_message

PRIVATE = {"you_drew", "you_were_dealt"}


def through_bytes(message: pb.Event) -> pb.Event:
    """Return *message* as its receiver has it."""
    return pb.Event.FromString(message.SerializeToString())


@given(events)
def test_an_event_comes_back_through_its_bytes(event: Event) -> None:
    """An event comes back equal from the bytes of its message."""
    assert event_from_message(through_bytes(event_to_message(event)), SEAT) == event


def test_events_of_whole_matches_come_back() -> None:
    """Every event of matches played at random comes back equal to who is told."""
    for _, _, told in every_play():
        assert told
        for event in told:
            seat = audience(event)
            assert event_from_message(through_bytes(event_to_message(event)), 0 if seat is None else seat) == event


@given(events)
def test_only_private_bodies_carry_private_events(event: Event) -> None:
    """An event for one seat has a body of its own, which no public event uses."""
    body = event_to_message(event).WhichOneof("body")
    assert (body in PRIVATE) == (audience(event) is not None)


def test_there_is_one_body_for_each_event() -> None:
    """The bodies are the engine's events by name."""
    fields = pb.Event.DESCRIPTOR.oneofs_by_name["body"].fields
    bodies = {field.message_type.name for field in fields if field.message_type}
    assert bodies == {kind.__name__ for kind in typing.get_args(Event)}


def test_sequence_and_head_are_left_to_the_sender() -> None:
    """The codec leaves out what depends on the receiver."""
    message = event_to_message(MatchOver(MatchCause.VOID, (1, -1), (0,)))
    assert (message.sequence, message.public_head) == (0, b"")


def test_causes_have_the_members_of_the_engine() -> None:
    """There is a value for every cause of a match's end, and one for none."""
    assert pb.MatchCause.keys() == ["MATCH_CAUSE_UNSPECIFIED", *(f"MATCH_CAUSE_{cause.name}" for cause in MatchCause)]


def test_an_event_of_a_later_version_is_no_event() -> None:
    """An unset or unknown body, cause or end is None, not a failure and not another event."""
    assert event_from_message(pb.Event(sequence=4), 0) is None
    assert event_from_message(pb.Event.FromString(b"\x9a\x06\x00"), 0) is None
    later = typing.cast("pb.MatchCause.ValueType", 99)
    assert event_from_message(pb.Event(match_over=pb.MatchOver(cause=later)), 0) is None
    assert event_from_message(pb.Event(round_over=pb.RoundOver()), 0) is None


def test_round_ends_are_all_sent() -> None:
    """Every way a round may end has a value that is not the unset one."""
    sent = {event_to_message(RoundOver(0, end, None, (), ())).round_over.end for end in RoundEnd}
    assert len(sent) == len(RoundEnd)
    assert 0 not in sent


@given(events)
def test_what_a_reader_may_pass_over_changes_no_position(event: Event) -> None:
    """Only presence and the draw for the dealer may be passed over."""
    assert event_to_message(event).skippable == isinstance(event, SeatPresence | DealerDrawn)


def test_a_watchers_event_has_no_room_for_a_seats_own() -> None:
    """By its type, what goes to watchers cannot carry a drawn card or a dealt hand."""
    for private in (YouDrew(0, NATURALS[0]), YouWereDealt(0, bag(NATURALS[:7]), False)):
        with pytest.raises(ValueError, match="not public"):
            public_event_to_message(private)
