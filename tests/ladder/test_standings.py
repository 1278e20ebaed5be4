"""Standings are a pure function of results."""

import random

import pytest

from engine.record.entries import Cause, Forfeited, Result
from engine.rules.ruleset import ScoreSense
from referee.ladder.fixtures import rotation
from referee.ladder.margins import TableResult, margins, set_results
from referee.ladder.standings import standings

HIGH, LOW = ScoreSense.HIGH_WINS, ScoreSense.LOW_WINS


def result(
    *points: tuple[int, ...], forfeits: tuple[Forfeited, ...] = (), faults: tuple[tuple[int, Cause], ...] = ()
) -> Result:
    """Return the result of a table with these points, round by round."""
    totals = tuple(map(sum, zip(*points, strict=True)))
    return Result(points, totals, (totals.index(max(totals)),), forfeits, faults)


def turned(number: int, entrants: str, by_seat: tuple[int, ...]) -> list[TableResult]:
    """Return a set in which whoever sits in a seat gets the points of that seat."""
    names = tuple(entrants)
    return [TableResult(number, names[-turn:] + names[:-turn], result(by_seat)) for turn in range(len(names))]


def test_a_margin_is_points_less_the_mean_of_the_others() -> None:
    """Per seat and round; where high wins more points are better."""
    assert margins(result((30, 10, 20, 0), (0, 0, 0, 40)), HIGH) == [
        [20.0, pytest.approx(-20 / 3), pytest.approx(20 / 3), -20.0],
        [pytest.approx(-40 / 3)] * 3 + [40.0],
    ]


def test_the_sign_turns_where_low_wins() -> None:
    """More is better in a margin, whatever the points mean."""
    assert margins(result((30, 10)), LOW) == [[-20.0, 20.0]]


def test_a_forfeit_costs_the_lowest_points_of_the_table_and_leaves_the_others_theirs() -> None:
    """The forfeiter gets the worst points, the others' points stay."""
    lost = (Forfeited(0, 0, Cause.CRASHED),)
    assert margins(result((50, 10, -20), forfeits=lost), HIGH) == [[-15.0, 30.0, -15.0]]
    assert margins(result((5, 10, 40), forfeits=lost), LOW) == [[-15.0, 30.0, -15.0]]


def test_a_forfeiter_keeps_points_that_are_worse_still() -> None:
    """Its own points are among those of the table."""
    lost = (Forfeited(0, 0, Cause.CRASHED),)
    assert margins(result((-50, 10), forfeits=lost), HIGH) == margins(result((-50, 10)), HIGH)


@pytest.mark.parametrize(("cause", "later"), [(Cause.STRIKES, 0.0), (Cause.NEVER_CAME, 0.0), (Cause.CRASHED, 40.0)])
def test_strikes_forfeit_the_rest_of_the_match_and_a_crash_its_round(cause: Cause, later: float) -> None:
    """Rounds before the forfeit count as they were played."""
    points = ((40, 0), (40, 0), (40, 0))
    lost = (Forfeited(1, 0, cause),)
    assert [seats[0] for seats in margins(result(*points, forfeits=lost), HIGH)] == [40.0, 0.0, later]


@pytest.mark.parametrize("by_seat", [(7, -3), (1, 2, 4), (90, -35, 10, 0), (1, 0, 0, 0)])
def test_what_cancels_out_is_exactly_zero(by_seat: tuple[int, ...]) -> None:
    """Points that depend on the seat alone give every entrant 0, with no rounding left over."""
    entrants = "abcd"[: len(by_seat)]
    for sense in ScoreSense:
        for sets in set_results(turned(0, entrants, by_seat), sense, rotation(len(by_seat))).values():
            assert sets == {0: 0.0}
    lines = standings(turned(0, entrants, by_seat), tuple(entrants), HIGH, rotation(len(by_seat))).lines
    assert {(line.rank, line.points_per_round, line.rating, line.interval) for line in lines} == {(1, 0.0, 0.0, None)}


def test_a_set_counts_when_its_last_table_has_ended() -> None:
    """Unfinished sets change neither points nor rounds; who has no set stands last."""
    tables = [TableResult(0, ("a", "b"), result((10, 0))), TableResult(0, ("b", "a"), result((4, 8)))]
    unfinished = [TableResult(1, ("c", "a"), result((99, 0)))]
    lines = standings(tables + unfinished, ("c", "b", "a"), HIGH, rotation(2)).lines
    assert [(line.entrant, line.points_per_round, line.sets, line.rounds) for line in lines] == [
        ("a", 7.0, 1, 2),
        ("b", -7.0, 1, 2),
        ("c", 0.0, 0, 0),
    ]


def test_points_are_the_mean_of_set_results() -> None:
    """Sets weigh alike, however many rounds their tables had."""
    long = [TableResult(0, pair, result(*[(10, 10)] * 4)) for pair in (("a", "b"), ("b", "a"))]
    short = [TableResult(1, ("a", "b"), result((20, 0))), TableResult(1, ("b", "a"), result((0, 20)))]
    assert standings(long + short, ("a", "b"), HIGH, rotation(2)).lines[0].points_per_round == 10.0


def test_equal_points_share_a_rank() -> None:
    """And the next rank is as if they had not."""
    tables = [
        TableResult(0, ("a", "b", "c"), result((0, 0, 30))),
        TableResult(0, ("c", "a", "b"), result((30, 0, 0))),
        TableResult(0, ("b", "c", "a"), result((0, 30, 0))),
    ]
    assert [(line.rank, line.entrant) for line in standings(tables, ("b", "a", "c"), LOW, rotation(3)).lines] == [
        (1, "a"),
        (1, "b"),
        (3, "c"),
    ]


def test_causes_are_counted_for_the_culprit_alone() -> None:
    """Faults and forfeits by name, sorted."""
    misplayed = result(
        (0, 5),
        forfeits=(Forfeited(0, 1, Cause.STRIKES),),
        faults=((1, Cause.TIME_OUT), (1, Cause.TIME_OUT), (1, Cause.ILLEGAL)),
    )
    tables = [TableResult(0, ("a", "b"), misplayed), TableResult(0, ("b", "a"), result((0, 5)))]
    unfinished = TableResult(1, ("a", "b"), misplayed)
    lines = {
        line.entrant: line.causes for line in standings([*tables, unfinished], ("a", "b"), HIGH, rotation(2)).lines
    }
    assert lines == {"a": {}, "b": {"illegal": 1, "strikes": 1, "time_out": 2}}
    assert list(lines["b"]) == sorted(lines["b"])


def test_the_order_of_results_changes_nothing() -> None:
    """Equal results give equal standings, intervals included, however the tables ended."""
    rng = random.Random(1)
    tables = [
        TableResult(number, pair, result((rng.randrange(-50, 90), rng.randrange(-50, 90))))
        for number in range(30)
        for pair in (("a", "b"), ("b", "a"))
    ]
    once = standings(tables, ("a", "b"), HIGH, rotation(2))
    rng.shuffle(tables)
    assert standings(tables, ("b", "a"), HIGH, rotation(2)) == once
    first = once.lines[0]
    assert first.interval is not None
    assert first.interval[0] < first.points_per_round < first.interval[1]
