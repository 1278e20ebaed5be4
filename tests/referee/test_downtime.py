"""A referee that is lost at any play, for an hour, and comes back: the record has the same bytes as without."""

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from engine.match import Match
from engine.moves import Play
from engine.notation import parse_play
from engine.record.canonical import canonical
from engine.record.entry_json import to_json
from engine.record.fold import REFUSALS_A_DECISION
from engine.rules.position import Position
from engine.stand_in import greedy, minimal
from rummyref.v1 import moves_pb2, table_service_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.in_process import House
from wire.moves import play_to_message

HOUR_NS: Final = 3_600 * 10**9


class Plan(NamedTuple):
    """A match to be played.

    Attributes:
        options: Of the table.
        player: How every seat plays.
        one_in: Of how many plays one meets with a loss.
    """

    options: dict[str, Any]
    player: Callable[[Position], Play]
    one_in: int


MATCHES: Final = {
    "remi": Plan({"rounds": 2}, greedy, 6),
    "closed-rummy-duel": Plan({"rounds": 3}, greedy, 2),
    "remik": Plan({"rounds": 1, "idle_reshuffles": 1}, minimal, 30),
}


def hellos(table_id: str) -> list[pb.Hello]:
    """Return what two players say."""
    resume = [[pb.Resume(table_id=table_id, seat=seat)] if table_id else [] for seat in range(2)]
    return [pb.Hello(protocol=1, capacity=1, delivery=pb.DELIVERY_GATHERED, resume=resume[seat]) for seat in range(2)]


async def record_of(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    preset: str,
    is_lost: Callable[[Match], bool],
) -> list[bytes]:
    """Play a match whose referee is lost wherever *is_lost*, and return its record."""
    plan = MATCHES[preset]
    with monkeypatch.context() as patch:
        house = House(folder, patch, None)
        await house.begin(preset, {"players": 2, **plan.options}, hellos(""))
        while house.table_id in house.hall.tables:
            if is_lost(house.state.match):
                house.clock.now_ns += HOUR_NS
                await house.restart(hellos(house.table_id))
            state = house.state
            seat = state.match.public.turn
            play = play_to_message(plan.player(state.match.round.position(seat)))
            await house.submit(seat, decision_id=state.decision, attempt=1, play=play)
        await house.close()
    with sqlite3.connect(house.database) as connection:
        return [body for (body,) in connection.execute("select body from entry order by number")]


@pytest.mark.parametrize("preset", MATCHES)
async def test_downtime_costs_nobody_anything(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within turns, between them, about a reshuffle: plays, charges, clocks, result and reveal are the same bytes."""
    chance, seen = random.Random(preset), list[str]()

    def now_and_then(match: Match) -> bool:
        public = match.public
        after = " after a reshuffle" if public.reshuffles else ""
        lost = chance.randrange(MATCHES[preset].one_in if not after or public.stock_size < 66 else 2) == 0
        if lost:
            seen.append(f"{public.phase.value}{after}")
        return lost

    undisturbed = await record_of(tmp_path / "one.db", monkeypatch, preset, lambda _: False)
    disturbed = await record_of(tmp_path / "other.db", monkeypatch, preset, now_and_then)
    assert len(seen) >= 5
    assert {"draw", "play"} <= set(seen)
    assert preset != "remik" or {"draw after a reshuffle", "play after a reshuffle"} <= set(seen)
    assert disturbed == undisturbed


async def test_who_was_away_at_the_loss_is_back_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who had left before the loss is played for until the return, which the record tells of."""
    house = House(tmp_path / "away.db", monkeypatch, None)
    await house.begin("remi", {"players": 2, "rounds": 1}, hellos(""))
    await house.ask(1, "LeaveSeat", table_service_pb2.LeaveSeatRequest(table_id=house.table_id, seat=1))
    assert house.state.present == (True, False)
    await house.close()
    house._open()
    (table,) = house.hall.tables.values()
    assert [desk.away for desk in table.desks] == [False, True]
    await house.come_back(hellos(house.table_id))
    assert house.state.present == (True, True)
    with sqlite3.connect(house.database) as connection:
        (last,) = connection.execute("select body from entry order by number desc limit 1").fetchone()
    assert json.loads(last) == {"kind": "presence", "seat": 1, "present": True}
    await house.close()


def entries_in(house: House) -> list[dict[str, Any]]:
    """Return the record of the table as it is stored."""
    with sqlite3.connect(house.database) as connection:
        return [json.loads(body) for (body,) in connection.execute("select body from entry order by number")]


async def test_an_attempt_refused_before_the_loss_is_not_refused_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same attempt gets its first answer after a restart too, and the record has one refusal of it."""
    house = House(tmp_path / "refused.db", monkeypatch, None)
    await house.begin("remi", {"players": 2, "rounds": 1}, hellos(""))
    asked = {"decision_id": house.state.decision, "play": play_to_message(parse_play("discard 2C"))}
    await house.submit(0, **asked, attempt=1)
    first = house.streams[0][-1].messages[-1].answer
    assert first.refused.reason
    await house.restart(hellos(house.table_id))
    await house.submit(0, **asked, attempt=1)
    assert house.streams[0][-1].messages[-1].answer == first
    assert [entry["attempt"] for entry in entries_in(house) if entry["kind"] == "refusal"] == [1]
    assert house.state.refusals == 1
    await house.close()


async def test_a_loss_after_the_last_refusal_leaves_the_turn_to_the_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the twentieth refusal and what follows from it, the referee makes up for it and asks nobody."""
    house = House(tmp_path / "twenty.db", monkeypatch, None)
    await house.begin("remi", {"players": 2, "rounds": 1}, hellos(""))
    for attempt in range(1, REFUSALS_A_DECISION + 1):
        await house.submit(0, decision_id=house.state.decision, attempt=attempt, play=moves_pb2.Play())
    last = max(number for number, entry in enumerate(entries_in(house)) if entry["kind"] == "refusal")
    await house.close()
    with sqlite3.connect(house.database) as connection:
        connection.execute("delete from entry where number > ?", (last,))
    house._open()
    await house.come_back(hellos(house.table_id))
    made_up = entries_in(house)[last + 1]
    assert (made_up["kind"], made_up["cause"], made_up["seat"]) == ("stand_in", "illegal", 0)
    assert house.state.turn == 1
    await house.close()


async def test_a_match_goes_on_by_the_rules_that_it_was_begun_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A referee with newer rules deals a match of older ones as it was dealt; its header stays the one recorded."""
    house = House(tmp_path / "older.db", monkeypatch, None)
    await house.begin("closed-rummy-duel", {"players": 2, "rounds": 1, "draw_streams": True}, hellos(""))
    (header, *_) = entries_in(house)
    await house.close()
    older = {**header, "rules_version": 1, "_referee": "0.0.9"}
    with sqlite3.connect(house.database) as connection:
        connection.execute("update entry set body = ? where number = 0", (canonical(older),))
    house._open()
    await house.come_back(hellos(house.table_id))
    assert house.state.match.rules.version == 1
    assert to_json(house.state.header) == older
    await house.close()
