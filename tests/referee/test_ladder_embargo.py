"""While a set is under way, no call tells anything of its tables: its answers stay what they are, byte for byte.

Whatever is played, and whoever asks: the answers at the end of the set's last table are those
from before its first card. So they are the same in any two worlds that part in hidden cards or in plays.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import grpc
import pytest
from google.protobuf.message import Message

from referee.accounts import TOKEN_FILE
from rummyref.v1 import ladder_service_pb2 as pb
from rummyref.v1 import play_service_pb2, replay_service_pb2, table_service_pb2
from tests.referee.conftest import WITHIN_S, House, Stream, bearer, exported
from tests.referee.test_ladder_service import Metadata, Office

NAMES: Final = ("anna", "ben", "carl", "dora")
AT_ONE_OF: Final = 5
"""The table that ends last plays one decision for so many of the other one."""

Told = dict[str, bytes]


class Due(NamedTuple):
    """A decision, and the stream on which it is answered."""

    stream: Stream
    decision: play_service_pb2.Decision


class Field:
    """Four entrants at the two tables of one deal, who play when the test says so.

    Attributes:
        seated: Tokens of the players of each table, by its id.
        due: The open decision of each table that has not ended, by its id.
    """

    def __init__(self, office: Office) -> None:
        """Play in the ladder of *office*."""
        self.seated: dict[str, list[str]] = {}
        self.due: dict[str, Due] = {}
        self._office = office
        self._heard: asyncio.Queue[tuple[str, Stream, play_service_pb2.PlayResponse]] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    async def attend(self, name: str) -> None:
        """Have a bot enter and attend."""
        token = (await self._office.enter(await self._office.owner(name), name)).token
        stream = Stream(self._office.house.channel, token)
        await stream.hello(capacity=1, want_views=False, want_offers=True, delivery=play_service_pb2.DELIVERY_GATHERED)
        self._tasks.append(asyncio.create_task(self._listen(token, stream)))

    async def begun(self) -> None:
        """Return once every seat is carried and a decision is due at both tables."""
        while sum(map(len, self.seated.values())) < len(NAMES) or len(self.due) < 2:
            await self._hear()

    async def play(self, table_id: str, *, dull: bool = False) -> None:
        """Answer what is due at a table; return once another decision is due there or it has ended.

        Whoever is *dull* draws and discards for ever.
        """
        stream, decision = self.due.pop(table_id)
        play = next(offer for offer in decision.offers if len(offer.moves) == 1) if dull else decision.offers[-1]
        await stream.submit(decision, play)
        while table_id not in self.due and await self._hear() != table_id:
            pass

    async def end(self) -> None:
        """Leave."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, token: str, stream: Stream) -> None:
        while isinstance(message := await stream.call.read(), play_service_pb2.PlayResponse):
            self._heard.put_nowait((token, stream, message))

    async def _hear(self) -> str | None:
        """Take note of the next message; return the id of the table that it ends."""
        token, stream, message = await self._heard.get()
        match message.WhichOneof("kind"):
            case "seated":
                self.seated.setdefault(message.seated.table_id, []).append(token)
            case "decision":
                self.due[message.decision.table_id] = Due(stream, message.decision)
            case "table_over":
                return message.table_over.table_id
            case _:
                pass
        return None


class Listener:
    """Asks all that may be asked of a ladder and its tables, and keeps the bytes of what comes."""

    def __init__(self, channel: grpc.aio.Channel, viewers: dict[str, Metadata]) -> None:
        """Ask for each of *viewers*."""
        self._channel = channel
        self._viewers = viewers

    async def ask(self, viewer: str, tables: list[str]) -> Told:
        """Return every answer to a viewer, and every refusal with its trailers."""
        metadata = self._viewers[viewer]
        return {name: await self._answer(method, request, metadata) for name, method, request in _questions(tables)}

    async def _answer(self, method: str, request: Message, metadata: Metadata) -> bytes:
        call: Any = self._channel.unary_stream(f"/rummyref.v1.{method}", type(request).SerializeToString)
        try:
            return b"".join([part async for part in call(request, metadata=metadata)])
        except grpc.aio.AioRpcError as refused:
            return repr((refused.code(), refused.details(), refused.trailing_metadata())).encode()


def _questions(tables: list[str]) -> list[tuple[str, str, Message]]:
    about_all = [
        ("standings", "LadderService/GetStandings", pb.GetStandingsRequest(ladder="open")),
        ("fixtures", "LadderService/ListFixtures", pb.ListFixturesRequest(ladder="open")),
        ("ladders", "LadderService/ListLadders", pb.ListLaddersRequest()),
        ("tables", "TableService/ListTables", table_service_pb2.ListTablesRequest()),
        ("replays", "ReplayService/ListReplays", replay_service_pb2.ListReplaysRequest()),
    ]
    of_tables = [
        question
        for number, table_id in enumerate(tables)
        for question in (
            (f"table {number}", "TableService/GetTable", table_service_pb2.GetTableRequest(table_id=table_id)),
            (f"watch {number}", "TableService/Watch", table_service_pb2.WatchRequest(table_id=table_id)),
            (f"replay {number}", "ReplayService/GetReplay", replay_service_pb2.GetReplayRequest(match_id=table_id)),
        )
    ]
    return [*about_all, *of_tables]


def changes(one: Told, other: Told) -> set[str]:
    """Return what is answered otherwise."""
    return {name for name in one if one[name] != other[name]}


def dated(told: Told) -> set[str]:
    """Return the tables that are told to have been made at some time: those of one deal are made in one moment."""
    lists = table_service_pb2.ListTablesResponse.FromString(told["tables"]).tables
    each = [table_service_pb2.GetTableResponse.FromString(told[name]).table for name in ("table 0", "table 1")]
    return {table.table_id for table in (*lists, *each) if table.HasField("created_time")}


def standings_in(told: Told) -> pb.Standings:
    """Return the standings among what was *told*."""
    return pb.GetStandingsResponse.FromString(told["standings"]).standings


class Watching:
    """A watch of the standings, and what it has told so far."""

    def __init__(self, call: Any) -> None:
        """Read *call*."""
        self.told: list[pb.Standings] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._read(call))

    async def _read(self, call: Any) -> None:
        async for message in call:
            self.told.append(message.standings)
            self._news.set()

    async def until(self, sets: int) -> None:
        """Return once *sets* have been told of."""
        while not self.told or self.told[-1].sets < sets:
            self._news.clear()
            await self._news.wait()

    async def end(self) -> None:
        """Watch no more."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@pytest.fixture
async def office(house: House, tmp_path: Path) -> Office:
    """A house whose ladders are played."""
    await house.referee.hall.accounts.ensure_organiser(tmp_path)
    house.referee.ladders.run()
    return Office(house, (tmp_path / TOKEN_FILE).read_text("ascii").strip())


@pytest.fixture
async def field(office: Office) -> AsyncIterator[Field]:
    """The only set of a season, its two tables just dealt."""
    await office.create(sets=1, clock="slow")
    playing = Field(office)
    for name in NAMES:
        await playing.attend(name)
    async with asyncio.timeout(WITHIN_S):
        await playing.begun()
    yield playing
    await playing.end()


async def test_no_answer_changes_before_the_last_table_of_a_set_has_ended(
    office: Office, field: Field, tmp_path: Path
) -> None:
    """After each play, and with one table over: the same bytes, to a stranger and to an entrant; then all is told."""
    first, last = field.due
    viewers = {"stranger": bearer(await office.house.register()), "entrant": bearer(field.seated[first][0])}
    listener, watching = Listener(office.house.channel, viewers), Watching(office.watch())
    before = {viewer: await listener.ask(viewer, [first, last]) for viewer in viewers}
    assert not any(dated(told) for told in before.values())
    in_turn = itertools.cycle(viewers)

    async def play(table_id: str, *, dull: bool = False) -> None:
        await field.play(table_id, dull=dull)
        if field.due:
            viewer = next(in_turn)
            assert changes(before[viewer], await listener.ask(viewer, [first, last])) == set()
            assert all(standings == standings_in(before[viewer]) for standings in watching.told)

    async with asyncio.timeout(2 * WITHIN_S):
        for number in itertools.count():
            if first not in field.due:
                break
            await play(first)
            if number % AT_ONE_OF == 0:
                await play(last, dull=True)
        while last in field.due:
            await play(last)
        await watching.until(sets=1)
    for table_id in (first, last):
        await exported(office.house, tmp_path / "replays", table_id)
    for viewer in viewers:
        after = await listener.ask(viewer, [first, last])
        assert dated(after) == {first, last}
        changed = changes(before[viewer], after)
        assert changed >= before[viewer].keys() - {"ladders"}
    await watching.end()
