"""Broken streams, second streams, absence and the clock."""

import asyncio

import pytest

from rummyref.v1 import events_pb2, reasons_pb2, table_service_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.conftest import WITHIN_S, House, Stream, bearer
from tests.referee.test_play_stream import DRAW, discard, turn


async def test_resuming_brings_the_events_missed_and_the_open_decision(house: House) -> None:
    """After a break the same decision is asked again and no event is lost or doubled."""
    table_id, tokens, (first, second) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await turn(first, decision)
    asked = (await second.read("decision")).decision
    second.call.cancel()
    again = Stream(house.channel, tokens[1])
    await again.hello(resume=[pb.Resume(table_id=table_id, seat=1, last_sequence=2)])
    sequences = []
    while True:
        message = await again.next()
        if message.WhichOneof("kind") == "event":
            sequences.append(message.event.event.sequence)
        elif message.WhichOneof("kind") == "decision":
            break
    assert sequences == list(range(3, 3 + len(sequences)))
    assert message.decision == asked


async def test_a_second_stream_takes_only_the_seats_it_names(house: House) -> None:
    """A seat that is resumed moves though its old stream lives; the old one may not play it."""
    table_id, tokens, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    other = Stream(house.channel, tokens[0])
    await other.hello()
    await first.submit(decision, DRAW, validate_only=True)
    assert (await first.read("answer")).answer.WhichOneof("outcome") == "accepted"
    third = Stream(house.channel, tokens[0])
    await third.hello(resume=[pb.Resume(table_id=table_id, seat=0, last_sequence=0)])
    moved = (await third.read("decision")).decision
    notice = (await first.read("notice")).notice
    assert notice.reason == reasons_pb2.REASON_SEAT_MOVED
    await first.submit(decision, DRAW)
    assert (await first.read("notice")).notice.reason == reasons_pb2.REASON_SEAT_MOVED
    await third.submit(moved, DRAW)
    assert (await third.read("answer")).answer.WhichOneof("outcome") == "accepted"


async def test_seats_of_an_ended_stream_go_to_the_newest_one(house: House) -> None:
    """A player with two streams loses one and goes on with the other."""
    _, tokens, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    other = Stream(house.channel, tokens[0])
    await other.hello()
    first.call.cancel()
    assert (await other.read("decision")).decision.decision_id == decision.decision_id


async def test_time_runs_out_and_the_stand_in_plays(house: House) -> None:
    """A seat that does not answer loses its turn, not its seat."""
    _, _, (first, second) = await house.two_seated("bullet")
    await first.read("decision")
    asked = (await second.read("decision")).decision
    assert asked.seat == 1
    await turn(second, asked)
    assert (await first.read("decision")).decision.seat == 0


@pytest.mark.clause("closed-rummy-10.3")
async def test_a_player_who_leaves_is_played_for_and_welcome_back(house: House) -> None:
    """Leaving marks the seat away; coming back gets the next turn."""
    table_id, tokens, (first, second) = await house.two_seated()
    await first.read("decision")
    request = table_service_pb2.LeaveSeatRequest(table_id=table_id, seat=0)
    await house.tables().LeaveSeat(request, metadata=bearer(tokens[0]))
    await turn(second, (await second.read("decision")).decision)
    asked = (await second.read("decision")).decision
    assert asked.seat == 1
    first.call.cancel()
    again = Stream(house.channel, tokens[0])
    await again.hello(resume=[pb.Resume(table_id=table_id, seat=0)])
    await again.read("seated")
    await turn(second, asked)
    assert (await again.read("decision")).decision.seat == 0


async def test_a_broken_stream_is_noticed_at_once(house: House) -> None:
    """The table shows the seat empty, though no clock runs that could miss it."""
    table_id, tokens, (first, _) = await house.two_seated()
    await first.read("decision")
    first.call.cancel()
    request = table_service_pb2.GetTableRequest(table_id=table_id)

    async def absent() -> None:
        while True:
            answer = await house.tables().GetTable(request, metadata=bearer(tokens[1]))
            if not answer.table.seats[0].present:
                return

    await asyncio.wait_for(absent(), WITHIN_S)


async def test_watchers_hear_public_events_only(house: House) -> None:
    """A watcher gets every public event in order, with the chain that seats see, and no card of a hand."""
    table_id, _, (first, _) = await house.two_seated()
    watch = house.tables().Watch(
        table_service_pb2.WatchRequest(table_id=table_id), metadata=bearer(await house.register("eve"))
    )
    decision = (await first.read("decision")).decision
    await first.submit(decision, DRAW)
    later = (await first.read("decision")).decision
    await first.submit(later, discard(later))
    heard: list[events_pb2.PublicEvent] = []
    while not heard or heard[-1].WhichOneof("body") != "play_made":
        message = await asyncio.wait_for(watch.read(), WITHIN_S)
        heard.append(message.event)
    assert [event.WhichOneof("body") for event in heard] == ["round_dealt", "card_drawn", "play_made"]
    assert [event.sequence for event in heard] == [1, 2, 3]
    told = [(await first.read("event")).event.event for _ in range(1)]
    assert told[0].public_head == heard[-1].public_head
