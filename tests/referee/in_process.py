"""A referee without sockets, threads and clocks: equal requests give equal bytes, in equal order.

Everything but the transport is real: the servicers with their messages, the
hall, the tables, the database. Ids, secrets and times come from counters.
"""

import asyncio
import hmac
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message
from sqlalchemy import Engine

import referee
from engine.record.deal import Secret
from engine.record.fold import TableState
from engine.shuffle import Dealing
from referee.hall import Hall
from referee.ladder.open_ladders import OpenLadders
from referee.replays import Replays
from referee.services.play_service import PlayService
from referee.services.player_service import PlayerService
from referee.services.replay_service import ReplayService
from referee.services.table_service import TableService
from referee.store.database import open_database
from referee.store.queries import Store
from referee.store.writer import RecordWriter, Write
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import player_service_pb2, rules_pb2, table_service_pb2

NS: Final = 1_000_000


class InstantWriter(RecordWriter):
    """Writes at once, in the caller's thread."""

    def __init__(self, engine: Engine) -> None:
        """Write through *engine*."""
        self._connection = engine.connect()
        self._connection.exec_driver_sql("PRAGMA synchronous=OFF")
        self._connection.commit()

    def append(self, writes: Sequence[Write]) -> asyncio.Future[None]:
        """Write *writes* in one transaction that is durable on return."""
        with self._connection.begin():
            for statement, rows in writes:
                self._connection.execute(statement, rows)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Counted:
    """Stands for `secrets`: what is drawn follows from how much was drawn before."""

    def __init__(self) -> None:
        """Begin anew."""
        self.drawn = 0

    def token_bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        self.drawn += 1
        return hmac.digest(b"counted", self.drawn.to_bytes(8, "big"), "sha256")[:size]

    def token_hex(self, size: int) -> str:
        """Return the next bytes as hex."""
        return self.token_bytes(size).hex()

    def token_urlsafe(self, size: int) -> str:
        """Return the next bytes as text."""
        return self.token_bytes(size).hex()


class Clock:
    """Stands for `time`: moves only when it is told to."""

    def __init__(self) -> None:
        """Begin at one second."""
        self.now_ns = 1_000 * NS

    def monotonic_ns(self) -> int:
        """Return the time."""
        return self.now_ns

    def time_ns(self) -> int:
        """Return the time of day."""
        return 1_796_000_000_000 * NS + self.now_ns


class Log:
    """Stands for every logger: keeps what is said at level info and above."""

    def __init__(self) -> None:
        """Begin empty."""
        self.lines: list[str] = []

    def __getattr__(self, level: str) -> Callable[..., None]:
        """Return what keeps a line of *level*."""

        def say(event: str, **facts: object) -> None:
            if level != "debug":
                self.lines.append(f"{level} {event} {sorted(facts.items())}")

        return say


class Aborted(Exception):
    """A call was refused."""


class Gone(grpc.RpcError):
    """The other side of a call is there no more."""


class Call:
    """Stands for the context of a call, and for its transport: keeps the bytes sent.

    Attributes:
        is_stuck: Whether the transport takes nothing more.
        is_gone: Whether it says so when it is to take something.
    """

    def __init__(self, token: str) -> None:
        """Call with *token*."""
        self.token = token
        self.is_stuck = self.is_gone = False
        self.inbound: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: list[bytes] = []
        self.messages: list[Any] = []

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the token as a client sends it."""
        return (("authorization", f"Bearer {self.token}"),)

    async def read(self) -> object:
        """Return the next request, or raise what has happened instead."""
        request = await self.inbound.get()
        if isinstance(request, Exception):
            raise request
        return request

    async def write(self, message: Message) -> None:
        """Keep what is sent, wait for ever, or raise that nobody is there."""
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.is_gone:
            raise Gone
        self.sent.append(message.SerializeToString(deterministic=True))
        self.messages.append(message)

    async def abort_with_status(self, status: Any) -> None:
        """Keep the refusal and end the call."""
        self.sent.append(repr((status.code, status.details, status.trailing_metadata)).encode())
        raise Aborted


class House:
    """One referee, its players by seat, and an outsider who watches."""

    def __init__(self, database: Path, monkeypatch: pytest.MonkeyPatch, world: Dealing | None) -> None:
        """Open the house; cards come from *world*, from the table's secret where there is none."""
        self.database = database
        self.clock, self.log = Clock(), Log()
        monkeypatch.setattr("referee.identity.secrets", Counted())
        for module in ("referee.tables.timer", "referee.services.play_service", "referee.store.rows"):
            monkeypatch.setattr(f"{module}.time", self.clock)
        for module in _modules_with_a_log():
            monkeypatch.setattr(module, "_log", self.log)
        if world is not None:
            monkeypatch.setattr(Secret, "dealing", lambda *_args, **_more: world)
        self.tokens: list[str] = []
        self.streams: dict[int, list[Call]] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.table_id = ""
        self._open()

    def _open(self) -> None:
        engine = open_database(f"sqlite:///{self.database}")
        self.engine, self.writer = engine, InstantWriter(engine)
        store = Store(engine)
        self.hall = Hall(store, self.writer, Replays(store, None, None, lambda _failure: None))
        self.hall.restore()
        self.play = PlayService(self.hall)
        self.services: tuple[Any, ...] = (TableService(self.hall), ReplayService(self.hall))
        self.players = PlayerService(self.hall, OpenLadders(self.hall))

    @property
    def state(self) -> TableState:
        """The live state of the table."""
        state = self.hall.tables[self.table_id]._state
        assert state is not None
        return state

    async def register(self, name: str) -> str:
        """Return the token of a new player."""
        answer = await self.players.Register(player_service_pb2.RegisterRequest(name=name), Call(""))  # type: ignore[arg-type]
        return answer.token

    async def begin(self, preset: str, options: dict[str, object], hellos: Sequence[pb.Hello]) -> None:
        """Seat a player for each of *hellos*, and an outsider; the match begins."""
        self.tokens = [await self.register(f"p{seat}") for seat in range(len(hellos))]
        self.tokens.append(await self.register("eve"))
        request = table_service_pb2.CreateTableRequest(
            preset=preset,
            clock="slow",
            stand_in="minimal",
            options=[rules_pb2.OptionSetting(name=name, value=str(value)) for name, value in options.items()],
        )
        made = await self.services[0].CreateTable(request, Call(self.tokens[0]))
        self.table_id = made.table.table_id
        for seat in range(len(hellos)):
            seated = table_service_pb2.TakeSeatRequest(table_id=self.table_id, seat=seat)
            await self.services[0].TakeSeat(seated, Call(self.tokens[seat]))
        for seat, hello in enumerate(hellos):
            await self.connect(seat, hello)
        await self.watch(len(hellos))

    async def connect(self, seat: int, hello: pb.Hello) -> None:
        """Open a stream of the player in *seat* and say *hello*."""
        call = Call(self.tokens[seat])
        self.streams.setdefault(seat, []).append(call)
        self.tasks[seat] = asyncio.ensure_future(self.play.Play(None, call))  # type: ignore[arg-type]
        call.inbound.put_nowait(pb.PlayRequest(hello=hello))
        await self.settle()

    async def disconnect(self, seat: int) -> None:
        """End the stream of the player in *seat*."""
        self.streams[seat][-1].inbound.put_nowait(grpc.aio.EOF)
        await self.settle()

    async def watch(self, viewer: int) -> None:
        """Let the outsider watch from the beginning."""
        call = Call(self.tokens[viewer])
        self.streams.setdefault(viewer, []).append(call)
        request = table_service_pb2.WatchRequest(table_id=self.table_id)
        self.tasks[viewer] = asyncio.ensure_future(self.services[0].Watch(request, call))
        await self.settle()

    async def submit(self, seat: int, **fields: object) -> None:
        """Submit something for *seat* on its player's newest stream, a millisecond later."""
        self.clock.now_ns += NS
        submit = pb.Submit(**{"table_id": self.table_id, "seat": seat, **fields})  # type: ignore[arg-type]
        self.streams[seat][-1].inbound.put_nowait(pb.PlayRequest(submit=submit))
        await self.settle()

    async def ask(self, viewer: int, method: str, request: Message) -> None:
        """Make a call about tables or replays; what comes back joins the viewer's bytes."""
        call = Call(self.tokens[viewer])
        service = next(service for service in self.services if hasattr(service, method))
        try:
            answer = await getattr(service, method)(request, call)
            if answer is not None:
                await call.write(answer)
        except Aborted:
            pass
        self.streams[viewer].insert(-1, call)
        await self.settle()

    def heard(self, viewer: int) -> list[bytes]:
        """Return every message that the viewer was sent, call after call."""
        return [message for call in self.streams[viewer] for message in call.sent]

    async def settle(self) -> None:
        """Return when every request is answered and every message sent."""
        quiet = 0
        while quiet < 3:  # an inbox, an outbox and a task between them
            await asyncio.sleep(0)
            quiet = 0 if self._is_busy() else quiet + 1

    def _is_busy(self) -> bool:
        calls = [calls[-1] for calls in self.streams.values()]
        waiting = any(not call.inbound.empty() for call in calls)
        inboxes = any(not table.inbox.empty() for table in self.hall.tables.values())
        # What is stuck in its transport is being written, all else has been.
        unsent = any(stream._outbox and stream._writing_since is None for stream in self.hall.streams())
        return waiting or inboxes or unsent

    async def restart(self, hellos: Sequence[pb.Hello]) -> None:
        """Lose the process and start another over the same database; everybody comes back."""
        await self.close()
        self._open()
        await self.come_back(hellos)

    async def come_back(self, hellos: Sequence[pb.Hello]) -> None:
        """Connect a player a seat, and the outsider."""
        for seat, hello in enumerate(hellos):
            await self.connect(seat, hello)
        await self.watch(len(hellos))

    async def close(self) -> None:
        """Stop everything where it is."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        await self.hall.close()
        await self.writer.close()
        self.engine.dispose()


def _modules_with_a_log() -> list[Any]:
    names = [module.name for module in pkgutil.walk_packages(referee.__path__, "referee.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return [module for module in modules if hasattr(module, "_log")]
