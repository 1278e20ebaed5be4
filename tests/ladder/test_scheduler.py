"""The scheduler in one process with the hall, without bots."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.ladder.begin import begin
from referee.ladder.manifest import Manifest, read_manifest
from referee.ladder.scheduler import Scheduler, TableFailedError
from referee.server import Referee, start
from referee.tables.table import Table
from tests.ladder.laddering import write_ladder


@pytest.fixture
async def referee(tmp_path: Path) -> AsyncIterator[Referee]:
    """A referee of this test alone."""
    running = await start("127.0.0.1:0", f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays")
    yield running
    await running.stop(0)


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """A ladder of two."""
    return read_manifest(write_ladder(tmp_path, {"a": ["true"], "b": ["true"]}))


async def scheduled(referee: Referee, manifest: Manifest, folder: Path) -> Scheduler:
    """Return the scheduler of a ladder whose entrants are all dead."""
    begun = await begin(referee.hall, manifest, folder / "ladder.toml", folder, resume=False)
    scheduler = Scheduler(referee.hall, manifest, begun.secret, begun.players, lambda _: None, lambda _: None)
    scheduler.dead.update(manifest.names)
    return scheduler


async def test_a_ladder_without_bots_ends(referee: Referee, manifest: Manifest, tmp_path: Path) -> None:
    """Every seat of every table is forfeited, and every replay is written."""
    scheduler = await scheduled(referee, manifest, tmp_path)
    await scheduler.run()
    assert scheduler.progress.sets_done == 2
    forfeits = [lost.cause.value for table in scheduler.progress.results for lost in table.result.forfeits]
    assert forfeits == ["never_came"] * 8
    assert len(list((tmp_path / "replays").glob("*.rummy.jsonl"))) == 4


async def test_a_fault_of_the_referee_ends_the_run_and_is_nobodys(
    referee: Referee, manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that fails is not waited for, and has no result."""

    async def fail(_: Table) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Table, "run", fail)
    scheduler = await scheduled(referee, manifest, tmp_path)
    with pytest.raises(TableFailedError, match="fault of rummyref"):
        await scheduler.run()
    assert scheduler.progress.results == []
