"""Watching late, slowly, or again: every event once and in order, and nobody waits for it."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.record.entries import Entry, Result
from referee import hall as hall_module
from referee.services import table_service
from referee.store.rows import ENDED
from referee.tables.messages import Told, Watcher, WatchFrom
from referee.tables.past import PastTable, past_table
from rummyref.v1 import table_service_pb2 as pb
from tests.referee.conftest import WITHIN_S, House, bearer
from tests.referee.test_replay_service import played


async def watched(house: House, token: str, table_id: str, after: int = 0) -> list[pb.WatchResponse]:
    """Return what a watch tells from *after* on, until it ends."""
    call = house.tables().Watch(pb.WatchRequest(table_id=table_id, after_sequence=after), metadata=bearer(token))
    async with asyncio.timeout(WITHIN_S):
        return [message async for message in call]


async def test_a_match_is_watched_again_as_it_was(house: House, tmp_path: Path) -> None:
    """Afterwards the same events come under the same numbers, from any of them on."""
    live: list[tuple[int, Told]] = []
    watcher, started = Watcher(lambda sequence, told: live.append((sequence, told)), lambda: None), asyncio.Event()
    run = house.referee.hall._run

    def watch_from_the_start(table: Any) -> None:
        run(table)
        table.post(WatchFrom(0, watcher))
        started.set()

    house.referee.hall._run = watch_from_the_start  # type: ignore[method-assign]
    table_id, token = await played(house, tmp_path / "replays")
    assert started.is_set()
    again = await watched(house, token, table_id)
    assert [(message.event.sequence, message.event.public_head) for message in again] == [
        (sequence, told.public_head) for sequence, told in live
    ]
    for after in (1, len(live) // 2, len(live), len(live) + 1, 2**64 - 1):
        assert await watched(house, token, table_id, after) == again[after:]


async def test_a_slow_watcher_misses_nothing_it_asks_for_again(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More events than may wait for it end its watch behind the first of them, and it goes on from the last it has."""
    monkeypatch.setattr(table_service, "_WATCH_LIMIT", 3)
    queue: asyncio.Queue[Any] = asyncio.Queue()
    for number in range(9):
        table_service._offer(queue, (number, Told(None, b"", [])))  # type: ignore[arg-type]
    assert [queue.get_nowait()[0] for _ in range(3)] == [0, 1, 2]
    assert queue.get_nowait() is None
    assert queue.empty()
    table_id, token = await played(house, tmp_path / "replays")
    sequences = [message.event.sequence for message in await watched(house, token, table_id)]
    assert sequences == list(range(1, len(sequences) + 1))
    assert len(sequences) > 9


async def test_who_comes_to_watch_while_a_match_ends_is_told_all_of_it(house: House, tmp_path: Path) -> None:
    """A watcher that arrives while the last play is being made durable gets every event, and then the end."""
    told, closed = list[int](), asyncio.Event()
    watcher = Watcher(lambda sequence, _: told.append(sequence), closed.set)
    run = house.referee.hall._run

    def watch_at_the_end(table: Any) -> None:
        append = table._append

        async def append_and_watch(entries: list[Entry]) -> None:
            if any(isinstance(entry, Result) for entry in entries):
                table.post(WatchFrom(0, watcher))
            await append(entries)

        table._append = append_and_watch
        run(table)

    house.referee.hall._run = watch_at_the_end  # type: ignore[method-assign]
    table_id, token = await played(house, tmp_path / "replays")
    async with asyncio.timeout(WITHIN_S):
        await closed.wait()
    assert told == [message.event.sequence for message in await watched(house, token, table_id)]


async def test_a_long_match_that_is_over_keeps_nobody_waiting(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one is folded for whoever looks at it, however long that takes, everything else goes on; one at a time."""
    table_id, token = await played(house, tmp_path / "replays")
    folding, done, folds = threading.Event(), threading.Event(), []

    def fold(*arguments: Any) -> PastTable:
        folds.append(arguments)
        folding.set()
        assert done.wait(60)
        return past_table(*arguments)

    monkeypatch.setattr(hall_module, "past_table", fold)
    look = pb.GetTableRequest(table_id=table_id)
    calls = [asyncio.ensure_future(house.tables().GetTable(look, metadata=bearer(token))) for _ in range(2)]
    watch = asyncio.ensure_future(watched(house, token, table_id))
    assert await asyncio.to_thread(folding.wait, 60)
    await house.table(await house.register())
    assert len(folds) == 1
    done.set()
    for answer in await asyncio.gather(*calls):
        assert answer.table.state == pb.TABLE_STATE_ENDED
        assert answer.table.HasField("view")
        assert answer.table.commitment
    assert await watch
    row = house.referee.hall.store.table(table_id)
    assert row is not None
    assert row.state == ENDED
