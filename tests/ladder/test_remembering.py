"""What a bot that remembers every deal makes of it: something in rotation, nothing where memory has nothing to hold."""

import os
from pathlib import Path

import pytest

from clients.bots.base import Bot
from clients.bots.greedy import GreedyBot
from clients.bots.remembering import RememberingBot
from engine.match import apply, start
from engine.record.deal import NO_NONCE, Secret
from engine.rules.registry import rule_set
from engine.views import seat_view
from referee.ladder.fixtures import Shape, rotation
from referee.ladder.margins import results_of_points, set_results
from referee.ladder.results import table_results
from referee.ladder.tally import Tally
from referee.store.database import open_database
from referee.store.queries import Store
from tests.ladder.laddering import bot, run_ladder, write_ladder

RULES = rule_set("remi", {"players": 2, "rounds": 1, "draw_streams": True})
ROTATION, BRIDGE = rotation(2), Shape("bridge", 2, 2)
MEASURED_SETS = int(os.environ.get("RUMMYREF_MEMORY_SETS", "0"))


def points(secret: bytes, table: int, bots: tuple[Bot, Bot]) -> list[int]:
    """Play a table of a set and return what the seats made."""
    match, _ = start(RULES, Secret(secret, table, relabelled=True).dealing("", (NO_NONCE, NO_NONCE)))
    while (seat := match.turn) is not None:
        match, _ = apply(match, seat, bots[seat].play(seat_view(match, seat), ()))
    return [RULES.sense.value * value for value in match.totals]


@pytest.fixture
def _forgotten() -> None:
    """Begin without a memory."""
    RememberingBot.memory.clear()


def lead(secret: bytes) -> float:
    """Return how far the remembering bot is ahead of greedy in a set of two tables, in points a round."""
    tables = []
    for table in (0, 1):
        bots = RememberingBot(RULES, 0), GreedyBot(RULES, 0)
        names = ("remembering", "greedy")
        if table:
            tables.append((names[::-1], [points(secret, table, bots[::-1])]))
        else:
            tables.append((names, [points(secret, table, bots)]))
    return results_of_points(tables, ROTATION)["remembering"]


@pytest.mark.usefixtures("_forgotten")
def test_in_rotation_memory_gains() -> None:
    """Having seen the deal from the other seat, suits relabelled, it plays the second table better."""
    leads = [lead(bytes([number] * 32)) for number in range(6)]
    assert sum(leads) > 0
    assert any(leads)


@pytest.mark.usefixtures("_forgotten")
def test_without_a_memory_it_is_greedy() -> None:
    """A process that has seen no other table plays card by card as greedy does, from either seat."""
    for number in range(4):
        for seat in (0, 1):
            plain: tuple[Bot, Bot] = (GreedyBot(RULES, 0), GreedyBot(RULES, 0))
            careful = (RememberingBot(RULES, 0), plain[1]) if seat == 0 else (plain[0], RememberingBot(RULES, 0))
            RememberingBot.memory.clear()
            secret = bytes([number] * 32)
            assert points(secret, 0, careful) == points(secret, 0, plain)


def test_isolated_tables_leave_it_nothing(tmp_path: Path) -> None:
    """Each table gets processes that have played no other: it plays as greedy, every set result exactly 0."""
    file = write_ladder(
        tmp_path, {"remembering": bot("remembering"), "greedy": bot("greedy")},
        sets=2, isolate=True, relabel_suits=False,
    )  # fmt: skip
    assert set(measured(file, tmp_path, ROTATION)["remembering"].values()) == {0.0}


def measured(file: Path, folder: Path, shape: Shape) -> dict[str, dict[int, float]]:
    """Run a ladder that must go well, however long it takes, and return its set results."""
    ended = run_ladder(file, folder / "data", within_s=86_400.0)
    assert (ended.code, ended.left) == (0, []), ended
    store = Store(open_database(f"sqlite:///{folder / 'data' / 'rummyref.db'}"))
    return set_results(table_results(store, "test"), RULES.sense, shape)


@pytest.mark.skipif(not MEASURED_SETS, reason="on demand: RUMMYREF_MEMORY_SETS says how many sets")
@pytest.mark.timeout(0)
@pytest.mark.parametrize("design", ["rotation", "isolate", "bridge"])
def test_what_memory_is_worth(tmp_path: Path, design: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Measured over ladders of two bots (four in a bridge): a lead in rotation, none otherwise."""
    entrants = {"remembering": bot("remembering"), "greedy": bot("greedy")}
    settings: dict[str, object] = {"sets": MEASURED_SETS, "parallel_tables": 1, "isolate": design == "isolate"}
    shape = ROTATION
    if design == "bridge":
        entrants |= {"remembering-2": bot("remembering"), "greedy-2": bot("greedy")}
        settings |= {"design": "bridge"}
        shape = BRIDGE
    tally = Tally()
    for name, results in measured(write_ladder(tmp_path, entrants, **settings), tmp_path, shape).items():
        for value in results.values() if name.startswith("remembering") else ():
            tally.add({"remembering": value})
    low, high = tally.interval("remembering")
    with capsys.disabled():
        print(f"\n{design}: {tally.mean('remembering'):+.2f} points a round, 95 % {low:+.2f} … {high:+.2f}")  # noqa: T201
    assert low > 0 if design == "rotation" else low <= 0 <= high
