"""Decisions are counted and timed from the entries of a table."""

import json
from types import SimpleNamespace
from typing import Any

from engine.notation import parse_play
from engine.reasons import Reason
from engine.record.entries import Cause, Entry, Forfeit, Forfeited, Played, Presence, Refusal, Result, StoodIn
from engine.record.entry_json import to_json
from referee.ladder.decisions import Decisions, decisions, played_table
from referee.ladder.fixtures import rotation
from referee.tables.desk import Desk
from referee.tables.judging import absence

DRAW = parse_play("draw")
THROW = parse_play("discard 9H")
RESULT = Result(((10, 0),), (10, 0), (0,), (), ((1, Cause.TIME_OUT),))


def bodies(*entries: Entry) -> list[bytes]:
    """Return entries as the store has them."""
    return [json.dumps(to_json(entry)).encode() for entry in entries]


ENTRIES = bodies(
    Played(0, DRAW, 1_000),
    Refusal(0, THROW, Reason.CARD_NOT_HELD),
    Played(0, THROW, 3_000, attempt=2),
    StoodIn(1, (DRAW, THROW), Cause.TIME_OUT, 2_000_000),
    Presence(1, present=False),
    StoodIn(1, (DRAW, THROW), Cause.LEFT, 0),
    RESULT,
)


def test_a_seat_is_charged_for_what_it_was_asked() -> None:
    """Plays and turns lost to the clock are its decisions, those played for an absent seat are not."""
    table = played_table(3, ("a", "b"), ENTRIES)
    assert table is not None
    assert table.result[:2] == (3, ("a", "b"))
    assert table.result.result == RESULT
    assert [(list(seat.used_us), seat.refused) for seat in table.seats] == [([1_000, 3_000], 1), ([2_000_000], 0)]


def test_turns_of_a_round_that_is_forfeited_for_a_time_out_are_no_decisions() -> None:
    """The one that lost it is; the others nobody was asked for, though the record gives them the same cause."""
    lost = bodies(
        Played(0, DRAW, 1_000),
        Forfeit(1, Cause.TIME_OUT),
        StoodIn(1, (DRAW, THROW), Cause.TIME_OUT, 2_000_000),
        StoodIn(1, (DRAW, THROW), Cause.TIME_OUT, 0),
        StoodIn(1, (DRAW, THROW), Cause.TIME_OUT, 0),
        RESULT,
    )
    table = played_table(0, ("a", "b"), lost)
    assert table is not None
    assert [list(seat.used_us) for seat in table.seats] == [[1_000], [2_000_000]]


def test_the_stand_in_plays_for_the_cause_of_the_round_that_it_plays() -> None:
    """Not for what an earlier one was forfeited for."""
    forfeits = (Forfeited(0, 1, Cause.TIME_OUT), Forfeited(0, 0, Cause.ILLEGAL), Forfeited(2, 1, Cause.CRASHED))
    state: Any = SimpleNamespace(forfeits=forfeits, forfeited=lambda _: True)
    assert absence(state, Desk("t", 1, "p", "b")) is Cause.CRASHED


def test_a_table_without_a_result_is_none() -> None:
    """It is still being played."""
    assert played_table(0, ("a", "b"), ENTRIES[:-1]) is None


def test_percentiles_are_times_that_were_used() -> None:
    """Nearest rank: of a hundred times the 50th, the 95th and the 99th."""
    plays = bodies(*(Played(0, DRAW, 1_000 * used) for used in range(1, 101)), RESULT)
    tables = [played_table(0, names, plays) for names in (("a", "b"), ("b", "a"))]
    found = decisions([table for table in tables if table], rotation(2))
    assert found["a"] == Decisions(100, 0, {50: 50_000, 95: 95_000, 99: 99_000})
    assert found["b"].count == 100


def test_finished_sets_alone_count() -> None:
    """A set that lacks a table is not there."""
    table = played_table(0, ("a", "b"), ENTRIES)
    assert table is not None
    assert decisions([table], rotation(2)) == {}
    assert Decisions().per_thousand(3) == 0.0
    assert Decisions(count=500).per_thousand(3) == 6.0
