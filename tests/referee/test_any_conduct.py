"""Whatever players do and the machine suffers, a match comes to its end, and an audit finds its record sound."""

import json
import random
import sqlite3
from pathlib import Path

import pytest

from engine.notation import parse_play
from engine.record.audit import audit
from engine.record.chain import write
from engine.stand_in import greedy, minimal
from referee.tables.messages import ClockRan
from rummyref.v1 import moves_pb2, table_service_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.in_process import House
from wire.moves import play_to_message

SECOND_NS = 10**9
MOST_STEPS = 2_000
MATCHES = (("remi", 3), ("remi-jokers", 2), ("closed-rummy-duel", 2), ("remik", 3))
NONSENSE = (moves_pb2.Play(), play_to_message(parse_play("draw; draw")), play_to_message(parse_play("discard JK")))


class Unruly:
    """Players of one match who do what comes into their heads."""

    def __init__(self, house: House, players: int, chance: random.Random) -> None:
        """Let *players* play in *house*."""
        self.house = house
        self.chance = chance
        self.seats = range(players)
        self.carried = set(self.seats)
        self.tries: dict[int, int] = {}

    def hello(self, seat: int, table_id: str) -> pb.Hello:
        """Return what the player in *seat* says."""
        resume = [pb.Resume(table_id=table_id, seat=seat)] if table_id else []
        return pb.Hello(protocol=1, capacity=1, delivery=pb.DELIVERY_GATHERED, resume=resume)

    async def step(self) -> None:
        """Do one thing."""
        state, seat = self.house.state, self.chance.choice(self.seats)
        if not self.carried or not any(state.present):
            for each in self.seats:
                await self.come(each)
            return
        match self.chance.choices(
            ["play", "nonsense", "leave", "break", "come", "kill", "late"], [75, 7, 4, 4, 5, 2, 3]
        ):
            case ["play"] if state.turn in self.carried:
                position = state.match.round.position(state.turn)
                await self.submit(play_to_message(self.chance.choice((greedy, minimal))(position)), again=False)
            case ["nonsense"] if state.turn in self.carried:
                for _ in range(self.chance.choice((1, 2, 25))):
                    await self.submit(self.chance.choice(NONSENSE), again=self.chance.randrange(10) == 0)
            case ["leave"] if seat in self.carried:
                request = table_service_pb2.LeaveSeatRequest(table_id=self.house.table_id, seat=seat)
                await self.house.ask(seat, "LeaveSeat", request)
            case ["break"] if seat in self.carried:
                await self.house.disconnect(seat)
                self.carried.discard(seat)
            case ["come"]:
                await self.come(seat)
            case ["kill"]:
                await self.house.restart([self.hello(each, self.house.table_id) for each in self.seats])
                self.carried = set(self.seats)
            case ["late"]:
                await self.be_late()

    async def submit(self, play: moves_pb2.Play, *, again: bool) -> None:
        """Answer what is open as the seat that is to act: with another try, or with the one before *again*."""
        state = self.house.state if self.house.table_id in self.house.hall.tables else None
        if state is None or state.turn not in self.carried:
            return
        self.tries[state.decision] = self.tries.get(state.decision, 0) + (not again)
        attempt = max(self.tries[state.decision], 1)
        await self.house.submit(state.turn, decision_id=state.decision, attempt=attempt, play=play)

    async def come(self, seat: int) -> None:
        """Open a stream for the player in *seat*."""
        await self.house.connect(seat, self.hello(seat, self.house.table_id))
        self.carried.add(seat)

    async def be_late(self) -> None:
        """Let time go by, perhaps too much."""
        self.house.clock.now_ns += self.chance.choice((1, 30, 1_000)) * SECOND_NS
        table = self.house.hall.tables[self.house.table_id]
        if table._timer.decision is not None:
            table.post(ClockRan(table._timer.decision))
        await self.house.settle()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("preset", "players"), MATCHES)
async def test_every_record_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, players: int, seed: int
) -> None:
    """Nonsense, repetitions, leaving, broken streams, lost referees and late answers in any order."""
    house = House(tmp_path / "any.db", monkeypatch, None)
    unruly = Unruly(house, players, random.Random(f"{preset} {seed}"))
    await house.begin(preset, {"players": players, "rounds": 1}, [unruly.hello(seat, "") for seat in unruly.seats])
    for _ in range(MOST_STEPS):
        if house.table_id not in house.hall.tables:
            break
        await unruly.step()
    await house.close()
    with sqlite3.connect(house.database) as connection:
        bodies = [body for (body,) in connection.execute("select body from entry order by number")]
    assert json.loads(bodies[-1])["kind"] == "reveal"
    verdict = audit(write(bodies))
    assert verdict.ok, verdict
