"""What a ladder file says that misconduct costs is what it costs."""

from pathlib import Path

import pytest

from engine.record.entries import Cause
from referee.ladder.begin import begin
from referee.ladder.conduct import Ending, bad_rounds, ending_of
from referee.ladder.manifest import read_manifest
from referee.ladder.results import table_results
from referee.ladder.scheduler import Scheduler
from referee.server import Storage, start
from tests.ladder.crowding import crowd
from tests.ladder.laddering import check_replays, patient, write_ladder

PRICES = [
    ("illegal", 'illegal = "forfeit"', Cause.ILLEGAL, 0),
    ("silent", 'time_out = "forfeit"', Cause.TIME_OUT, 0),
    ("illegal", "strikes = 1", Cause.STRIKES, 1),
    ("illegal", "strikes = 2", Cause.STRIKES, 2),
]


@pytest.mark.parametrize(("name", "price", "cause", "faults"), PRICES)
async def test_a_fault_costs_what_the_policy_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, price: str, cause: Cause, faults: int
) -> None:
    """The round is lost at once, or after so many strikes; that is its one bad round, and every replay verifies."""
    file = write_ladder(
        tmp_path, {"anna": ["true"], name: ["true"]}, "[ladder.policy]", price, sets=1, clock=patient(monkeypatch)
    )  # fmt: skip
    manifest = read_manifest(file)
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    try:
        begun = await begin(referee.hall, manifest, file, tmp_path, resume=False)
        scheduler = Scheduler(referee.hall, manifest, begun, lambda _: None, lambda _: None)
        await scheduler.prepare()
        async with crowd(referee.address, begun, scheduler):
            await scheduler.run()
        tables = table_results(referee.hall.store, "test")
    finally:
        await referee.stop(0)
    assert len(tables) == 2
    for table in tables:
        seat = table.entrants.index(name)
        assert ending_of(table.result) == Ending(cause.value, seat)
        assert len(table.result.forfeits) == 1
        assert len(table.result.faults) == faults
        assert (bad_rounds(table.result, seat), bad_rounds(table.result, 1 - seat)) == (1, 0)
    check_replays(tmp_path, 2)
