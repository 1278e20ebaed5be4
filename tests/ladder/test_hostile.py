"""Every bot that misbehaves beside honest ones: each has its one outcome, and nobody else notices.

Those whose conversation is wrong share one process, with the referee in that of the
test; those that end their process or burden the machine are run as a ladder runs bots.
"""

import asyncio
import gc
from pathlib import Path

import pytest

from clients.bots.faulty import answers, crash, streams, surroundings, times
from clients.bots.faulty.catalogue import FAULTY
from referee.ladder.begin import begin
from referee.ladder.logs import LOG_LIMIT
from referee.ladder.manifest import read_manifest
from referee.ladder.scheduler import Scheduler
from referee.server import Storage, start
from referee.streams import PlayerStream
from referee.tables.table import Table
from tests.ladder.crowding import crowd
from tests.ladder.hostile import differences
from tests.ladder.laddering import bot, patient, run_ladder, write_ladder

OF_PROCESSES = {**crash.BOTS, **surroundings.BOTS, "unreadable": FAULTY["unreadable"]}
OF_CONVERSATION = [name for name in {**times.BOTS, **answers.BOTS, **streams.BOTS} if name not in OF_PROCESSES]
WITHIN_S = 150.0


def wrong(found: dict[str, str]) -> dict[str, str]:
    """Return what differs."""
    return {entrant: problem for entrant, problem in found.items() if problem}


def left(kind: type) -> int:
    """Return how many objects of a kind there are that are not garbage."""
    gc.collect()
    return sum(type(each) is kind for each in gc.get_objects())


def test_there_are_more_than_twenty() -> None:
    """The two ladders below enter every one of them."""
    assert len(FAULTY) >= 20
    assert {*OF_PROCESSES, *OF_CONVERSATION} == set(FAULTY)


async def test_a_wrong_conversation_has_one_outcome_and_harms_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each loses what it must and nothing else; honest bots make every play of theirs; nothing is left behind."""
    entrants = {name: ["true"] for name in ("anna", "ben", *OF_CONVERSATION)}
    file = write_ladder(
        tmp_path, entrants, format="gauntlet", sets=len(entrants) - 1, clock=patient(monkeypatch), parallel_tables=64
    )  # fmt: skip
    manifest = read_manifest(file)
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    try:
        begun = await begin(referee.hall, manifest, file, tmp_path, resume=False)
        scheduler = Scheduler(referee.hall, manifest, begun, lambda _: None, lambda _: None)
        await scheduler.prepare()
        async with crowd(referee.address, begun, scheduler):
            await asyncio.wait_for(scheduler.run(), WITHIN_S)
            assert referee.hall.tables == {}
            async with asyncio.timeout(30):  # a task that has just ended may hold the last table for a moment
                while left(Table):
                    await asyncio.sleep(0)
            assert left(PlayerStream) <= len(entrants) + 1
    finally:
        await referee.stop(0)
    names = {name: name for name in OF_CONVERSATION}
    assert wrong(differences(tmp_path, "test", names, {"anna", "ben"})) == {}


def test_a_failing_process_has_one_outcome_and_harms_nobody_else(tmp_path: Path) -> None:
    """Likewise for bots that crash in every phase, print without end, fork, and use up memory and files."""
    honest = {name: [*bot("greedy"), "--capacity", "64"] for name in ("anna", "ben")}
    entrants = {**honest, **{name: [*bot(name), "--capacity", "1"] for name in OF_PROCESSES}}
    file = write_ladder(
        tmp_path, entrants, "[ladder.limits]", "memory_mb = 1024", "open_files = 256",
        format="gauntlet", sets=len(entrants) - 1, clock="slow", parallel_tables=16,
    )  # fmt: skip
    ended = run_ladder(file, tmp_path / "data", within_s=WITHIN_S)
    assert (ended.code, ended.left) == (0, []), ended
    names = {name: name for name in OF_PROCESSES}
    assert wrong(differences(tmp_path / "data", "test", names, {"anna", "ben"})) == {}
    for log in (tmp_path / "data" / "logs").iterdir():
        assert log.stat().st_size <= LOG_LIMIT
