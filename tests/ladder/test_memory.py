"""Matches of bots that misbehave leave nothing behind in the referee's memory.

`RUMMYREF_HOSTILE=10000` makes it long. Only bots that lose no time are entered, so
that there can be many matches; each set is two of them.
"""

import os
import sys
from pathlib import Path
from typing import Final

from referee.ladder.begin import begin
from referee.ladder.manifest import read_manifest
from referee.ladder.scheduler import Scheduler
from referee.ladder.under_way import Progress
from referee.server import Storage, start
from tests.ladder.crowding import crowd
from tests.ladder.laddering import write_ladder

MATCHES: Final = int(os.environ.get("RUMMYREF_HOSTILE", "60"))
BOTS: Final = (
    "anna", "ben", "illegal", "no-moves", "no-card", "unknown-card", "unknown-move", "nineteen-refusals", "stale",
    "duplicate", "checker", "other-seat", "chatter", "half-close", "reconnect-storm",
)  # fmt: skip
MOST_GROWTH: Final = 0.05 if "RUMMYREF_HOSTILE" in os.environ else 0.15
"""A short run is still warming up."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def resident() -> float:
    """Return the memory of this process, mebibytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


async def test_memory_is_flat_over_hostile_matches(tmp_path: Path) -> None:
    """From the second fifth of a long run to its last the referee grows by less than five per cent."""
    file = write_ladder(
        tmp_path, {name: ["true"] for name in BOTS}, "[ladder.policy]", "bad_share = 1",
        format="round_robin", sets=MATCHES // 2, clock="slow", parallel_tables=16,
    )  # fmt: skip
    manifest = read_manifest(file)
    sizes: list[float] = []

    def grown(progress: Progress) -> None:
        if progress.tables_done > len(sizes):
            sizes.append(resident())

    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    try:
        begun = await begin(referee.hall, manifest, file, tmp_path, resume=False)
        scheduler = Scheduler(referee.hall, manifest, begun, grown, lambda _: None)
        await scheduler.prepare()
        async with crowd(referee.address, begun, scheduler):
            await scheduler.run()
    finally:
        await referee.stop(0)
    fifth = len(sizes) // 5
    early, late = sum(sizes[fifth : 2 * fifth]) / fifth, sum(sizes[-fifth:]) / fifth
    said = f"{len(sizes)} matches, {early:.1f} MiB in the second fifth, {late:.1f} MiB in the last"
    sys.stdout.write(said + "\n")
    assert len(sizes) >= MATCHES, said
    assert late < (1 + MOST_GROWTH) * early, said
