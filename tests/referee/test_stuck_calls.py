"""Calls that nobody reads on: they hold nothing that others need."""

import asyncio
from pathlib import Path

import pytest

from referee import attendance
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import replay_service_pb2
from tests.referee.in_process import Aborted, Call, House

HELLO = pb.Hello(protocol=1, delivery=pb.DELIVERY_GATHERED)


async def test_replays_that_nobody_reads_hold_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, the database answers whoever asks."""
    house = House(tmp_path / "rummyref.db", monkeypatch, None)
    await house.begin("remi", {"players": 2, "rounds": 1}, [HELLO, HELLO])
    monkeypatch.setattr("referee.services.replay_service._LINES", 1)
    hall = house.hall
    await hall.discard(house.table_id)
    before = house.engine.pool.checkedout()  # type: ignore[attr-defined]  # as every pool of a file's has
    calls = []
    for _ in range(20):
        call = Call(house.tokens[0])
        writing = asyncio.Event()

        async def write(_: object, writing: asyncio.Event = writing) -> None:
            writing.set()
            await asyncio.Event().wait()

        call.write = write  # type: ignore[assignment]
        request = replay_service_pb2.GetReplayRequest(match_id=house.table_id)
        calls.append(asyncio.ensure_future(house.services[1].GetReplay(request, call)))
        await writing.wait()
        assert house.engine.pool.checkedout() == before  # type: ignore[attr-defined]
    for each in calls:
        each.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await house.close()


async def test_streams_whose_welcome_nobody_reads_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player has so many and no more, from their hello on; when they end they are gone."""
    monkeypatch.setattr(attendance, "STREAMS_PER_PLAYER", 1)
    house = House(tmp_path / "rummyref.db", monkeypatch, None)
    token = await house.register("anna")
    first, second = Call(token), Call(token)
    first.is_stuck = True
    for call in (first, second):
        call.inbound.put_nowait(pb.PlayRequest(hello=HELLO))
    stuck = asyncio.ensure_future(house.play.Play(None, first))  # type: ignore[arg-type]
    await house.settle()
    with pytest.raises(Aborted):
        await asyncio.wait_for(house.play.Play(None, second), 60)  # type: ignore[arg-type]
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)
    assert house.hall.streams() == []
    await house.close()
