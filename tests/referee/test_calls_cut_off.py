"""Calls that are cut off, or come while others are under way: what is durable is what the referee goes by."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from referee.hall import Hall
from referee.ladder import open_ladder
from referee.ladder.open_ladder import LiveLadder
from referee.ladder.open_ladders import OpenLadders
from referee.server import Referee, Storage, start
from referee.services.ladder_service import LadderService
from referee.services.player_service import PlayerService
from referee.services.table_service import TableService
from referee.store.models import Season
from referee.store.rows import RUNNING
from referee.store.writer import RecordWriter
from rummyref.v1 import ladder_service_pb2, player_service_pb2, table_service_pb2
from tests.referee.in_process import Call


class Held:
    """Holds back the word that something is durable.

    Attributes:
        asked: Set when something is to be made durable.
        release: Set to give the word.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hold back from now on."""
        self.asked, self.release = asyncio.Event(), asyncio.Event()
        append = RecordWriter.append

        def late(writer: RecordWriter, writes: Any) -> asyncio.Future[None]:
            return asyncio.ensure_future(self._wait(append(writer, writes)))

        monkeypatch.setattr(RecordWriter, "append", late)

    async def _wait(self, done: asyncio.Future[None]) -> None:
        self.asked.set()
        await done
        await self.release.wait()


class World(NamedTuple):
    """A referee with something to change, and the tokens of who may change it."""

    referee: Referee
    organiser: str
    owner: str
    anna: str
    ben: str
    table_id: str
    closed: list[str]

    @property
    def hall(self) -> Hall:
        """Its hall."""
        return self.referee.hall

    @property
    def ladders(self) -> OpenLadders:
        """Its open ladders."""
        return self.referee.ladders

    def services(self) -> tuple[Any, ...]:
        """Return every service with calls that change something."""
        return TableService(self.hall), PlayerService(self.hall, self.ladders), LadderService(self.hall, self.ladders)


SETTINGS = ladder_service_pb2.LadderSettings(preset="remi", clock="bullet", skip_trial=True)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A table for two at which one sits, a ladder with one entrant, and anna, who has something open by her token."""
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    hall = referee.hall
    await hall.accounts.ensure_organiser(tmp_path)
    organiser = (tmp_path / "organiser.token").read_text("ascii").strip()
    owner = (await hall.accounts.add_owner("olga", 0)).token
    anna, ben = [await hall.players.register(name) for name in ("anna", "ben")]
    lobby = await hall.create_table("remi", {"players": 2, "rounds": 1}, "untimed", "greedy")
    await hall.take_seat(ben.player, lobby.row.id, 0)
    world = World(referee, organiser, owner, anna.token, ben.token, lobby.row.id, [])
    ladders = world.services()[2]
    await ladders.CreateLadder(ladder_service_pb2.CreateLadderRequest(name="open", settings=SETTINGS), Call(organiser))
    await ladders.EnterLadder(
        ladder_service_pb2.EnterLadderRequest(ladder="open", bot="olgas", version="1"), Call(owner)
    )
    with hall.players.until_revoked(anna.player.id, lambda: world.closed.append("anna")):
        yield world
    await referee.stop(0)


def state_of(world: World) -> str:
    """Return the state of the table, as the database has it."""
    row = world.hall.store.table(world.table_id)
    assert row is not None
    return row.state


class Case(NamedTuple):
    """A call, by whom, and how one sees that it has had its effect."""

    request: Callable[[World], Any]
    token: Callable[[World], str]
    effect: Callable[[World], bool]


CASES = {
    "CreateTable": Case(
        lambda _: table_service_pb2.CreateTableRequest(preset="remi"),
        lambda world: world.anna,
        lambda world: len(world.hall.lobbies) == 2,
    ),
    "TakeSeat": Case(
        lambda world: table_service_pb2.TakeSeatRequest(table_id=world.table_id),
        lambda world: world.anna,
        lambda world: world.table_id in world.hall.tables and state_of(world) == RUNNING,
    ),
    "LeaveSeat": Case(
        lambda world: table_service_pb2.LeaveSeatRequest(table_id=world.table_id, seat=0),
        lambda world: world.ben,
        lambda world: not world.hall.lobbies[world.table_id].players and not world.hall.store.seats(world.table_id),
    ),
    "Register": Case(
        lambda _: player_service_pb2.RegisterRequest(name="cleo"),
        lambda _: "",
        lambda world: {player.id for player in world.hall.store.players()} == set(world.hall.players._by_id),
    ),
    "CreateOwner": Case(
        lambda _: player_service_pb2.CreateOwnerRequest(name="otto"),
        lambda world: world.organiser,
        lambda world: [owner.player.name for owner in world.hall.accounts.owners()] == ["olga", "otto"],
    ),
    "RenewToken": Case(
        lambda _: player_service_pb2.RenewTokenRequest(),
        lambda world: world.anna,
        lambda world: world.closed == ["anna"],
    ),
    "RevokeToken": Case(
        lambda _: player_service_pb2.RevokeTokenRequest(),
        lambda world: world.anna,
        lambda world: world.closed == ["anna"],
    ),
    "CreateLadder": Case(
        lambda _: ladder_service_pb2.CreateLadderRequest(name="another", settings=SETTINGS),
        lambda world: world.organiser,
        lambda world: [ladder.row.name for ladder in world.ladders.all()] == ["another", "open"],
    ),
    "CloseLadder": Case(
        lambda _: ladder_service_pb2.CloseLadderRequest(ladder="open"),
        lambda world: world.organiser,
        lambda world: world.ladders.need("open").row.closed,
    ),
    "EnterLadder": Case(
        lambda _: ladder_service_pb2.EnterLadderRequest(ladder="open", bot="olgas", version="2"),
        lambda world: world.owner,
        lambda world: list(world.ladders.need("open").entrants) == ["olgas-1", "olgas-2"],
    ),
    "WithdrawEntrant": Case(
        lambda _: ladder_service_pb2.WithdrawEntrantRequest(ladder="open", entrant="olgas-1"),
        lambda world: world.owner,
        lambda world: world.ladders.need("open").entrants["olgas-1"].withdrawn,
    ),
}


def test_every_call_that_changes_something_is_tried() -> None:
    """All but those that only tell."""
    modules = (table_service_pb2, player_service_pb2, ladder_service_pb2)
    services = [service for module in modules for service in module.DESCRIPTOR.services_by_name.values()]
    names = {method.name for service in services for method in service.methods}
    assert {name for name in names if not name.startswith(("Get", "List", "Watch"))} == set(CASES)


@pytest.mark.parametrize("name", CASES)
async def test_a_call_that_is_cut_off_changes_all_or_nothing(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is durable once its caller has gone is what the referee goes by."""
    held, case = Held(monkeypatch), CASES[name]
    service = next(service for service in world.services() if hasattr(service, name))
    call = asyncio.ensure_future(getattr(service, name)(case.request(world), Call(case.token(world))))
    await held.asked.wait()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    held.release.set()
    await world.hall.append([])
    for _ in range(10):  # what was cut off has nothing to wait for any more
        await asyncio.sleep(0)
    await world.hall.append([])
    assert case.effect(world)


async def test_an_entrant_withdrawn_as_it_comes_back_is_what_the_database_says(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call comes first, the referee goes by what it has made durable last."""
    owner = world.hall.accounts.need_owner(world.hall.players.authenticate(world.owner))
    await world.ladders.withdraw(owner.player, "open", "olgas-1")
    withdrawing = list[asyncio.Task[None]]()

    async def try_again(*_ladder: object) -> None:
        withdrawing.append(asyncio.ensure_future(world.ladders.withdraw(owner.player, "open", "olgas-1")))
        for _ in range(10):  # as often as it takes, if it does not wait for its turn
            await asyncio.sleep(0)
            await world.hall.append([])

    monkeypatch.setattr(LiveLadder, "try_again", try_again)
    await world.ladders.enter(owner, "open", "olgas", "1")
    await withdrawing[0]
    [stored] = world.hall.store.open_entrants("open")
    assert world.ladders.need("open").entrants["olgas-1"].withdrawn == stored.withdrawn


class Preparing:
    """Stands for a scheduler that is long about reading what its season holds.

    Attributes:
        is_read: Set to let it go on.
        said: Who it was told to leave out, and who to let play again.
    """

    is_read: asyncio.Event
    said: list[tuple[str, str]]

    def __init__(self, *_: object) -> None:
        """Prepare nothing yet."""
        self.attendance = SimpleNamespace(dead=set())

    async def prepare(self) -> None:
        """Be long about it."""
        await self.is_read.wait()

    def withdraw(self, name: str, _: object) -> None:
        """Note who is left out."""
        self.said.append(("withdrawn", name))

    def readmit(self, name: str) -> None:
        """Note who plays again."""
        self.said.append(("returned", name))

    async def rest(self) -> None:
        """Play nothing."""

    enter_trials = run = close = rest


@pytest.mark.parametrize("last", ["withdrawn", "returned"])
async def test_who_comes_back_while_a_season_is_read_plays_in_it(
    world: World, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    """The season may hold that it was withdrawn; what was said last goes."""
    ladder = world.ladders.need("open")
    [entrant] = ladder.entrants.values()
    Preparing.is_read, Preparing.said = asyncio.Event(), []
    monkeypatch.setattr(open_ladder, "Scheduler", Preparing)
    monkeypatch.setattr(open_ladder, "resume_season", lambda *_: SimpleNamespace(players={"olgas-1": ""}))
    playing = asyncio.ensure_future(ladder._play(Season(ladder="open", number=1, name="open 1", over=False)))
    await asyncio.sleep(0)
    ladder.withdraw(entrant)
    ladder.readmit(entrant)
    if last == "withdrawn":
        ladder.withdraw(entrant)
    Preparing.is_read.set()
    await playing
    assert Preparing.said == [(last, "olgas-1")]


async def test_who_has_the_last_seat_has_it_from_the_first_moment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked again before the answer has come, one is told the same seat; and one can leave it."""
    held = Held(monkeypatch)
    player = world.hall.players.authenticate(world.anna)
    first = asyncio.ensure_future(world.hall.take_seat(player, world.table_id, None))
    await held.asked.wait()
    assert await world.hall.take_seat(player, world.table_id, None) == 1
    await world.hall.leave_seat(player, world.table_id, 1)
    held.release.set()
    assert await first == 1
