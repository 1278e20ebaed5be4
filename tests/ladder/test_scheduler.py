"""The scheduler in one process with the hall, without bots."""

import asyncio
import contextlib
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from engine.record.audit import audit
from engine.record.entries import Dealt
from engine.record.ladder_audit import audit_ladder
from engine.record.terms import MatchFound
from referee.hall import Hall
from referee.ladder.begin import begin
from referee.ladder.deals import Deals
from referee.ladder.ledger import Ledger
from referee.ladder.manifest import Manifest, read_manifest
from referee.ladder.results import table_results
from referee.ladder.scheduler import Scheduler, TableFailedError
from referee.server import Referee, Storage, start
from referee.tables.table import Table
from tests.cli.command import rummyref
from tests.ladder.laddering import write_ladder


@pytest.fixture
async def referee(tmp_path: Path) -> AsyncIterator[Referee]:
    """A referee of this test alone."""
    async with running(tmp_path) as started:
        yield started


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Referee]:
    """Run a referee over *folder*."""
    started = await start("127.0.0.1:0", Storage(f"sqlite:///{folder / 'rummyref.db'}", folder / "replays"))
    try:
        yield started
    finally:
        await started.stop(0)


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """A ladder of two."""
    return read_manifest(write_ladder(tmp_path, {"a": ["true"], "b": ["true"]}))


async def scheduled(referee: Referee, manifest: Manifest, folder: Path, *, resume: bool = False) -> Scheduler:
    """Return the scheduler of a ladder whose entrants are all dead."""
    begun = await begin(referee.hall, manifest, folder / "ladder.toml", folder, resume=resume)
    scheduler = Scheduler(referee.hall, manifest, begun, lambda _: None, lambda _: None)
    await scheduler.prepare()
    scheduler.attendance.dead.update(manifest.names)
    return scheduler


async def test_a_ladder_without_bots_ends(referee: Referee, manifest: Manifest, tmp_path: Path) -> None:
    """Every seat of every table is forfeited, and every replay is written."""
    scheduler = await scheduled(referee, manifest, tmp_path)
    await scheduler.run()
    assert scheduler.progress.sets_done == 2
    results = table_results(referee.hall.store, "test")
    forfeits = [lost.cause.value for table in results for lost in table.result.forfeits]
    assert forfeits == ["never_came"] * 8
    assert len(list((tmp_path / "replays").glob("*.rummy.jsonl"))) == 4


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> list[str]:
    """Let tables fail *times* times as they begin their match; return the ids of those that have failed."""
    failed: list[str] = []
    begin_match = Table._begin

    def fail(table: Table, dealt: Dealt) -> None:
        if len(failed) < times:
            failed.append(table.table_id)
            raise RuntimeError("a bug")
        begin_match(table, dealt)

    monkeypatch.setattr(Table, "_begin", fail)
    return failed


async def test_a_set_with_a_fault_of_the_referee_is_void_and_played_again(
    referee: Referee, manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its other table does not count either; the set is whole in the end, on a deal of its own, and nobody's fault."""
    failed = failing(monkeypatch, 1)
    scheduler = await scheduled(referee, manifest, tmp_path)
    await scheduler.run()
    assert scheduler.progress.sets_done == 2
    assert sorted(table.set_number for table in table_results(referee.hall.store, "test")) == [0, 0, 1, 1]
    store = referee.hall.store
    [void] = store.void_sets("test")
    assert (void.set_number, void.attempt, void.cause) == (0, 0, "referee_fault")
    assert failed[0] in json.loads(void.tables)
    fixtures = store.fixtures("test")
    assert {row.table_id for row in fixtures}.isdisjoint(json.loads(void.tables))
    played = [store.table(row.table_id) for row in fixtures if row.set_number == 0]
    before = [store.table(table_id) for table_id in json.loads(void.tables)]
    assert {row.state for row in before if row} == {"void"}
    assert {row.state for row in played if row} == {"ended"}
    assert {row.secret for row in before if row}.isdisjoint(row.secret for row in played if row)
    replays = list((tmp_path / "replays").glob("*.rummy.jsonl"))
    assert len(replays) == 4 + len(before)
    assert all(audit(path.read_text("utf-8").splitlines(keepends=True)).ok for path in replays)


async def test_faults_without_end_stop_the_ladder(
    referee: Referee, manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set that fails four times in a row is not played for ever, and has no result."""
    failing(monkeypatch, 1000)
    scheduler = await scheduled(referee, manifest, tmp_path)
    with pytest.raises(TableFailedError, match="fault of rummyref"):
        await scheduler.run()
    assert table_results(referee.hall.store, "test") == []
    assert max(void.attempt for void in referee.hall.store.void_sets("test")) == 3


async def test_a_table_that_cannot_be_read_back_is_void(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restart that fails at the tables of a ladder does not fail itself, and their sets are played again."""
    async with running(tmp_path) as first:
        scheduler = await scheduled(first, manifest, tmp_path)
        opened = asyncio.Semaphore(0)

        async def run(_: Table) -> None:
            opened.release()
            await asyncio.Event().wait()

        monkeypatch.setattr(Table, "run", run)
        playing = asyncio.ensure_future(scheduler.run())
        for _ in range(4):
            await opened.acquire()
        playing.cancel()
        monkeypatch.undo()
    monkeypatch.setattr(Table, "restore", lambda *_: json.loads("a bug"))
    async with running(tmp_path) as second:
        monkeypatch.undo()
        assert second.hall.tables == {}
        scheduler = await scheduled(second, manifest, tmp_path, resume=True)
        await scheduler.run()
        assert scheduler.progress.sets_done == 2
        assert [void.set_number for void in second.hall.store.void_sets("test")] == [0, 1]
        await scheduler.close()
    verified = rummyref("ladder", "verify", str(tmp_path / "ladders" / "test.ladder.jsonl"))
    assert "ok, deals 2 played, 2 void" in verified.stdout, verified


async def test_bad_conduct_withdraws_until_the_entrant_returns(referee: Referee, tmp_path: Path) -> None:
    """After its share of bad rounds no set with it is planned; readmitted, it plays those that were left out."""
    file = write_ladder(
        tmp_path, {"a": ["true"], "b": ["true"]}, "[ladder.policy]\nbad_after = 4", sets=9, parallel_tables=1
    )  # fmt: skip
    manifest = read_manifest(file)
    scheduler = await scheduled(referee, manifest, tmp_path)
    await scheduler.run()
    assert (scheduler.progress.sets_done, scheduler.progress.sets_aside) == (3, 6)
    again = await scheduled(referee, manifest, tmp_path, resume=True)
    assert (again.readmit("a"), again.readmit("b"), again.readmit("a")) == (True, True, False)
    await again.run()
    assert (again.progress.sets_done, again.progress.sets_aside) == (6, 3)
    await referee.hall.append([])  # whatever was appended before is durable now
    rows = referee.hall.store.entrant_events("test")
    assert [(row.entrant, row.kind, row.set_number, row.rounds) for row in rows] == [
        (entrant, kind, from_set, rounds)
        for kind, from_set, rounds in (("withdrawn", 3, 4), ("returned", 3, 6), ("withdrawn", 6, 4))
        for entrant in "ab"
    ]
    await again.close()
    record = (tmp_path / "ladders" / "test.ladder.jsonl").read_text("utf-8").splitlines(keepends=True)
    kinds = [json.loads(line).get("entry", {}).get("kind") for line in record]
    assert [kind for kind in kinds if kind in ("withdrawn", "returned")] == [row.kind for row in rows]
    assert audit_ladder(record, lambda _table, _proof: MatchFound(played=True)).problem == ""


async def test_an_ended_table_leaves_nothing_to_the_collector(
    referee: Referee, manifest: Manifest, tmp_path: Path
) -> None:
    """It goes as soon as it has ended: a collection stops every clock's referee for as long as there is garbage."""
    gc.collect()
    gc.disable()
    try:
        scheduler = await scheduled(referee, manifest, tmp_path)
        await scheduler.run()
        assert [each for each in gc.get_objects() if type(each) is Table] == []
    finally:
        gc.enable()


async def test_a_ladder_is_resumed_behind_a_void_set(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed just as a set has become void: its fresh deal is bound on resuming, whatever was played after it."""
    async with running(tmp_path) as referee:
        failed = failing(monkeypatch, 1)
        scheduler = await scheduled(referee, manifest, tmp_path)
        monkeypatch.setattr(Deals, "ready", only_first_deals(Deals.ready))
        with pytest.raises(KeyError):
            await scheduler.run()
        assert len(failed) == 1
        await scheduler.close()
    monkeypatch.undo()
    async with running(tmp_path) as referee:
        scheduler = await scheduled(referee, manifest, tmp_path, resume=True)
        await scheduler.run()
        assert scheduler.progress.sets_done == 2
        await scheduler.close()
    verified = rummyref("ladder", "verify", str(tmp_path / "ladders" / "test.ladder.jsonl"))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "ok, deals 2 played, 1 void" in verified.stdout
    assert "not over" not in verified.stdout


async def test_a_set_that_cannot_be_shown_stops_the_ladder(
    referee: Referee, manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its record would end with the deal called unused; resumed, it shows the set and ends as any other."""

    async def fail(*_: object) -> str:
        raise OSError("no such table")

    scheduler = await scheduled(referee, manifest, tmp_path)
    with monkeypatch.context() as broken:
        broken.setattr(Hall, "reveal", fail)
        with pytest.raises(OSError, match="no such table"):
            await scheduler.run()
        await scheduler.close()
    scheduler = await scheduled(referee, manifest, tmp_path, resume=True)
    await scheduler.run()
    await scheduler.close()
    verified = rummyref("ladder", "verify", str(tmp_path / "ladders" / "test.ladder.jsonl"))
    assert "ok, deals 2 played" in verified.stdout, verified


@pytest.mark.parametrize(
    ("of", "name", "times"), [(Hall, "discard", 2), (Hall, "reveal", 1), (Hall, "reveal", 2), (Ledger, "void", 1)]
)
async def test_a_kill_while_a_set_becomes_void_loses_nothing(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: type, name: str, times: int
) -> None:
    """Whichever step it comes before: on resuming the set is void, its tables are shown, and the record is whole."""
    called, step = 0, getattr(of, name)

    async def killed(*arguments: object) -> object:
        nonlocal called
        called += 1
        if called == times:
            raise KeyError
        return await step(*arguments)

    async with running(tmp_path) as referee:
        failing(monkeypatch, 1)
        scheduler = await scheduled(referee, manifest, tmp_path)
        monkeypatch.setattr(of, name, killed)
        with pytest.raises(KeyError):
            await scheduler.run()
        await scheduler.close()
    monkeypatch.undo()
    async with running(tmp_path) as referee:
        scheduler = await scheduled(referee, manifest, tmp_path, resume=True)
        await scheduler.run()
        store = referee.hall.store
        gone = [store.table(table_id) for void in store.void_sets("test") for table_id in json.loads(void.tables)]
        assert [row.revealed for row in gone if row] == [True, True]
        await scheduler.close()
    verified = rummyref("ladder", "verify", str(tmp_path / "ladders" / "test.ladder.jsonl"))
    assert "ok, deals 2 played, 1 void" in verified.stdout, verified


def only_first_deals(ready: Callable[[Deals, int], Awaitable[None]]) -> Callable[[Deals, int], Awaitable[None]]:
    """Return *ready* that fails for the deal of a set that is played again, as a kill at that moment would."""

    async def first(deals: Deals, set_number: int) -> None:
        if deals.number(set_number) != set_number:
            raise KeyError(set_number)
        await ready(deals, set_number)

    return first
