"""A referee on loopback, and players that speak the protocol by hand."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.server import Referee, Storage, start
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import player_service_pb2, player_service_pb2_grpc, rules_pb2, table_service_pb2
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub
from rummyref.v1.table_service_pb2_grpc import TableServiceStub
from tests.referee.in_process import Counted

WITHIN_S = 60.0
"""Long enough for a machine that has stood still for a while: what has not happened by then will not happen."""


class Stream:
    """One Play stream, read and written by hand."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        """Open the stream of the player with *token*."""
        self.call = PlayServiceStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))

    async def send(self, **kind: object) -> None:
        """Send a request of one kind."""
        await self.call.write(pb.PlayRequest(**kind))  # type: ignore[arg-type]

    async def hello(self, **fields: object) -> pb.Welcome:
        """Say hello and return the welcome."""
        wanted = {"protocol": 1, "want_views": True, "delivery": pb.DELIVERY_IMMEDIATE, **fields}
        await self.send(hello=pb.Hello(**wanted))  # type: ignore[arg-type]
        return (await self.read("welcome")).welcome

    async def next(self) -> pb.PlayResponse:
        """Return the next message, whatever it is."""
        message = await asyncio.wait_for(self.call.read(), WITHIN_S)
        assert isinstance(message, pb.PlayResponse), f"the stream has ended: {await self.call.code()}"
        return message

    async def read(self, kind: str) -> pb.PlayResponse:
        """Return the next message of *kind*, passing over others."""
        while True:
            message = await self.next()
            if message.WhichOneof("kind") == kind:
                return message

    async def submit(self, decision: pb.Decision, play: object, **fields: object) -> None:
        """Answer *decision* with *play*."""
        values = {
            "table_id": decision.table_id,
            "seat": decision.seat,
            "decision_id": decision.decision_id,
            "attempt": 1,
            "play": play,
            **fields,
        }
        await self.send(submit=pb.Submit(**values))  # type: ignore[arg-type]

    async def ended(self) -> grpc.StatusCode:
        """Return how the stream ended, once it has."""
        with contextlib.suppress(grpc.RpcError):
            while await asyncio.wait_for(self.call.read(), WITHIN_S) is not grpc.aio.EOF:
                pass
        return await self.call.code()


class House:
    """A referee and what tests ask of it."""

    def __init__(self, referee: Referee, channel: grpc.aio.Channel) -> None:
        """Talk to *referee* over *channel*."""
        self.referee = referee
        self.channel = channel

    async def register(self, name: str = "guest") -> str:
        """Return the token of a new player."""
        stub = player_service_pb2_grpc.PlayerServiceStub(self.channel)
        answer = await stub.Register(player_service_pb2.RegisterRequest(name=name))
        return answer.token

    def tables(self) -> Any:
        """Return a stub of the table service."""
        return TableServiceStub(self.channel)

    async def table(self, token: str, clock: str = "untimed", preset: str = "remi", **options: object) -> str:
        """Make a table for two and return its id."""
        request = table_service_pb2.CreateTableRequest(
            preset=preset,
            clock=clock,
            options=[
                rules_pb2.OptionSetting(name=name, value=str(value))
                for name, value in {"players": 2, "rounds": 1, **options}.items()
            ],
        )
        answer = await self.tables().CreateTable(request, metadata=bearer(token))
        return str(answer.table.table_id)

    async def take(self, token: str, table_id: str, seat: int | None = None) -> int:
        """Take a seat."""
        request = table_service_pb2.TakeSeatRequest(table_id=table_id, seat=seat)
        return int((await self.tables().TakeSeat(request, metadata=bearer(token))).seat)

    async def two_seated(self, clock: str = "untimed", **hello: object) -> tuple[str, list[str], list[Stream]]:
        """Return a table that has begun: its id, tokens and streams by seat."""
        tokens = [await self.register("anna"), await self.register("ben")]
        streams = [Stream(self.channel, token) for token in tokens]
        for stream in streams:
            await stream.hello(**hello)
        table_id = await self.table(tokens[0], clock)
        for token in tokens:
            await self.take(token, table_id)
        for stream in streams:
            await stream.read("seated")
        return table_id, tokens, streams


async def exported(house: House, folder: Path, table_id: str) -> Path:
    """Wait until the replay of a table that has ended is in *folder*, and return it."""
    file = folder / f"{table_id}.rummy.jsonl"
    async with asyncio.timeout(WITHIN_S):
        while not file.exists():
            await house.register()
    return file


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of *token*."""
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    """A referee of this test alone, with the same deals in every run: none is over before the test has begun."""
    monkeypatch.setattr("referee.identity.secrets", Counted())
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    async with grpc.aio.insecure_channel(referee.address) as channel:
        yield House(referee, channel)
    await referee.stop(0)
