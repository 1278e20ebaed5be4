"""Replays over the API: what is revealed, and nothing before."""

import asyncio
import json
from pathlib import Path

import grpc
import pytest

from clients.cli.replay import show
from engine.record.audit import audit
from engine.record.canonical import PUBLIC_START, canonical, linked
from engine.stand_in import minimal
from referee.server import Storage, start
from referee.store.rows import ENDED
from rummyref.v1 import replay_service_pb2
from rummyref.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.cli.replaying import called
from tests.referee.conftest import House, Stream, bearer, exported
from wire.moves import play_to_message
from wire.views import seat_view_from_message


async def played(house: House, folder: Path, heads: list[bytes] | None = None) -> tuple[str, str]:
    """Return the id of a table played to its end, its replay in *folder*, and a token; note public *heads* told."""
    table_id, tokens, streams = await house.two_seated()
    rules = house.referee.hall.tables[table_id]._live.match.rules
    told = [] if heads is None else heads

    async def play(stream: Stream) -> None:
        while (message := await stream.next()).WhichOneof("kind") != "table_over":
            if message.WhichOneof("kind") == "decision":
                told.append(message.decision.public_head)
                view = seat_view_from_message(message.decision.view, rules)
                await stream.submit(message.decision, play_to_message(minimal(view.position)))

    await asyncio.gather(*map(play, streams))
    await exported(house, folder, table_id)
    return table_id, tokens[0]


async def fetched(house: House, token: str, match_id: str) -> list[str]:
    """Return the lines of a replay."""
    request = replay_service_pb2.GetReplayRequest(match_id=match_id)
    parts = ReplayServiceStub(house.channel).GetReplay(request, metadata=bearer(token))
    return [line async for part in parts for line in part.lines]


async def test_a_replay_is_listed_and_is_its_file(house: House, tmp_path: Path) -> None:
    """Whoever has a token gets the lines of the file, which an audit finds sound."""
    table_id, token = await played(house, tmp_path / "replays")
    stub = ReplayServiceStub(house.channel)
    listed = await stub.ListReplays(replay_service_pb2.ListReplaysRequest(), metadata=bearer(token))
    assert [replay.match_id for replay in listed.replays] == [table_id]
    assert list(listed.replays[0].players) == ["anna", "ben"]
    assert listed.replays[0].preset == "remi"
    assert not listed.replays[0].is_void
    lines = await fetched(house, token, table_id)
    assert "".join(lines) == (tmp_path / "replays" / f"{table_id}.rummy.jsonl").read_text("utf-8")
    assert audit(lines).ok


async def test_what_seats_were_told_can_be_held_against_the_replay(house: House, tmp_path: Path) -> None:
    """Every head of the public chain that came with a decision is one that the replay gives, in the same order."""
    told: list[bytes] = []
    table_id, _ = await played(house, tmp_path / "replays", told)
    file = tmp_path / "replays" / f"{table_id}.rummy.jsonl"
    steps = json.loads(called(show, file, public=True, as_json=True).out)["steps"]
    heads = [step["public_head"] for step in steps]
    places = [heads.index(head.hex()) for head in told]
    assert len(places) > 20
    assert places == sorted(places)
    head = PUBLIC_START
    for step in steps:
        for event in step["events"]:
            head = linked(head, canonical(event))
        assert step["public_head"] == head.hex()


async def test_pages_are_in_the_order_of_the_ids(house: House, tmp_path: Path) -> None:
    """Page by page every replay comes once."""
    found = {(await played(house, tmp_path / "replays"))[0] for _ in range(3)}
    token = await house.register()
    stub, pages, page = ReplayServiceStub(house.channel), [], ""
    while True:
        request = replay_service_pb2.ListReplaysRequest(page_size=2, page_token=page)
        answer = await stub.ListReplays(request, metadata=bearer(token))
        pages.append([replay.match_id for replay in answer.replays])
        page = answer.next_page_token
        if not page:
            break
    assert [len(each) for each in pages] == [2, 1]
    assert [match_id for each in pages for match_id in each] == sorted(found)


async def test_nothing_before_the_reveal(house: House) -> None:
    """A match that is played, one that has ended while its set goes on, and one that is none."""
    table_id, tokens, _ = await house.two_seated()
    for match_id, code in ((table_id, "FAILED_PRECONDITION"), ("t-none", "NOT_FOUND")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await fetched(house, tokens[0], match_id)
        assert refused.value.code().name == code
    row = house.referee.hall.store.table(table_id)
    assert row is not None
    assert row.state != ENDED
    stub = ReplayServiceStub(house.channel)
    assert not (await stub.ListReplays(replay_service_pb2.ListReplaysRequest(), metadata=bearer(tokens[0]))).replays
    with pytest.raises(grpc.aio.AioRpcError) as stranger:
        await fetched(house, "nobody", table_id)
    assert stranger.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_replay_that_a_kill_left_unwritten_is_written_at_the_next_start(tmp_path: Path) -> None:
    """Whatever is revealed in the record has its file once the referee runs again."""
    database, folder = f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"
    first = await start("127.0.0.1:0", Storage(database, folder))
    async with grpc.aio.insecure_channel(first.address) as channel:
        table_id, _ = await played(House(first, channel), folder)
    await first.stop(0)
    file = folder / f"{table_id}.rummy.jsonl"
    written = file.read_bytes()
    file.unlink()
    second = await start("127.0.0.1:0", Storage(database, folder))
    assert file.read_bytes() == written
    await second.stop(0)
