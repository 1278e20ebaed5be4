"""A trivial bot over gRPC that answers every decision with its first offer, as fast as it can.

`python -m benchmarks.bot ADDRESS --tables N --seconds S [--pairs P] [--echo]` prints one
line of JSON: decisions answered, seconds, round trips in ms, and some of the decisions.
"""

import argparse
import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from statistics import median

import grpc

from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import player_service_pb2, rules_pb2, table_service_pb2
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from rummyref.v1.table_service_pb2_grpc import TableServiceStub

WARM_UP_S = 1.0
SAMPLES = 64
_OPTIONS = {"players": "2", "rounds": "100"}


@dataclass(slots=True)
class Tally:
    """What the streams of one process have done.

    Attributes:
        answered: Decisions answered.
        sent: When each table last got an answer.
        waits: Round trips in seconds.
        samples: Decisions as they came.
    """

    answered: int = 0
    sent: dict[str, float] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    samples: list[bytes] = field(default_factory=list)


async def play(channel: grpc.aio.Channel, token: str, tables: int, tally: Tally, ready: asyncio.Semaphore) -> None:
    """Answer what one stream asks until it is cancelled."""
    call = PlayServiceStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
    hello = pb.Hello(
        protocol=1, client_name="bench", capacity=tables, delivery=pb.DELIVERY_GATHERED, want_offers=True
    )  # fmt: skip
    await call.write(pb.PlayRequest(hello=hello))
    await call.read()
    ready.release()
    while True:
        message = await call.read()
        if not isinstance(message, pb.PlayResponse):
            return
        if message.WhichOneof("kind") != "decision":
            continue
        decision = message.decision
        now, table = time.perf_counter(), decision.table_id
        if table in tally.sent:
            tally.waits.append(now - tally.sent[table])
        if len(tally.samples) < SAMPLES:
            tally.samples.append(message.SerializeToString())
        submit = pb.Submit(
            table_id=table, seat=decision.seat, decision_id=decision.decision_id, attempt=1, play=decision.offers[0]
        )
        tally.sent[table] = time.perf_counter()
        await call.write(pb.PlayRequest(submit=submit))
        tally.answered += 1


async def seat_both(channel: grpc.aio.Channel, tokens: tuple[str, str], tables: int) -> None:
    """Make *tables* tables and seat both players at each."""
    stub = TableServiceStub(channel)
    request = table_service_pb2.CreateTableRequest(
        preset="remi",
        clock="standard",
        options=[rules_pb2.OptionSetting(name=name, value=value) for name, value in _OPTIONS.items()],
    )
    first, second = ((("authorization", f"Bearer {token}"),) for token in tokens)
    for _ in range(tables):
        table_id = (await stub.CreateTable(request, metadata=first)).table.table_id
        for metadata in (first, second):
            await stub.TakeSeat(table_service_pb2.TakeSeatRequest(table_id=table_id), metadata=metadata)


async def measured(address: str, pairs: int, tables: int, seconds: float, *, echo: bool) -> dict[str, object]:
    """Play on *pairs* pairs of streams, *tables* tables a pair, and return what was counted."""
    tally, ready, tasks = Tally(), asyncio.Semaphore(0), []
    async with grpc.aio.insecure_channel(address) as channel:
        players = PlayerServiceStub(channel)
        couples = []
        for number in range(pairs):
            couple = ("", "") if echo else (
                (await players.Register(player_service_pb2.RegisterRequest(name=f"bench-{number}-a"))).token,
                (await players.Register(player_service_pb2.RegisterRequest(name=f"bench-{number}-b"))).token,
            )  # fmt: skip
            couples.append(couple)
            # The echo server has a message under way for each unit of capacity; a table has one for both its seats.
            shares = (tables - tables // 2, tables // 2) if echo else (tables, tables)
            tasks += [
                asyncio.create_task(play(channel, token, share, tally, ready))
                for token, share in zip(couple, shares, strict=True) if share
            ]  # fmt: skip
        for _ in tasks:
            await ready.acquire()
        if not echo:
            for couple in couples:
                await seat_both(channel, couple, tables)
        await asyncio.sleep(WARM_UP_S)
        tally.answered, began = 0, time.perf_counter()
        tally.waits.clear()
        await asyncio.sleep(seconds)
        spent, answered = time.perf_counter() - began, tally.answered
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "answered": answered,
        "seconds": spent,
        "wait_ms": 1_000 * median(tally.waits),
        "samples": [sample.hex() for sample in tally.samples],
    }


def main() -> int:
    """Read the arguments, play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--echo", action="store_true")
    asked = parser.parse_args()
    print(json.dumps(asyncio.run(measured(asked.address, asked.pairs, asked.tables, asked.seconds, echo=asked.echo))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
