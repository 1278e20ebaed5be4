"""A starter as a process at a real referee, and the Python player that it meets."""

import json
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from clients.bots.random_bot import RandomBot
from clients.bots.runner import Runner
from clients.session import Session, Wishes
from engine.rules.options import Options
from tests.starters.starter import Starter, with_tools

WITHIN_S = 90.0


def built(starter: Starter) -> Starter:
    """Return *starter* once it has been built; skip the test where the machine lacks a tool for that."""
    lacking = starter.lacking()
    if lacking is not None:
        pytest.skip(f"this machine has no {lacking}")
    starter.build()
    return starter


def start(command: list[str], address: str, token: str, **more: str) -> "subprocess.Popen[str]":
    """Start a bot the way a ladder does."""
    env = {**with_tools(), "RUMMYREF_ADDRESS": address, "RUMMYREF_TOKEN": token, "RUMMYREF_BOT": "starter", **more}
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@contextmanager
def running(command: list[str], address: str, token: str, **more: str) -> Iterator[None]:
    """Have a bot run meanwhile; it must neither end nor complain."""
    process = start(command, address, token, **more)
    try:
        yield
        assert process.poll() is None
    finally:
        process.terminate()
        _, said = process.communicate(timeout=WITHIN_S)
    assert said == ""


def complaint(process: "subprocess.Popen[str]") -> str:
    """Return the one line that a bot ends with; its exit code must say that something is wrong."""
    _, said = process.communicate(timeout=WITHIN_S)
    assert process.returncode not in (0, None)
    assert len(said.splitlines()) == 1, said
    return said


class Meeting:
    """Tables for two at one referee: a starter's token, and a Python player in the other seats.

    Attributes:
        token: The starter's.
        opponent: The Python player's session.
        tables: Ids of the tables, in the order made.
    """

    def __init__(self, address: str, tables: int, ca: str = "") -> None:
        """Register both; each will carry *tables*."""
        self._guest = Session(address, "", ca=ca)
        self.token = self._guest.register("starter")
        self.opponent = Session(address, "", Wishes(capacity=tables), ca=ca)
        self.opponent.register("opponent")
        self.tables: list[str] = []

    def seat(self, preset: str, options: Options, clock: str = "slow") -> None:
        """Make a table and seat both, the starter first."""
        table = self._guest.create_table(preset, {"players": 2, **options}, clock, "minimal")
        for session in (self._guest, self.opponent):
            session.take_seat(table)
        self.tables.append(table)

    def play(self) -> None:
        """Play in the opponent's seats, at random, until every table has ended."""
        player = threading.Thread(
            target=Runner(self.opponent, RandomBot).run, kwargs={"matches": len(self.tables)}, daemon=True
        )
        player.start()
        player.join(WITHIN_S)
        assert not player.is_alive()
        self._guest.close()

    def check(self, data: Path) -> None:
        """Check in the record in *data* that both played every turn themselves, and no play was refused."""
        with closing(sqlite3.connect(data / "rummyref.db")) as record:
            for table in self.tables:
                bodies = record.execute("select body from entry where table_id = ?", (table,)).fetchall()
                kinds = {json.loads(body)["kind"] for (body,) in bodies}
                assert "play" in kinds
                assert not {"stand_in", "refusal"} & kinds
