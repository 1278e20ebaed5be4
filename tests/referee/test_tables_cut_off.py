"""Tables that are stopped at any moment: their record ends once, and nobody waits for them in vain."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from engine.record.deal import Secret
from engine.record.entries import Entry
from engine.rules.registry import rule_set
from referee.hall import Hall
from referee.server import Storage, start
from referee.store.rows import RUNNING, seat_row, table_row, table_write
from referee.tables.messages import EnterOver, Told, Watcher, WatchFrom
from referee.tables.table import Table
from tests.referee.conftest import WITHIN_S, House

RULES = rule_set("remi", {"players": 2, "rounds": 1, "draw_streams": True})
ENDS = {"result", "void"}


async def opened(hall: Hall) -> Table:
    """Return a table of a set whose players never come: it plays itself to its end."""
    player = (await hall.players.register("nobody")).player.id
    row = table_row(RULES, "bullet", "minimal", Secret(bytes(32), 0, False), 1, 0)
    row.state = RUNNING
    await hall.append(table_write(row, [seat_row(row.id, seat, player) for seat in range(2)]))
    table = hall.open_ranked(row, {0: player, 1: player})
    table.post(EnterOver())
    return table


def at_append(table: Table, act: Callable[[int], None]) -> None:
    """Have *act* called with the number of each append of *table*, behind which its entries are on their way."""
    append, count = table._append, 0

    async def counted(entries: list[Entry]) -> None:
        nonlocal count
        durable = asyncio.ensure_future(append(entries))
        await asyncio.sleep(0)
        act(count)
        count += 1
        await durable

    table._append = counted


def kinds(hall: Hall, table_id: str) -> list[str]:
    """Return the kinds of a table's entries."""
    return [json.loads(body)["kind"] for body in hall.store.entries(table_id)]


async def test_the_record_of_a_discarded_table_ends_once(tmp_path: Path) -> None:
    """At whatever entry it is stopped, the record has one header and one end: its result, if it had one by then."""
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    hall, appends = referee.hall, list[int]()
    table = await opened(hall)
    at_append(table, appends.append)
    await asyncio.wait_for(table.result, WITHIN_S)
    last = appends[-1]
    for moment in (0, 1, 2, last // 2, last - 1, last):
        table, discarding = await opened(hall), list[asyncio.Task[None]]()

        def discard(number: int, moment: int = moment, table: Table = table) -> None:
            if number == moment:
                discarding.append(asyncio.ensure_future(hall.discard(table.table_id)))  # noqa: B023 - this round's

        at_append(table, discard)
        await asyncio.wait_for(table.result, WITHIN_S)
        await discarding[0]
        found = kinds(hall, table.table_id)
        assert (found.count("header"), len(ENDS.intersection(found)), found[-1] in ENDS) == (1, 1, True), moment
        assert (found[-1] == "result") == (moment == last)
    await referee.stop(0)


async def test_who_begins_to_watch_as_the_match_ends_sees_all_of_it(house: House) -> None:
    """What comes while the last entry is made durable is served too; and told that nothing follows."""
    table, seen, over = await opened(house.referee.hall), list[int](), asyncio.Event()

    def see(sequence: int, _: Told) -> None:
        seen.append(sequence)

    keep = table._keep

    async def keep_late(entry: Entry, after: object) -> None:
        if after.match.over is not None and not over.is_set():  # type: ignore[attr-defined]
            table.post(WatchFrom(0, Watcher(see, over.set)))
        await keep(entry, after)  # type: ignore[arg-type]

    table._keep = keep_late  # type: ignore[method-assign]
    await asyncio.wait_for(over.wait(), WITHIN_S)
    assert seen == list(range(1, len(table._broadcast._public) + 1))


async def test_who_begins_to_watch_a_table_as_it_is_discarded_is_told_the_end(house: House) -> None:
    """Nobody waits for a table that has gone."""
    table_id, _, _ = await house.two_seated()
    over = asyncio.Event()
    house.referee.hall.tables[table_id].post(WatchFrom(0, Watcher(lambda *_: None, over.set)))
    await house.referee.hall.discard(table_id)
    await asyncio.wait_for(over.wait(), WITHIN_S)
