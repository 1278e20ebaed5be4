"""The Play stream: decisions, answers, refusals, and who may send what."""

import grpc
import pytest

from engine.notation import parse_play
from rummyref.v1 import moves_pb2, reasons_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.conftest import House, Stream
from wire.moves import play_to_message

DRAW = play_to_message(parse_play("draw"))


def reason(name: str) -> int:
    """Return a reason's value."""
    return reasons_pb2.Reason.Value(f"REASON_{name}")


def discard(decision: pb.Decision) -> moves_pb2.Play:
    """Return the discard of the first card of the hand shown."""
    return moves_pb2.Play(moves=[moves_pb2.Move(discard=moves_pb2.Discard(card=decision.view.own.hand[0]))])


async def turn(stream: Stream, decision: pb.Decision) -> None:
    """Draw and discard."""
    await stream.submit(decision, DRAW)
    second = (await stream.read("decision")).decision
    await stream.submit(second, discard(second))


async def test_a_drawn_card_reaches_its_seat_alone(house: House) -> None:
    """The drawer gets the card; the other seat hears that a card was drawn."""
    _, _, (first, second) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.submit(decision, DRAW)
    bodies = []
    while "you_drew" not in bodies:
        bodies.append((await first.read("event")).event.event.WhichOneof("body"))
    assert bodies[-2:] == ["card_drawn", "you_drew"]
    later = (await first.read("decision")).decision
    await first.submit(later, discard(later))
    heard = []
    while "play_made" not in heard:
        heard.append((await second.read("event")).event.event.WhichOneof("body"))
    assert "you_drew" not in heard
    assert heard[-2:] == ["card_drawn", "play_made"]


async def test_a_whole_match_is_played_to_its_end(house: House) -> None:
    """Draws and discards lead to the end of the match, told to both seats alike."""
    _, _, streams = await house.two_seated(delivery=pb.DELIVERY_GATHERED)
    over: list[pb.TableOver] = []
    active = 0
    while len(over) < 2:
        message = await streams[active].next()
        kind = message.WhichOneof("kind")
        if kind == "decision":
            await turn_of(streams[active], message.decision)
            active = active if message.decision.view.public.phase == 1 else 1 - active
        elif kind == "table_over":
            over.append(message.table_over)
            active = 1 - active
    assert over[0].result == over[1].result
    assert len(over[0].result.totals) == 2


async def turn_of(stream: Stream, decision: pb.Decision) -> None:
    """Answer one decision: draw, or discard the first card."""
    drawing = decision.view.public.phase == 1
    await stream.submit(decision, DRAW if drawing else discard(decision))


async def test_a_refused_play_changes_nothing_and_leaves_the_decision_open(house: House) -> None:
    """A refusal carries its reason; the next attempt may be accepted."""
    _, _, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.submit(decision, play_to_message(parse_play("take 1; discard 2C")))
    refused = (await first.read("answer")).answer
    assert refused.refused.reason == reason("TAKE_TOO_DEEP")
    await first.submit(decision, DRAW, attempt=2)
    assert (await first.read("answer")).answer.WhichOneof("outcome") == "accepted"


@pytest.mark.parametrize(
    ("play", "name"),
    [
        (moves_pb2.Play(), "PLAY_EMPTY"),
        (moves_pb2.Play(moves=[moves_pb2.Move()]), "MOVE_MALFORMED"),
        (moves_pb2.Play(moves=[moves_pb2.Move(discard=moves_pb2.Discard())]), "CARD_MALFORMED"),
        (moves_pb2.Play(moves=[moves_pb2.Move(discard=moves_pb2.Discard(card=99))]), "CARD_MALFORMED"),  # type: ignore[arg-type]
        (moves_pb2.Play(moves=[moves_pb2.Move(lay_off=moves_pb2.LayOff(meld=1, end=7, cards=[1]))]), "MOVE_MALFORMED"),  # type: ignore[arg-type, list-item]
        (moves_pb2.Play(moves=[moves_pb2.Move(draw=moves_pb2.Draw())] * 100), "MOVE_MALFORMED"),
        (play_to_message(parse_play("draw; discard 2C")), "DRAW_NOT_ALONE"),
        (play_to_message(parse_play("discard 2C")), "WRONG_PHASE"),
        (play_to_message(parse_play("lay-off m1 2C")), "WRONG_PHASE"),
    ],
)
async def test_malformed_and_illegal_plays_are_refused_with_their_reason(
    house: House, play: moves_pb2.Play, name: str
) -> None:
    """Whatever is sent, the stream lives and the draw that is due is still possible."""
    _, _, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.submit(decision, play)
    assert (await first.read("answer")).answer.refused.reason == reason(name)
    await first.submit(decision, DRAW, attempt=2)
    assert (await first.read("answer")).answer.WhichOneof("outcome") == "accepted"


async def test_repeating_a_request_gives_the_first_answer(house: House) -> None:
    """The same attempt again changes nothing; another one after acceptance is stale."""
    _, _, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.submit(decision, play_to_message(parse_play("discard 2C")))
    once = (await first.read("answer")).answer
    await first.submit(decision, DRAW)
    assert (await first.read("answer")).answer == once
    await first.submit(decision, DRAW, attempt=2)
    accepted = (await first.read("answer")).answer
    await first.submit(decision, DRAW, attempt=2)
    assert (await first.read("answer")).answer == accepted
    await first.submit(decision, DRAW, attempt=3)
    assert (await first.read("answer")).answer.refused.reason == reason("DECISION_STALE")


async def test_a_seat_out_of_turn_is_refused(house: House) -> None:
    """The other seat learns whose turn it is."""
    _, _, (first, second) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await second.submit(decision, DRAW, seat=1)
    answer = (await second.read("answer")).answer
    assert answer.refused.reason == reason("NOT_YOUR_TURN")
    assert answer.refused.facts["turn"] == "0"


async def test_nobody_plays_for_another_players_seat(house: House) -> None:
    """A submission for somebody else's seat gets a notice and changes nothing."""
    _, _, (first, second) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await second.submit(decision, DRAW)
    assert (await second.read("notice")).notice.reason == reason("SEAT_NOT_YOURS")
    await first.submit(decision, DRAW)
    assert (await first.read("answer")).answer.WhichOneof("outcome") == "accepted"


async def test_checking_says_what_is_owed_and_changes_nothing(house: House) -> None:
    """validate_only accepts a draw any number of times, and tells no card."""
    _, _, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    for _ in range(3):
        await first.submit(decision, DRAW, validate_only=True)
        answer = (await first.next()).answer
        assert answer.WhichOneof("outcome") == "accepted"
        assert not answer.open_debts
    await first.submit(decision, DRAW)
    later = (await first.read("decision")).decision
    lay = moves_pb2.Move(lay=moves_pb2.Lay(cards=later.view.own.hand[:3]))
    await first.submit(later, moves_pb2.Play(moves=[lay]), validate_only=True)
    assert (await first.read("answer")).answer.WhichOneof("outcome") in ("accepted", "refused")


async def test_twenty_refusals_are_an_illegal_answer(house: House) -> None:
    """The stand-in answers for a seat that cannot make up its mind."""
    _, _, (first, second) = await house.two_seated()
    decision = (await first.read("decision")).decision
    for attempt in range(1, 21):
        await first.submit(decision, moves_pb2.Play(), attempt=attempt)
    while True:
        event = (await second.read("event")).event.event
        if event.WhichOneof("body") == "play_made":
            break
    assert event.play_made.stand_in


async def test_a_stream_begins_with_hello(house: House) -> None:
    """Anything else ends the stream with its reason."""
    stream = Stream(house.channel, await house.register())
    await stream.send(submit=pb.Submit())
    assert await stream.ended() is grpc.StatusCode.INVALID_ARGUMENT


async def test_another_protocol_is_told_so(house: House) -> None:
    """A client of another major version gets one clear line."""
    stream = Stream(house.channel, await house.register())
    await stream.send(hello=pb.Hello(protocol=99))
    assert await stream.ended() is grpc.StatusCode.FAILED_PRECONDITION
    assert "protocol 1" in (await stream.call.details() or "")


@pytest.mark.parametrize("token", ["", "wrong"])
async def test_a_wrong_token_gets_nothing(house: House, token: str) -> None:
    """Neither stream nor call."""
    stream = Stream(house.channel, token)
    assert await stream.ended() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_message_without_kind_gets_a_notice_and_the_stream_lives(house: House) -> None:
    """An empty request, and a second hello, are answered with a notice."""
    _, _, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.send()
    assert (await first.read("notice")).notice.reason == reason("MESSAGE_MALFORMED")
    await first.send(hello=pb.Hello(protocol=1))
    assert (await first.read("notice")).notice.reason == reason("MESSAGE_MALFORMED")
    await first.submit(decision, DRAW)
    assert (await first.read("answer")).answer.WhichOneof("outcome") == "accepted"


async def test_an_oversize_message_ends_only_its_own_stream(house: House) -> None:
    """The table goes on and the seat can be resumed."""
    table_id, tokens, (first, _) = await house.two_seated()
    decision = (await first.read("decision")).decision
    await first.submit(decision, DRAW, table_id="x" * 100_000)
    assert await first.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
    again = Stream(house.channel, tokens[0])
    await again.hello(resume=[pb.Resume(table_id=table_id, seat=0, last_sequence=0)])
    assert (await again.read("decision")).decision.decision_id == decision.decision_id
