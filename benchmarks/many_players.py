"""A thousand connected players, a tenth of them playing: how long a decision takes, and what idle ones cost.

Every player has a connection of its own. The idle ones sit at tables that wait for
them; the active ones think for a while and then play the first offer.
"""

import asyncio
import os
import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import grpc

from benchmarks.process import Server, serving
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import player_service_pb2, rules_pb2, table_service_pb2
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from rummyref.v1.table_service_pb2_grpc import TableServiceStub

PLAYERS: Final = 1_000
ACTIVE: Final = 100
THINKS_S: Final = 0.2
WARM_UP_S: Final = 2.0
SECONDS: Final = 8.0
_OPTIONS: Final = {"players": "2", "rounds": "100"}
_OWN_CONNECTION: Final = (("grpc.use_local_subchannel_pool", 1),)


class Player:
    """A connected player; plays its first offer as long as it is active."""

    def __init__(self, channel: grpc.aio.Channel, token: str, sent: dict[str, float], waits: list[float]) -> None:
        """Connect over *channel*; keep when each table was answered last, and the round trips in seconds."""
        self.metadata = (("authorization", f"Bearer {token}"),)
        self._call = PlayServiceStub(channel).Play(metadata=self.metadata)
        self._sent = sent
        self._waits = waits
        self.answered = 0

    async def connect(self, *, active: bool) -> None:
        """Say hello; only who is active wants offers."""
        hello = pb.Hello(protocol=1, client_name="bench", delivery=pb.DELIVERY_GATHERED, want_offers=active)
        await self._call.write(pb.PlayRequest(hello=hello))
        await self._call.read()

    async def play(self) -> None:
        """Answer what is asked until cancelled."""
        while isinstance(message := await self._call.read(), pb.PlayResponse):
            if not message.HasField("decision"):
                continue
            asked = message.decision
            if asked.table_id in self._sent:
                self._waits.append(time.perf_counter() - self._sent[asked.table_id])
            await asyncio.sleep(THINKS_S)
            submit = pb.Submit(
                table_id=asked.table_id, seat=asked.seat, decision_id=asked.decision_id, attempt=1, play=asked.offers[0]
            )
            self._sent[asked.table_id] = time.perf_counter()
            await self._call.write(pb.PlayRequest(submit=submit))
            self.answered += 1


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


async def seat(channel: grpc.aio.Channel, first: Player, second: Player) -> None:
    """Seat two players at a table of their own."""
    stub = TableServiceStub(channel)
    options = [rules_pb2.OptionSetting(name=name, value=value) for name, value in _OPTIONS.items()]
    request = table_service_pb2.CreateTableRequest(preset="remi", clock="untimed", options=options)
    table_id = (await stub.CreateTable(request, metadata=first.metadata)).table.table_id
    for player in (first, second):
        await stub.TakeSeat(table_service_pb2.TakeSeatRequest(table_id=table_id), metadata=player.metadata)


async def measured(server: Server) -> None:
    """Connect everybody, let a tenth of them play, and print."""
    waits: list[float] = []
    sent: dict[str, float] = {}
    async with grpc.aio.insecure_channel(server.address) as office:
        stub = PlayerServiceStub(office)
        channels = [grpc.aio.insecure_channel(server.address, options=_OWN_CONNECTION) for _ in range(PLAYERS)]
        before = resident_mib(server.pid)
        players = []
        for number, channel in enumerate(channels):
            token = (await stub.Register(player_service_pb2.RegisterRequest(name=f"bench-{number}"))).token
            players.append(Player(channel, token, sent, waits))
            await players[-1].connect(active=number < ACTIVE)
        connected = resident_mib(server.pid)
        for number in range(ACTIVE, PLAYERS, 2):
            await seat(office, players[number], players[number + 1])
        seated = resident_mib(server.pid)
        playing = [asyncio.create_task(player.play()) for player in players[:ACTIVE]]
        for number in range(0, ACTIVE, 2):
            await seat(office, players[number], players[number + 1])
        await asyncio.sleep(WARM_UP_S)
        waits.clear()
        answered = -sum(player.answered for player in players)
        await asyncio.sleep(SECONDS)
        answered += sum(player.answered for player in players)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for channel in channels:
            await channel.close()
    tables = (PLAYERS - ACTIVE) // 2
    print(f"{PLAYERS:,} connected players, {ACTIVE} of them playing, {answered / SECONDS:,.0f} decisions a second")
    print(f"  a decision's round trip, ms: p50 {1e3 * median(waits):.1f}, p99 {1e3 * quantiles(waits, n=100)[98]:.1f}")
    print(f"  memory: {1024 * (connected - before) / PLAYERS:.0f} KiB a connected player, "
          f"{1024 * (seated - connected) / tables:.0f} KiB an idle table of two")  # fmt: skip


def report() -> None:
    """Print round trips and memory."""
    with TemporaryDirectory() as folder:
        flags = ("--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error")
        with serving("referee", *flags) as server:
            asyncio.run(measured(server))
