"""A referee that keeps its record in PostgreSQL: a match goes on after a kill, and its replay holds."""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import grpc
import pytest

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session
from engine.moves import Play
from engine.record.audit import audit
from engine.record.chain import lines_in
from engine.views import SeatView
from referee.server import Storage, start
from rummyref.v1 import replay_service_pb2 as replay_pb
from rummyref.v1 import table_service_pb2 as pb
from rummyref.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.referee.conftest import House, bearer
from tests.referee.process import ROOT, RefereeProcess

PROGRAMS: Final = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
"""Where Debian keeps the servers of each version; `initdb` and `pg_ctl` are on nobody's path."""

KILL_AT: Final = 12
"""Decisions asked for before the kill."""

WITHIN_S: Final = 120.0


def run(program: str, *arguments: str) -> None:
    """Run a program of the newest server; as its own user, since it refuses to be run by root."""
    user = "postgres" if os.geteuid() == 0 else None
    subprocess.run([PROGRAMS[-1] / program, *arguments], check=True, user=user, cwd="/", stdout=subprocess.DEVNULL)


@pytest.fixture
def database() -> Iterator[str]:
    """URL of an empty database of a server that listens on a socket in its own folder and nowhere else."""
    if not PROGRAMS:
        pytest.skip("there is no PostgreSQL here")
    folder = Path(tempfile.mkdtemp(prefix="rummyref-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        kept = str(folder / "kept")
        run("initdb", "-D", kept, "-A", "trust", "-U", "postgres", "--no-sync")
        run(
            "pg_ctl",
            "-D",
            kept,
            "-l",
            str(folder / "log"),
            "-w",
            "-t",
            "120",
            "-o",
            f"-k {folder} -c listen_addresses=''",
            "start",
        )
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", kept, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


class TellingBot(GreedyBot):
    """Tells of each decision that it is asked for."""

    asked: Final[queue.SimpleQueue[int]] = queue.SimpleQueue()

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the greedy play."""
        self.asked.put(view.seat)
        return super().play(view, offers)


def refused(data: Path, *flags: str) -> str:
    """Return the one line with which a referee does not start."""
    command = [sys.executable, "-m", "referee", "--listen", "127.0.0.1:0", "--data", str(data), *flags]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=WITHIN_S, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), ended
    return ended.stderr


def test_a_match_is_kept_in_postgresql_over_a_kill(tmp_path: Path, database: str) -> None:
    """Played to its end by the referee that comes after, exported, and found right by an audit."""
    flags = ("--database-url", database)
    referee = RefereeProcess(tmp_path, "127.0.0.1:0", *flags)
    sessions = [Session(referee.address, "") for _ in range(2)]
    for name, session in zip(("anna", "ben"), sessions, strict=True):
        session.register(name)
    table_id = sessions[0].create_table("remi", {"players": 2, "rounds": 2}, "untimed", "minimal")
    for session in sessions:
        session.take_seat(table_id)
    assert "used by another referee" in refused(tmp_path / "other", *flags)
    bots = [threading.Thread(target=Runner(each, TellingBot).run, kwargs={"matches": 1}) for each in sessions]
    for bot in bots:
        bot.start()
    for _ in range(KILL_AT):
        TellingBot.asked.get(timeout=WITHIN_S)
    referee.kill()
    again = RefereeProcess(tmp_path, referee.address, *flags)
    try:
        for bot in bots:
            bot.join(WITHIN_S)
        assert not any(bot.is_alive() for bot in bots)
    finally:
        assert again.stop() == 0
    with (tmp_path / "replays" / f"{table_id}.rummy.jsonl").open("rb") as file:
        verdict = audit(lines_in(file))
    assert (verdict.ok, verdict.rounds) == (True, 2)


async def test_text_that_postgresql_has_no_room_for_is_unknown_to_it(tmp_path: Path, database: str) -> None:
    """A zero byte in an id or a page token is nobody's id, not a fault of the referee."""
    referee = await start("127.0.0.1:0", Storage(database, tmp_path / "replays"))
    async with grpc.aio.insecure_channel(referee.address) as channel:
        house = House(referee, channel)
        token = await house.register()
        metadata, replays = bearer(token), ReplayServiceStub(channel)
        for odd in ("\0", "t-\0", "t-0123456789abcdef\0"):
            for call in (
                house.tables().GetTable(pb.GetTableRequest(table_id=odd), metadata=metadata),
                house.tables().TakeSeat(pb.TakeSeatRequest(table_id=odd), metadata=metadata),
                house.tables().LeaveSeat(pb.LeaveSeatRequest(table_id=odd), metadata=metadata),
                house.tables().Watch(pb.WatchRequest(table_id=odd), metadata=metadata).read(),
                replays.GetReplay(replay_pb.GetReplayRequest(match_id=odd), metadata=metadata).read(),
            ):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await call
                assert refused.value.code() is grpc.StatusCode.NOT_FOUND, (odd, refused.value)
            await house.tables().ListTables(pb.ListTablesRequest(page_token=odd), metadata=metadata)
            await replays.ListReplays(replay_pb.ListReplaysRequest(page_token=odd), metadata=metadata)
    await referee.stop(0)
