"""Trials: who may be ranked, by what it does at tables that do not count."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from clients.bots.faulty.answers import Illegal
from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.messages import Broken, Incoming
from clients.session import RawSession, Wishes
from engine.moves import DRAW
from engine.reasons import Reason
from engine.record.audit import audit
from engine.record.conduct import Conduct
from engine.record.entries import Cause, Dealt
from engine.rules.registry import rule_set
from referee.ladder.manifest import LadderSpec
from referee.ladder.trial import Trials, problem_of
from referee.server import Referee, Storage, start
from referee.streams import PlayerStream
from referee.tables.table import Table
from tests.cli.command import rummyref
from tests.ladder.laddering import bot, patient, run_ladder, standings_json, write_ladder

RULES = rule_set("remi", {"players": 2, "rounds": 1, "draw_streams": True})
WITHIN_S = 60.0


class Quitting(RawSession):
    """Takes the end of its stream for the end."""

    def messages(self) -> Iterator[Incoming]:
        """Yield what the referee says until the connection breaks."""
        for message in super().messages():
            if isinstance(message, Broken):
                return
            yield message


class Bot:
    """A bot in a thread of its own, attending."""

    def __init__(self, session: RawSession, runner: type[Runner]) -> None:
        """Register it and let it run."""
        session.register("newcomer")
        self.player_id = session.player_id
        self._session = session
        self._thread = threading.Thread(target=runner(session, GreedyBot).run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._session.close()
        self._thread.join(WITHIN_S)


@pytest.fixture
async def referee(tmp_path: Path) -> AsyncIterator[Referee]:
    """A referee of this test alone."""
    running = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    yield running
    await running.stop(0)


async def attending(referee: Referee, case: "Case", monkeypatch: pytest.MonkeyPatch) -> Bot:
    """Return the bot of *case* once the referee has taken it in."""
    taken_in, join = asyncio.Event(), referee.hall.attendance.join

    def joined(stream: PlayerStream, resume: Iterable[tuple[str, int, int]]) -> None:
        join(stream, resume)
        taken_in.set()

    monkeypatch.setattr(referee.hall.attendance, "join", joined)
    session = case.session(referee.address, "", Wishes(capacity=case.capacity))
    newcomer = await asyncio.to_thread(Bot, session, case.runner)
    await asyncio.wait_for(taken_in.wait(), WITHIN_S)
    return newcomer


class Case(NamedTuple):
    """A newcomer and what comes of its trial: what is wrong with it, and how many tables that takes."""

    session: type[RawSession]
    runner: type[Runner]
    capacity: int
    problem: str
    tables: int


@pytest.mark.parametrize(
    "case",
    [
        Case(RawSession, Runner, 8, "", 2),
        Case(RawSession, Runner, 1, "", 2),
        Case(RawSession, Illegal, 8, "illegal 6", 1),
        Case(Quitting, Runner, 1, "time_out 3", 2),
    ],
)
async def test_a_newcomer_is_tried(
    referee: Referee, tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays, at every seat if it has room, and comes back; what it got wrong is recorded, and stays so."""
    newcomer = await attending(referee, case, monkeypatch)
    spec = LadderSpec(name="test", preset="remi", players=2, sets=1, clock=patient(monkeypatch, 0.5))
    trials = Trials(referee.hall, spec, RULES)
    assert trials.verdict(newcomer.player_id) is None
    trial = await asyncio.wait_for(trials.hold("newcomer", newcomer.player_id), WITHIN_S)
    assert trial is not None
    assert (trial.fit, trial.problem) == (not case.problem, case.problem)
    played = json.loads(trial.tables)
    assert len(played) == case.tables
    again = await trials.hold("newcomer", newcomer.player_id)
    assert again is not None
    assert again.at_us == trial.at_us
    await trials.forget(newcomer.player_id)
    assert trials.verdict(newcomer.player_id) is None
    await asyncio.to_thread(newcomer.stop)
    for table_id in played:
        file = tmp_path / "replays" / f"{table_id}.rummy.jsonl"
        async with asyncio.timeout(WITHIN_S):
            while not file.exists():
                await asyncio.sleep(0)
        with file.open(newline="") as lines:
            assert audit(lines).ok


@pytest.mark.parametrize(("faults", "problem"), [(1, ""), (4, "referee_fault")])
async def test_a_fault_of_the_referee_is_not_the_newcomers(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, faults: int, problem: str
) -> None:
    """A table that it makes void is played again, as often as a set; after that the verdict says whose fault it is."""
    case = Case(RawSession, Runner, 8, problem, 2)
    newcomer = await attending(referee, case, monkeypatch)
    begin, failed = Table._begin, list[str]()

    def fail(table: Table, dealt: Dealt) -> None:
        if len(failed) < faults:
            failed.append(table.table_id)
            raise RuntimeError("a bug")
        begin(table, dealt)

    monkeypatch.setattr(Table, "_begin", fail)
    trials = Trials(referee.hall, LadderSpec(name="test", preset="remi", players=2, sets=1, clock="standard"), RULES)
    trial = await asyncio.wait_for(trials.hold("newcomer", newcomer.player_id), WITHIN_S)
    assert trial.problem == problem
    assert set(failed).isdisjoint(json.loads(trial.tables))
    await asyncio.to_thread(newcomer.stop)


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (Conduct((DRAW,), (1,)), ""),
        (Conduct((DRAW,), (1,), (Reason.CARD_NOT_HELD,)), ""),
        (Conduct(), "it made no play"),
        (Conduct((DRAW,), (1,), (), (Cause.TIME_OUT, Cause.ILLEGAL, Cause.TIME_OUT)), "illegal 1, time_out 2"),
    ],
)
def test_conduct_decides(seen: Conduct, problem: str) -> None:
    """A refused play is no fault; a turn that had to be played for it is."""
    assert problem_of(seen) == problem


def test_a_ladder_ranks_only_who_has_passed(tmp_path: Path) -> None:
    """Who fails its trial has no set, costs nobody else one, and the standings say why."""
    entrants = {"anna": bot("greedy"), "ben": bot("cautious"), "third": bot("illegal")}
    file = write_ladder(tmp_path, entrants, sets=2, trial=True)
    ended = run_ladder(file, tmp_path / "data")
    assert ended.code == 0, ended
    assert "entrant third is not ranked, for its trial: illegal 6; mend it and continue with --resume" in ended.said
    report = json.loads(standings_json(tmp_path / "data"))
    told = {line["entrant"]: (line["sets"], line["trial_problem"], line["causes"]) for line in report["standings"]}
    assert told == {"anna": (2, "", {}), "ben": (2, "", {}), "third": (0, "illegal 6", {})}
    assert report["notes"][0] == "third is not ranked yet: its trial found illegal 6."
    assert not any("ithdrawn" in note for note in report["notes"])
    entries = [json.loads(line).get("entry", {}) for line in record_of(tmp_path / "data").read_text().splitlines()]
    tried = {
        entry["entrant"]: (entry["problem"], len(entry["matches"])) for entry in entries if entry.get("kind") == "trial"
    }
    assert tried == {"anna": ("", 2), "ben": ("", 2), "third": ("illegal 6", 1)}
    assert [
        (entry["entrant"], entry["cause"], entry["set"]) for entry in entries if entry.get("kind") == "withdrawn"
    ] == [("third", "trial", 0)]
    said = (tmp_path / "data" / "logs" / "third.log").read_text().splitlines()
    assert [line for line in said if line.startswith("[referee]")] == ["[referee] its trial: illegal 6"]
    assert rummyref("ladder", "verify", str(record_of(tmp_path / "data"))).returncode == 0


def record_of(data: Path) -> Path:
    """Return the file of the ladder's record."""
    return data / "ladders" / "test.ladder.jsonl"
