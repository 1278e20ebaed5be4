"""Streams that are misused: each is bounded, told, and harms nobody else."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, NoReturn

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee import attendance, credit, streams
from referee.credit import Credit
from referee.store.queries import Store
from referee.streams import OUTBOX_LIMIT, PlayerStream, StreamWishes
from referee.tables.messages import Outgoing, SendNotice
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import reasons_pb2
from tests.referee.conftest import WITHIN_S, House, Stream, bearer


def quiet(capacity: int = 1) -> PlayerStream:
    """Return a stream that nobody writes."""
    return PlayerStream("p", capacity, StreamWishes(True, False, False, False), Credit())


async def test_an_overflowing_outbox_ends_in_one_notice() -> None:
    """What waited is dropped, the reader is told why, and nothing can be queued any more."""
    stream = quiet()
    for number in range(OUTBOX_LIMIT + 5):
        stream.send(SendNotice("INTERNAL", str(number)))
    written: list[Outgoing] = []

    async def write(message: Outgoing) -> None:
        written.append(message)

    await stream.drain(write)
    [notice] = written
    assert isinstance(notice, SendNotice)
    assert notice.reason == "SLOW_READER"


async def test_a_reader_that_takes_nothing_is_closed_and_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its transport is full, so it hears of it by how the stream ends; its seats are free for another stream."""
    token = await house.register()
    stream = Stream(house.channel, token)
    await stream.hello()
    [carried] = house.referee.hall.streams()
    monkeypatch.setattr(streams, "STUCK_S", 0.2)
    for _ in range(200):
        carried.send(SendNotice("INTERNAL", "x" * 50_000))
    await asyncio.wait_for(carried.abandoned.wait(), WITHIN_S)
    assert await stream.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "read faster" in str(await stream.call.details())
    assert house.referee.hall.streams() == []


@pytest.mark.parametrize("before", [[], [pb.PlayRequest(hello=pb.Hello(protocol=1)).SerializeToString()]])
async def test_bytes_that_are_no_message_end_the_stream_with_a_reason(house: House, before: list[bytes]) -> None:
    """Instead of the hello or behind it: the status says what is wrong, and the player can come back."""
    token = await house.register()

    async def requests() -> AsyncIterator[bytes]:
        for message in (*before, b"\xff\xff\xff\xff"):
            yield message

    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = house.channel.stream_stream(
        "/rummyref.v1.PlayService/Play", lambda message: message, lambda message: message
    )
    call = method(requests(), metadata=bearer(token))
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        async for _ in call:
            pass
    assert ended.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "cannot be read" in str(ended.value.details())
    await Stream(house.channel, token).hello()


async def test_submissions_for_no_seat_ask_no_database(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of them costs a notice each, which repeats no more of a made-up id than an id can have."""

    def fail(*_: object) -> NoReturn:
        raise AssertionError("the database was asked")

    stream = Stream(house.channel, await house.register())
    await stream.hello()
    monkeypatch.setattr(Store, "seats", fail)
    monkeypatch.setattr(Store, "table", fail)
    await stream.send(submit=pb.Submit(table_id="t" * 1000, seat=3))
    notice = (await stream.read("notice")).notice
    assert reasons_pb2.Reason.Name(notice.reason) == "REASON_SEAT_NOT_YOURS"
    assert notice.table_id == "t" * 64


async def test_seats_beyond_a_streams_capacity_wait_for_room(house: House) -> None:
    """A player that comes back with room for one table gets one of its two; the other once the first has ended."""
    anna, ben = await house.register("anna"), await house.register("ben")
    tables = {await house.table(anna), await house.table(anna)}
    for table_id in tables:
        await house.take(anna, table_id)
        await house.take(ben, table_id)
    await Stream(house.channel, ben).hello(capacity=2)
    stream = Stream(house.channel, anna)
    await stream.hello(capacity=1)
    first = (await stream.read("seated")).seated.table_id
    [mine] = [each for each in house.referee.hall.streams() if each.capacity == 1]
    assert {table_id for table_id, _ in mine.seats} == {first}
    await house.referee.hall.discard(first)
    second = (await stream.read("seated")).seated.table_id
    assert {first, second} == tables


async def test_a_player_has_so_many_streams_and_no_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next is refused with the reason; once one has ended there is room again, and others have their own."""
    monkeypatch.setattr(attendance, "STREAMS_PER_PLAYER", 2)
    token = await house.register()
    first, second, third = (Stream(house.channel, token) for _ in range(3))
    await first.hello()
    await second.hello()
    await third.send(hello=pb.Hello(protocol=1))
    assert await third.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await Stream(house.channel, await house.register()).hello()
    await first.call.done_writing()
    assert await first.ended() is grpc.StatusCode.OK
    await Stream(house.channel, token).hello()


async def test_a_player_is_there_while_one_of_its_streams_is() -> None:
    """From the first that joins until the last has left."""
    present, first, second = attendance.Attendance({}), quiet(), quiet()
    seen = [present.is_there("p")]
    for stream in (first, second):
        present.join(stream, ())
        seen.append(present.is_there("p"))
    for stream in (first, first, second):
        present.leave(stream)
        seen.append(present.is_there("p"))
    assert seen == [False, True, True, True, True, False]


async def test_a_second_stream_takes_the_seats_that_wait(house: House) -> None:
    """Room is room, whichever stream brings it."""
    anna, ben = await house.register("anna"), await house.register("ben")
    for _ in range(2):
        table_id = await house.table(anna)
        await house.take(anna, table_id)
        await house.take(ben, table_id)
    await Stream(house.channel, ben).hello(capacity=2)
    both = [Stream(house.channel, anna), Stream(house.channel, anna)]
    seated = []
    for stream in both:
        await stream.hello(capacity=1)
        seated.append((await stream.read("seated")).seated.table_id)
    assert len(set(seated)) == 2


class Time:
    """A clock that a test moves, in the place of the monotonic one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take its place."""
        self.now_s = 100.0
        monkeypatch.setattr("referee.credit.time.monotonic", lambda: self.now_s)


def test_credit_lets_a_burst_through_and_then_so_many_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any ten seconds no more than the burst and ten seconds' worth are read, without a decision."""
    time = Time(monkeypatch)
    account, read = Credit(), 0
    while time.now_s < 110.0:
        time.now_s += account.spend()
        read += 1
    assert credit.BURST + 10 * credit.PER_SECOND <= read <= credit.BURST + 10 * credit.PER_SECOND + 2


def test_who_answers_decisions_is_never_made_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one that uses all the refusals a decision bears, and without a moment between decisions."""
    Time(monkeypatch)
    account = Credit()
    for _ in range(5_000):
        account.earn()
        assert [account.spend() for _ in range(21)] == [0.0] * 21


def test_a_pause_gives_credit_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """After long enough there is a whole burst again, and no more."""
    time = Time(monkeypatch)
    account = Credit()
    while not account.spend():
        pass
    time.now_s += 1_000
    assert not any(account.spend() for _ in range(credit.BURST))
    assert account.spend() > 0


def filled(message: Message, rng: random.Random, depth: int = 0) -> None:
    """Set fields of *message* to anything that its types allow, unknown enum values included."""
    for number in message.DESCRIPTOR.fields:
        if rng.random() < 0.3:
            continue
        times = rng.randrange(4) if number.is_repeated else 1
        for _ in range(times):
            if number.message_type is not None:
                if depth < 5 and not number.message_type.GetOptions().map_entry:
                    target = getattr(message, number.name)
                    filled(target.add() if number.is_repeated else target, rng, depth + 1)
                continue
            value = anything(number, rng)
            if number.is_repeated:
                getattr(message, number.name).append(value)
            else:
                setattr(message, number.name, value)


def anything(number: Any, rng: random.Random) -> object:
    """Return a value for a field that is no message."""
    if number.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice([0, 1, 2, 7, 53, 54, 55, 99, -1, 2**31 - 1])
    if number.type == FieldDescriptor.TYPE_BOOL:
        return rng.random() < 0.5
    if number.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(["", "t", "t" * 500, "\x00", "ąę"])
    if number.type == FieldDescriptor.TYPE_BYTES:
        return rng.randbytes(rng.choice([0, 1, 32, 33]))
    return rng.choice([0, 1, 2, 3, 64, 65, 2**31 - 1])


async def test_nothing_a_seat_can_say_makes_its_table_fail(house: House) -> None:
    """Whatever fits the types is answered, refused or noticed; the table plays on, and so does the stream."""
    failed: list[str] = []
    house.referee.hall.on_failed.append(failed.append)
    table_id, _, both = await house.two_seated()
    rng = random.Random(20261130)
    for attempt in range(1, 1_500):
        seat = rng.randrange(2)
        request = pb.PlayRequest()
        filled(request.submit, rng)
        request.submit.table_id, request.submit.seat, request.submit.attempt = table_id, seat, attempt
        if (open_ := open_decision(house, table_id)) is not None:
            request.submit.decision_id = open_
        await both[seat].call.write(request)
        if attempt % 10 == 0:
            await said_all(both)
    await said_all(both)
    assert failed == []
    kinds = Counter(json.loads(body)["kind"] for body in house.referee.hall.store.entries(table_id))
    assert kinds["refusal"] > 100
    assert kinds["stand_in"] > 5


async def said_all(streams: list[Stream]) -> None:
    """Return once the referee has read all that *streams* have said."""
    for stream in streams:
        await stream.send()
        while "no kind" not in (await stream.read("notice")).notice.message:
            pass


def open_decision(house: House, table_id: str) -> int | None:
    """Return the number of the decision that is open at a table, None where it has ended."""
    table = house.referee.hall.tables.get(table_id)
    return None if table is None else table._timer.decision
