"""kill -9 at any moment: nothing that was acknowledged is lost or doubled.

`RUMMYREF_KILLS` sets the number of kills; ten is what every run does.
"""

import json
import os
import queue
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from clients.messages import Asked, Over, Seated
from clients.session import Session, Wishes
from engine.events import MatchOver, StockReshuffled
from engine.match import apply, start
from engine.moves import Play
from engine.notation import show_play
from engine.record.audit import audit, steps
from engine.record.chain import lines_in
from engine.record.deal import Secret, nonces_of
from engine.record.entries import Dealt, Entry, Header, Played, Result, Reveal
from engine.record.replay import only_entries, read
from engine.rules.registry import rule_set
from engine.stand_in import STAND_INS
from tests.referee.process import RefereeProcess

KILLS: Final = int(os.environ.get("RUMMYREF_KILLS", "10"))

MATCHES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("remi", {"players": 2, "rounds": 4}),
    ("remik", {"players": 2, "rounds": 1 + KILLS // 12, "idle_reshuffles": 1}),
    ("remik", {"players": 2, "rounds": 1 + KILLS // 12, "idle_reshuffles": 1}),
)
"""Rules of the tables. Remik is played without ever opening, so that the discards are reshuffled; a round of it has
more than 300 plays, enough in all for the 45 that lie between two kills."""

TABLES: Final = len(MATCHES)

LATE: Final = 650
"""Acknowledged plays after which a stock of remik has been reshuffled, whichever table was how fast: at two tables
that takes 164 plays each, and all of remi has fewer than 300."""

PLAYED_BY: Final = {"remi": "greedy", "remik": "minimal"}
"""How each is played: as this stand-in would."""


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
                play = STAND_INS[PLAYED_BY[message.view.rules.family]](message.view.position)
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


def entries_in(database: Path, table_id: str) -> list[dict[str, Any]]:
    """Return the record of a table as it is stored."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("select body from entry where table_id = ? order by number", (table_id,))
        return [json.loads(body) for (body,) in rows]


def plays_by_decision(database: Path, table_id: str) -> dict[int, str]:
    """Return what the record holds, by the number of the decision it answers."""
    answered = [entry for entry in entries_in(database, table_id) if entry["kind"] in ("play", "stand_in")]
    return {number: entry.get("play", "") for number, entry in enumerate(answered, start=1)}


def undisturbed(header: Header, dealt: Dealt, reveal: Reveal) -> tuple[list[Play], MatchOver]:
    """Return the plays of the same deal when nobody kills anything, and the end."""
    match, _ = start(
        rule_set(header.preset, header.options),
        Secret.of(reveal).dealing(header.match_id, nonces_of(dealt.nonces)),
    )
    plays, player = [], STAND_INS[PLAYED_BY[match.rules.family]]
    while match.over is None:
        seat = match.public.turn
        plays.append(player(match.round.position(seat)))
        match, _ = apply(match, seat, plays[-1])
    return plays, match.over


@pytest.fixture
def cleaning() -> Iterator[ExitStack]:
    """What ends the last referee of a test that has failed."""
    with ExitStack() as stack:
        yield stack


def test_kill_nine_loses_and_doubles_nothing(tmp_path: Path, cleaning: ExitStack) -> None:
    """At random moments, within turns and about a reshuffle: each match ends as if nobody had killed anything."""
    referee = RefereeProcess(tmp_path)
    cleaning.callback(lambda: referee.kill())  # noqa: PLW0108 - the newest one, whichever that is
    database = tmp_path / "rummyref.db"
    progress: queue.SimpleQueue[str] = queue.SimpleQueue()
    players = []
    for name in ("anna", "ben"):
        session = Session(referee.address, "", Wishes(capacity=TABLES))
        session.register(name)
        players.append(Player(session, progress))
    table_ids = []
    for preset, options in MATCHES:
        table_ids.append(players[0].session.create_table(preset, options, "untimed", "minimal"))
        for player in players:
            player.session.take_seat(table_ids[-1])
    for player in players:
        player.start()
    rng, killed_at = random.Random(20261130), list[dict[str, list[dict[str, Any]]]]()
    gaps = [rng.randrange(1, 90) for _ in range(KILLS)]
    gaps[-1] = max(gaps[-1], LATE - sum(gaps[:-1]))
    for gap in gaps:
        for _ in range(gap):
            progress.get(timeout=60)
        referee.kill()
        killed_at.append({table_id: entries_in(database, table_id) for table_id in table_ids})
        referee = RefereeProcess(tmp_path, referee.address)
    for player in players:
        player.join(90)
        assert len(player.over) == TABLES
    assert referee.stop() == 0
    reshuffled: dict[str, int] = {}
    for table_id in table_ids:
        with (tmp_path / "replays" / f"{table_id}.rummy.jsonl").open("rb") as file:
            lines = list(only_entries(read(lines_in(file))))
            file.seek(0)
            assert audit(lines_in(file)).ok
        check_as_undisturbed([line.entry for line in lines])
        for step in steps(lines):
            if any(isinstance(event, StockReshuffled) for event in step.events):
                reshuffled.setdefault(table_id, step.number)
        recorded = plays_by_decision(database, table_id)
        for player in players:
            assert player.over[table_id] == players[0].over[table_id]
            for decision, play in player.acknowledged[table_id].items():
                assert recorded[decision] == play
    lasts = [entries[-1] for at in killed_at for entries in at.values() if entries]
    assert any(last.get("play") == "draw" for last in lasts), "no kill within a turn"
    before = [len(at[table_id]) <= number for at in killed_at for table_id, number in reshuffled.items()]
    assert set(before) == {True, False}, "not both before a reshuffle and behind one"


def check_as_undisturbed(entries: list[Entry]) -> None:
    """Check that a record has the plays and the result of an undisturbed match."""
    header = next(entry for entry in entries if isinstance(entry, Header))
    dealt = next(entry for entry in entries if isinstance(entry, Dealt))
    reveal = next(entry for entry in entries if isinstance(entry, Reveal))
    result = next(entry for entry in entries if isinstance(entry, Result))
    plays, over = undisturbed(header, dealt, reveal)
    assert [entry.play for entry in entries if isinstance(entry, Played)] == plays
    assert (result.totals, result.winners) == (over.totals, over.winners)
    assert (result.forfeits, result.faults) == ((), ())


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
