"""Nobody loses by the referee's own doing: answers in time count, and a bot that is gone is missed at once.

`RUMMYREF_DECISIONS=20000` makes the first one long, and its clock as short as it must
bear on a machine that does nothing else: 100 ms a decision. Else its clock is so long that
only what is lost is late, not what a busy machine keeps waiting.
"""

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from engine.clock import PROFILES, SECOND_US, ClockProfile
from engine.record.entries import Played
from engine.record.entry_json import from_json
from referee.attendance import Attendance
from referee.ladder.begin import begin
from referee.ladder.manifest import read_manifest
from referee.ladder.results import table_results
from referee.ladder.scheduler import Scheduler
from referee.server import Referee, Storage, settle, start
from referee.streams import PlayerStream
from tests.cli.command import ROOT, environment
from tests.ladder.crowding import crowd
from tests.ladder.laddering import write_ladder

DECISIONS: Final = int(os.environ.get("RUMMYREF_DECISIONS", "1000"))
IS_LONG: Final = "RUMMYREF_DECISIONS" in os.environ
CAP_US: Final = SECOND_US // 10 if IS_LONG else 20 * SECOND_US
"""An answer that is lost is missed at any cap; how short a one the referee bears is for a machine to itself."""
BEFORE_OTHERS_S: Final = 40.0
"""The gRPC library alone misses a frozen player after 60 s, however often it pings, unless answers to that are due."""
A_SET: Final = 100
"""Decisions that a set of two tables has at least."""


@pytest.fixture
async def referee(tmp_path: Path) -> AsyncIterator[Referee]:
    """A referee of this test alone."""
    running = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    yield running
    await running.stop(0)


async def test_no_answer_in_time_is_lost(referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With twice as many tables at once as there are cores, no bot that answers at once is ever out of time."""
    monkeypatch.setitem(PROFILES, "tight", ClockProfile("tight", 60 * SECOND_US, 0, CAP_US, CAP_US))
    entrants = {f"bot-{number}": ["true"] for number in range(4)}
    file = write_ladder(
        tmp_path, entrants, clock="tight", sets=DECISIONS // A_SET, parallel_tables=2 * (os.cpu_count() or 1)
    )  # fmt: skip
    manifest = read_manifest(file)
    begun = await begin(referee.hall, manifest, file, tmp_path, resume=False)
    scheduler = Scheduler(referee.hall, manifest, begun, lambda _: None, lambda _: None)
    await scheduler.prepare()
    settle()
    async with crowd(referee.address, begun, scheduler):
        await scheduler.run()
    gc.unfreeze()
    store = referee.hall.store
    used = sorted(
        entry.used_us
        for fixture in store.fixtures("test")
        for body in store.entries(fixture.table_id)
        if isinstance(entry := from_json(json.loads(body)), Played)
    )
    lost = [table.result.faults for table in table_results(store, "test") if table.result.faults]
    said = f"{len(used)} decisions, median {used[len(used) // 2]} us, longest {used[-1]} us, lost {len(lost)}"
    sys.stdout.write(said + "\n")
    assert len(used) >= DECISIONS, said
    assert lost == [], said


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_player_that_is_gone_is_missed(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    """By its stream, whatever any clock says: by its end if it was killed, by our pings if it is frozen."""
    there, gone = asyncio.Event(), asyncio.Event()
    join, leave = Attendance.join, Attendance.leave

    def joined(attendance: Attendance, stream: PlayerStream, resume: object) -> None:
        join(attendance, stream, resume)  # type: ignore[arg-type]  # as it came
        there.set()

    def left(attendance: Attendance, stream: PlayerStream) -> None:
        leave(attendance, stream)
        gone.set()

    monkeypatch.setattr(Attendance, "join", joined)
    monkeypatch.setattr(Attendance, "leave", left)
    player = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "clients.cli", "bot", "run", "greedy", "--address", referee.address,
        cwd=ROOT, env=environment(), start_new_session=True,
    )  # fmt: skip
    try:
        await asyncio.wait_for(there.wait(), 60)
        os.killpg(player.pid, how)
        await asyncio.wait_for(gone.wait(), BEFORE_OTHERS_S)
        assert referee.hall.streams() == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(player.pid, signal.SIGKILL)
        await player.wait()
