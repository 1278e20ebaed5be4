"""What a referee holds of a table goes with its end, whatever the streams went through that told of it."""

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import DecodeError

from engine.stand_in import greedy
from referee.tables.table import Table
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.in_process import Gone, House
from wire.moves import play_to_message

WITHIN_S = 60.0


def hello(*resumed: str) -> pb.Hello:
    """Return what the players say."""
    resume = [pb.Resume(table_id=table_id, seat=seat) for table_id in resumed for seat in range(2)]
    return pb.Hello(protocol=1, capacity=1, want_views=True, resume=resume)


async def turn(house: House) -> int:
    """Have the seat whose turn it is end its turn, or the match; return the other one."""
    seat = house.state.match.public.turn
    while house.table_id in house.hall.tables and (state := house.state).match.public.turn == seat:
        play = play_to_message(greedy(state.match.round.position(seat)))
        await house.submit(seat, decision_id=state.decision, attempt=1, play=play)
    return 1 - seat


@pytest.mark.parametrize("end", [lambda: grpc.aio.EOF, Gone, DecodeError], ids=["half-closed", "gone", "unreadable"])
async def test_a_stream_that_ends_keeps_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[[], object]
) -> None:
    """One with a decision that the transport has not taken, and more behind it, leaves nothing to the collector.

    Nor does that of a watcher who is gone. A collection stops every clock's referee as long as there is garbage.
    """
    house = House(tmp_path / "left.db", monkeypatch, None)
    gc.collect()
    gc.disable()
    try:
        await house.begin("remi", {"players": 2, "rounds": 1}, [hello(), hello()])
        ended = asyncio.Event()
        house.hall.on_ended.append(lambda *_: ended.set())
        other = 1 - house.state.match.public.turn
        house.streams[other][-1].is_stuck = house.streams[2][-1].is_gone = True
        assert await turn(house) == other
        house.streams[other][-1].inbound.put_nowait(end())
        await house.settle()
        await house.connect(other, hello(house.table_id))
        while house.table_id in house.hall.tables:
            await turn(house)
        await asyncio.wait_for(ended.wait(), WITHIN_S)
        await house.settle()
        assert isinstance(house.tasks.pop(2).exception(), Gone)
        assert [each for each in gc.get_objects() if type(each) is Table] == []
    finally:
        gc.enable()
        await house.close()
