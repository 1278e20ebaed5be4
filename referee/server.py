"""The gRPC server: services, health, reflection, options, and an orderly end."""

import asyncio
import gc
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from sqlalchemy.exc import DBAPIError

from engine.record.signature import Sign
from referee.certificates import Certificate
from referee.hall import Hall
from referee.ladder.open_ladders import OpenLadders
from referee.replays import Replays
from referee.services.ladder_service import LadderService
from referee.services.play_service import PlayService
from referee.services.player_service import PlayerService
from referee.services.replay_service import ReplayService
from referee.services.rules_service import RulesService
from referee.services.table_service import TableService
from referee.store.database import make_folder, open_database
from referee.store.queries import Store
from referee.store.writer import RecordWriter
from rummyref.v1 import (
    ladder_service_pb2,
    ladder_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    player_service_pb2,
    player_service_pb2_grpc,
    replay_service_pb2,
    replay_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
)  # fmt: skip

MESSAGE_LIMIT: Final = 64 * 1024
"""Bytes a message to the referee may have."""

_LAST_PORT: Final = 65_535
_SWEEP_S: Final = 1.0
_FAILED_COMMIT: Final = 70
_PENDING: Final = 1_000_000

_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MESSAGE_LIMIT),
    ("grpc.server.max_pending_requests", _PENDING),
    ("grpc.server.max_pending_requests_hard_limit", _PENDING),
    ("grpc.keepalive_time_ms", 1_000),
    ("grpc.http2.ping_timeout_ms", 1_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
)
_log = structlog.get_logger()


class ListenError(Exception):
    """The address cannot be listened on; the message says why."""


@dataclass(slots=True)
class Referee:
    """A running referee.

    Attributes:
        hall: Its players, streams and tables.
        ladders: Its open ladders; whoever wants them played calls `run`.
        address: HOST:PORT it listens on.
    """

    hall: Hall
    ladders: OpenLadders
    address: str
    _server: grpc.aio.Server
    _writer: RecordWriter
    _health: health.aio.HealthServicer
    _sweeper: asyncio.Task[None]

    async def stop(self, grace_s: float) -> None:
        """Say so to every stream, let open calls end, and make the rest durable."""
        await self._health.enter_graceful_shutdown()
        self._sweeper.cancel()
        await self.ladders.close()
        await self.hall.close()
        for stream in self.hall.streams():
            stream.close("SHUTTING_DOWN", "the referee is going down; come back and resume")
        await self._server.stop(grace_s)
        await self._writer.close()
        self.hall.store.engine.dispose()  # the last to close the database leaves all of it in one file


class Storage(NamedTuple):
    """Where a referee keeps what it must not lose.

    Attributes:
        database: SQLAlchemy URL.
        replays: Folder of the replay files.
        power_safe: Whether the record survives a loss of power, and not just a kill.
    """

    database: str
    replays: Path
    power_safe: bool = False


async def start(
    listen: str,
    storage: Storage,
    certificate: Certificate | None = None,
    sign: Sign | None = None,
    socket: Path | None = None,
) -> Referee:
    """Open the database, restore what it holds, and listen.

    Args:
        listen: HOST:PORT; port 0 takes any free one.
        storage: Where everything is kept.
        certificate: For TLS; without one everything travels in the clear.
        sign: Signs every replay; they are unsigned without it.
        socket: Listen there too, in the clear: whoever can open it may talk.

    Raises:
        ListenError: The address is in use or no address.
        StoreError: The database cannot be used.
    """
    make_folder(storage.replays)
    engine = open_database(storage.database, power_safe=storage.power_safe)
    writer = RecordWriter(engine, _commit_failed)
    store = Store(engine)
    hall = Hall(store, writer, Replays(store, storage.replays, sign, _commit_failed))
    server = grpc.aio.server(options=_OPTIONS)
    checks = health.aio.HealthServicer()
    port = _listen(server, listen, certificate)
    if socket is not None:
        server.add_insecure_port(f"unix:{socket}")
    await asyncio.to_thread(hall.replays.catch_up)
    hall.restore()
    ladders = OpenLadders(hall)
    _add_services(server, hall, ladders, checks)
    await server.start()
    for name in _service_names():
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    host = listen.rpartition(":")[0]
    sweeper = asyncio.get_running_loop().create_task(_sweep(hall))
    return Referee(hall, ladders, f"{host}:{port}", server, writer, checks, sweeper)


def settle() -> None:
    """Spare the collector what is there for good, so that its pauses stay far below any clock.

    For a process that does nothing but run a referee, once it has started.
    """
    gc.collect()
    gc.freeze()


def _listen(server: grpc.aio.Server, listen: str, certificate: Certificate | None) -> int:
    host, _, port = listen.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal() and int(port) <= _LAST_PORT):
        raise ListenError(f"{listen} is no address; write HOST:PORT, such as 127.0.0.1:50051")
    try:
        if certificate is None:
            bound = server.add_insecure_port(listen)
        else:
            bound = server.add_secure_port(listen, certificate.credentials())
    except RuntimeError:
        bound = 0
    if not bound:
        raise ListenError(f"cannot listen on {listen}: it is in use or not an address of this machine")
    return bound


def _add_services(server: grpc.aio.Server, hall: Hall, ladders: OpenLadders, checks: health.aio.HealthServicer) -> None:
    player_service_pb2_grpc.add_PlayerServiceServicer_to_server(PlayerService(hall, ladders), server)
    ladder_service_pb2_grpc.add_LadderServiceServicer_to_server(LadderService(hall, ladders), server)
    table_service_pb2_grpc.add_TableServiceServicer_to_server(TableService(hall), server)
    play_service_pb2_grpc.add_PlayServiceServicer_to_server(PlayService(hall), server)
    rules_service_pb2_grpc.add_RulesServiceServicer_to_server(RulesService(), server)
    replay_service_pb2_grpc.add_ReplayServiceServicer_to_server(ReplayService(hall), server)
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    reflection.enable_server_reflection((*_service_names(), reflection.SERVICE_NAME), server)


def _service_names() -> tuple[str, ...]:
    modules = (
        player_service_pb2,
        table_service_pb2,
        play_service_pb2,
        rules_service_pb2,
        replay_service_pb2,
        ladder_service_pb2,
        health_pb2,
    )
    return tuple(service.full_name for module in modules for service in module.DESCRIPTOR.services_by_name.values())


async def _sweep(hall: Hall) -> None:
    """Close the streams whose transport has stopped taking messages."""
    while True:
        await asyncio.sleep(_SWEEP_S)
        for stream in hall.streams():
            if stream.is_stuck():
                _log.info("slow_reader_closed", player_id=stream.player_id)
                stream.abandon()


def _commit_failed(failure: BaseException) -> None:
    """Stop the process at once: nothing may follow from what is not in the record, and no replay be left out of it."""
    why = failure.orig if isinstance(failure, DBAPIError) else failure
    said = " ".join(str(why).split())
    sys.stderr.write(f"rummyref: the record cannot be written ({said}); stopping. Free space or mend the disk, "
                     "then start again: every acknowledged play is kept.\n")  # fmt: skip
    sys.stderr.flush()
    os._exit(_FAILED_COMMIT)
