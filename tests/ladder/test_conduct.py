"""Conduct, from results: one cause and at most one culprit a match, bad rounds, withdrawal."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.record.entries import Cause, Forfeited, Result
from referee.ladder.conduct import PLAYED, Conduct, Counted, bad_rounds, ending_of
from referee.ladder.margins import TableResult
from referee.ladder.policy import Policy

SEATS = 3
seats = some.integers(0, SEATS - 1)


@some.composite
def results(draw: some.DrawFn) -> Result:
    """Draw the result of a match with any misconduct."""
    rounds = draw(some.integers(1, 4))
    forfeits = draw(some.lists(some.tuples(some.integers(0, rounds - 1), seats, some.sampled_from(Cause))))
    faults = draw(some.lists(some.tuples(seats, some.sampled_from([Cause.TIME_OUT, Cause.ILLEGAL]))))
    lost = tuple(Forfeited(*each) for each in forfeits)
    return Result(((0,) * SEATS,) * rounds, (0,) * SEATS, (0,), lost, tuple(faults))


@given(results())
def test_a_match_has_one_cause_and_at_most_one_culprit(result: Result) -> None:
    """Played where nobody forfeited, else the first forfeit with whoever it was."""
    ending = ending_of(result)
    assert (ending.cause == PLAYED) == (ending.culprit is None) == (not result.forfeits)
    if result.forfeits:
        assert (Cause(ending.cause), ending.culprit) == (result.forfeits[0].cause, result.forfeits[0].seat)


@given(results())
def test_bad_rounds_are_rounds_of_the_match(result: Result) -> None:
    """None without misconduct, never more than were played; all from a strike-out on."""
    for seat in range(SEATS):
        bad = bad_rounds(result, seat)
        own = [lost for lost in result.forfeits if lost.seat == seat]
        assert 0 <= bad <= len(result.points)
        assert (bad == 0) == (not own and all(who != seat for who, _ in result.faults))
        for lost in own:
            if lost.cause is Cause.STRIKES:
                assert bad >= len(result.points) - lost.round


def match(*, bad: bool) -> Result:
    """Return a round between two, the first of whom may have been silent."""
    faults = ((0, Cause.TIME_OUT),) if bad else ()
    return Result(((1, 2),), (1, 2), (0,), (), faults)


def withdrawn(conduct: Conduct, *sets: bool, first: int = 0) -> list[list[str]]:
    """Return who is withdrawn by each of some sets of one table, of which those that are true were bad."""
    return [
        conduct.count(number, [TableResult(number, ("a", "b"), match(bad=bad))])
        for number, bad in enumerate(sets, start=first)
    ]


def test_more_than_the_share_withdraws_once() -> None:
    """One bad round in ten is borne, the second is not; the other entrant is not touched."""
    conduct = Conduct(Policy(bad_after=10))
    assert withdrawn(conduct, True, *[False] * 9) == [[]] * 10
    assert withdrawn(conduct, True, True, first=10) == [["a"], []]
    assert conduct.withdrawn == {"a"}


def test_a_new_bot_is_not_judged_by_its_first_rounds() -> None:
    """The share counts only once enough rounds have been played."""
    assert withdrawn(Conduct(Policy(bad_after=3)), True, True, True) == [[], [], ["a"]]


@pytest.mark.parametrize("order", [(True, False), (False, True)])
def test_a_set_is_judged_as_a_whole(order: tuple[bool, bool]) -> None:
    """Which of its tables is looked at first changes nothing: half of the rounds were bad, and half is borne."""
    conduct = Conduct(Policy(bad_after=1, bad_share=0.5))
    assert conduct.count(0, [TableResult(0, ("a", "b"), match(bad=bad)) for bad in order]) == []


def test_who_returns_begins_anew() -> None:
    """What was bad in sets before the return is forgotten, also where such a set ends only later."""
    conduct = Conduct(Policy(bad_after=2))
    withdrawn(conduct, True, True)
    assert conduct.counted("a") == Counted(2, 2)
    conduct.readmit("a", 4)
    assert (conduct.withdrawn, conduct.counted("a"), conduct.counted("b")) == (set(), Counted(0, 0), Counted(2, 0))
    assert withdrawn(conduct, True, True, True, True, first=2) == [[], [], [], ["a"]]


def test_a_share_of_one_never_withdraws() -> None:
    """An organiser who wants to keep everybody can."""
    assert withdrawn(Conduct(Policy(bad_share=1, bad_after=1)), *[True] * 5) == [[]] * 5
