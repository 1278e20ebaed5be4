"""kill -9 at any moment: nothing that was acknowledged is lost or doubled."""

import json
import queue
import random
import sqlite3
import threading
from pathlib import Path

from clients.messages import Asked, Over, Seated
from clients.session import Session, Wishes
from engine.notation import show_play
from engine.record.audit import audit
from engine.stand_in import greedy
from tests.referee.process import RefereeProcess

KILLS = 10
TABLES = 3


class Player(threading.Thread):
    """Plays greedily and remembers what was acknowledged."""

    def __init__(self, session: Session, progress: "queue.SimpleQueue[str]") -> None:
        """Play with *session*, telling *progress* of every acknowledged play and of every end."""
        super().__init__(daemon=True)
        self.session = session
        self.progress = progress
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.over: dict[str, tuple[int, ...]] = {}
        self._sent: dict[str, tuple[int, str]] = {}

    def run(self) -> None:
        """Play until every table of the test has ended."""
        for message in self.session.messages():
            if isinstance(message, Asked):
                table_id = message.seat.table_id
                self._acknowledge(table_id, message.decision_id)
                play = greedy(message.view.position)
                self._sent[table_id] = (message.decision_id, show_play(play))
                self.session.submit(message, play)
            elif isinstance(message, Over):
                self._acknowledge(message.seat.table_id, 1 << 60)
                self.over[message.seat.table_id] = message.totals
                self.progress.put("over")
                if len(self.over) == TABLES:
                    self.session.close()
            elif isinstance(message, Seated) and message.seat.table_id in self.over:
                raise AssertionError("seated again after the end")

    def _acknowledge(self, table_id: str, decision: int) -> None:
        """Note a play as acknowledged: what follows from it has been received."""
        sent = self._sent.get(table_id)
        if sent is not None and sent[0] < decision:
            self.acknowledged.setdefault(table_id, {})[sent[0]] = sent[1]
            self.progress.put("play")


def plays_by_decision(database: Path, table_id: str) -> dict[int, str]:
    """Return what the record holds, by the number of the decision it answers."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("select body from entry where table_id = ? order by number", (table_id,))
        entries = [json.loads(body) for (body,) in rows]
    answered = [entry for entry in entries if entry["kind"] in ("play", "stand_in")]
    return {number: entry.get("play", "") for number, entry in enumerate(answered, start=1)}


def test_kill_nine_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Ten kills at random moments: every match ends, every acknowledged play is in the record once."""
    referee = RefereeProcess(tmp_path)
    progress: queue.SimpleQueue[str] = queue.SimpleQueue()
    players = []
    for name in ("anna", "ben"):
        session = Session(referee.address, "", Wishes(capacity=TABLES))
        session.register(name)
        players.append(Player(session, progress))
    for _ in range(TABLES):
        table_id = players[0].session.create_table("remi", {"players": 2, "rounds": 4}, "untimed", "minimal")
        for player in players:
            player.session.take_seat(table_id)
    for player in players:
        player.start()
    rng = random.Random(20261130)
    for _ in range(KILLS):
        for _ in range(rng.randrange(1, 60)):
            progress.get(timeout=30)
        referee.kill()
        referee = RefereeProcess(tmp_path, referee.address)
    for player in players:
        player.join(60)
        assert len(player.over) == TABLES
    assert referee.stop() == 0
    for table_id, totals in players[0].over.items():
        assert players[1].over[table_id] == totals
        recorded = plays_by_decision(tmp_path / "rummyref.db", table_id)
        for player in players:
            for decision, play in player.acknowledged[table_id].items():
                assert recorded[decision] == play
        with (tmp_path / "replays" / f"{table_id}.rummy.jsonl").open(newline="") as lines:
            verdict = audit(lines)
        assert verdict.ok, verdict


def test_an_orderly_stop_says_so_and_resumes(tmp_path: Path) -> None:
    """SIGTERM ends the referee with code 0; the seat is there after the next start."""
    referee = RefereeProcess(tmp_path)
    session = Session(referee.address, "")
    session.register("anna")
    table_id = session.create_table("remi", {"players": 2, "rounds": 1}, "untimed", "minimal")
    session.take_seat(table_id)
    assert referee.stop() == 0
    referee = RefereeProcess(tmp_path, referee.address)
    assert session.get_table(table_id).seats[0].player_name == "anna"
    session.close()
    assert referee.stop() == 0
