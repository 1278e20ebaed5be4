"""A ladder of any format goes on as it would have, and only as the ladder that it is."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.ladder.begin import LadderError, begin
from referee.ladder.manifest import read_manifest
from referee.server import Storage, start
from tests.cli.command import ROOT, environment
from tests.ladder.laddering import (
    WITHIN_S,
    LadderProcess,
    Told,
    bot,
    check_replays,
    run_ladder,
    standings_json,
    telling,
    write_ladder,
)  # fmt: skip

JUMPING = """
import itertools, time
real, days = time.time_ns, itertools.cycle((0, -400, 900))
time.time_ns = lambda: real() + next(days) * 86_400 * 10**9
time.time = lambda: time.time_ns() / 1e9
from clients.cli.main import main
main()
"""
"""The command with a wall clock that jumps by years whenever it is read."""

CHANGES: dict[str, tuple[dict[str, object], str]] = {
    "preset": ({"preset": "remi-jokers"}, "options, preset"),
    "sets": ({"sets": 3}, "sets"),
    "clock": ({"clock": "standard"}, "clock"),
    "format": ({"format": "round_robin"}, "format"),
    "margin": ({"format": "ab", "margin": 1}, "format, margin"),
    "design": ({"design": "bridge"}, "design"),
    "isolation": ({"isolate": True}, "isolate"),
    "suits": ({"relabel_suits": False}, "relabel_suits"),
    "seed": ({"seed": "00" * 32}, "seed"),
    "draws": ({"draw_streams": False}, "options"),
}


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """What the telling bots of this test tell."""
    fifo = Told(tmp_path)
    yield fifo
    fifo.close()


@pytest.mark.parametrize(
    ("settings", "policy", "withdrawn", "tables"),
    [
        ({"sets": 7}, "", [], 14),
        ({"sets": 4, "design": "bridge"}, "", [], 8),
        ({"sets": 12, "format": "round_robin"}, "[ladder.policy]\nbad_after = 4", ["dead"], 24),
    ],
)
def test_kills_change_neither_who_meets_nor_what_comes_of_it(
    tmp_path: Path, told: Told, settings: dict[str, object], policy: str, withdrawn: list[str], tables: int
) -> None:
    """Where pairing follows results, tables are drawn, or a bot is withdrawn: the same bytes as without kills."""
    entrants = {"teller": telling(), "random": bot("random"), "cautious": bot("cautious"), "greedy": bot("greedy")}
    entrants |= {name: ["false"] for name in withdrawn}
    file = write_ladder(tmp_path, entrants, policy, parallel_tables=3, **settings)
    data, rng = tmp_path / "killed", random.Random(5)
    command = ["ladder", "run", str(file), "--data", str(data), "--resume"]
    for _ in range(2):
        told.forget()
        ladder = LadderProcess(command, told)
        told.wait(rng.randrange(1, 20))
        ladder.signal(signal.SIGKILL)
        assert ladder.wait().left == []
    ended = LadderProcess(command).wait()
    assert (ended.code, ended.left) == (0, []), ended
    assert run_ladder(file, tmp_path / "undisturbed").code == 0
    assert standings_json(data) == standings_json(tmp_path / "undisturbed")
    assert f"Withdrawn until its owner returns: {', '.join(withdrawn)}." in standings_json(data) or (not withdrawn)
    check_replays(data, tables)


@pytest.mark.parametrize("case", CHANGES)
async def test_another_ladder_is_not_gone_on_with(tmp_path: Path, case: str) -> None:
    """One line names the file, what has changed since, and both ways out; how it is run may change."""
    entrants = {name: ["true"] for name in "abcd"}
    file = write_ladder(tmp_path, entrants)
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    try:
        await begin(referee.hall, read_manifest(file), file, tmp_path, resume=False)
        settings, named = CHANGES[case]
        changed = read_manifest(write_ladder(tmp_path, entrants, **settings))
        with pytest.raises(LadderError) as refused:
            await begin(referee.hall, changed, file, tmp_path, resume=True)
        assert str(refused.value).startswith(f"{file}: {named}")
        assert "changed since ladder test began; undo that, or begin it in another --data" in str(refused.value)
        wider = read_manifest(write_ladder(tmp_path, {**entrants, "a": ["false"]}, parallel_tables=99))
        assert (await begin(referee.hall, wider, file, tmp_path, resume=True)).lag == 6
    finally:
        await referee.stop(0)


def test_a_clock_on_the_wall_that_jumps_changes_nothing(tmp_path: Path) -> None:
    """Time is measured by another clock: no time-outs, the same standings, replays that verify."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("random")}, sets=3)
    jumped = subprocess.run(
        [sys.executable, "-c", JUMPING, "ladder", "run", str(file), "--data", str(tmp_path / "jumped"), "--strict"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert jumped.returncode == 0, jumped
    assert run_ladder(file, tmp_path / "steady").code == 0
    assert standings_json(tmp_path / "jumped") == standings_json(tmp_path / "steady")
    check_replays(tmp_path / "jumped", 6)
