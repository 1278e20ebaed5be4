"""What watchers see: public events at once, late, or not before the deal is revealed."""

import asyncio
from typing import Any

import grpc
import pytest

from rummyref.v1 import rules_pb2
from rummyref.v1 import table_service_pb2 as pb
from tests.referee.conftest import WITHIN_S, House, Stream, bearer
from tests.referee.test_tables import refused


async def begun(house: House, **watching: object) -> tuple[str, str]:
    """Return a table of a match that has begun and whose watchers are as given, and a token."""
    tokens = [await house.register("anna"), await house.register("ben")]
    request = pb.CreateTableRequest(
        preset="remi",
        options=[rules_pb2.OptionSetting(name="players", value="2"), rules_pb2.OptionSetting(name="rounds", value="1")],
        **watching,  # type: ignore[arg-type]
    )
    table_id = (await house.tables().CreateTable(request, metadata=bearer(tokens[0]))).table.table_id
    streams = [Stream(house.channel, token) for token in tokens]
    for stream, token in zip(streams, tokens, strict=True):
        await stream.hello()
        await house.take(token, table_id)
    for stream in streams:
        await stream.read("seated")
    return str(table_id), tokens[0]


def watching(house: House, token: str, table_id: str) -> Any:
    """Return a call that watches."""
    return house.tables().Watch(pb.WatchRequest(table_id=table_id), metadata=bearer(token))


async def table(house: House, token: str, table_id: str) -> pb.Table:
    """Return what anybody sees of a table."""
    answer = await house.tables().GetTable(pb.GetTableRequest(table_id=table_id), metadata=bearer(token))
    seen: pb.Table = answer.table
    return seen


async def test_live_by_default(house: House) -> None:
    """The deal is seen as soon as it is made, and the view with it."""
    table_id, token = await begun(house)
    response = await asyncio.wait_for(watching(house, token, table_id).read(), WITHIN_S)
    assert response.event.WhichOneof("body") == "round_dealt"
    assert (await table(house, token, table_id)).HasField("view")


async def test_who_looks_at_a_table_leaves_nothing_there(house: House) -> None:
    """However often somebody looks at a match, and however long that takes."""
    table_id, token = await begun(house)
    result, kept = house.referee.hall.tables[table_id].result, []
    for _ in range(3):
        await table(house, token, table_id)
        kept.append(len(result._callbacks or ()))
    assert kept[0] == kept[-1]


async def test_who_watches_a_table_is_told_that_the_referee_goes_down(house: House) -> None:
    """At once, with a reason, and without what is held back; the referee does not wait for watchers."""
    table_id, token = await begun(house, watch_delay={"seconds": 3_600})
    watch = watching(house, token, table_id)
    reading = asyncio.ensure_future(watch.read())
    await table(house, token, table_id)  # the watch began before
    await house.referee.hall.close()
    assert await refused(reading) == "SHUTTING_DOWN"


async def test_late_means_late(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a delay nothing is seen before it is over: no event, no view; afterwards the events come in order."""
    waiting: list[tuple[float, Any, tuple[Any, ...]]] = []
    loop = asyncio.get_running_loop()
    later = loop.call_later

    def call_later(after: float, callback: Any, *arguments: Any, **more: Any) -> Any:
        if after == 3_000:
            waiting.append((after, callback, arguments))
            return None
        return later(after, callback, *arguments, **more)

    monkeypatch.setattr(loop, "call_later", call_later)
    table_id, token = await begun(house, watch_delay={"seconds": 3_000})
    call = watching(house, token, table_id)
    read = asyncio.ensure_future(call.read())
    seen = await table(house, token, table_id)  # behind the watcher in the table's inbox
    assert not seen.HasField("view")
    assert not seen.commitment
    assert not read.done()
    assert waiting
    for _, callback, arguments in waiting:
        callback(*arguments)
    assert (await asyncio.wait_for(read, WITHIN_S)).event.WhichOneof("body") == "round_dealt"


async def test_closed_means_closed(house: House) -> None:
    """A closed table can be neither watched nor looked at while its deal is not revealed."""
    table_id, token = await begun(house, watching=pb.WATCHING_CLOSED)
    with pytest.raises(grpc.aio.AioRpcError, match="closed to watchers"):
        await watching(house, token, table_id).read()
    seen = await table(house, token, table_id)
    assert seen.state == pb.TABLE_STATE_RUNNING
    assert not seen.HasField("view")
    assert not seen.revealed


@pytest.mark.parametrize(
    "wrong", [{"watching": 9}, {"watch_delay": {"seconds": -1}}, {"watch_delay": {"seconds": 3601}}]
)
async def test_a_wrong_wish_is_refused(house: House, wrong: dict[str, Any]) -> None:
    """An unknown way of watching, a negative delay and one too long make no table."""
    token = await house.register()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await house.tables().CreateTable(pb.CreateTableRequest(preset="remi", **wrong), metadata=bearer(token))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
