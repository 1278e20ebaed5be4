"""The plan of a ladder is a pure function of its secret and its results."""

import random
from collections import deque

import pytest

from referee.ladder.fixtures import rotation
from referee.ladder.pairing import Draw
from referee.ladder.plan import Change, Outline, Plan

Planned = tuple[int, tuple[str, ...]]
NAMES = tuple("abcdef")


def outline(*, sets: int = 80, lag: int = 4, margin: float | None = None) -> Outline:
    """Return a continuous ladder of six, or an A/B match of the first two."""
    versus = ("a", "b") if margin is not None else None
    names = versus or NAMES
    draw = Draw({name: name for name in names}, 2, versus or (), versus is None)
    return Outline(draw, rotation(2), sets, lag, versus, margin)


def results(planned: Planned, lead: float = 0.0) -> dict[str, float]:
    """Return what a set would always give: a function of the set alone."""
    number, (one, two) = planned
    value = random.Random(number).gauss(lead, 10)
    return {one: value, two: -value}


def play(plan: Plan, seed: int, lead: float = 0.0) -> list[Planned]:
    """Play *plan* to its end with sets ending in an order drawn from *seed*; return them in order of number."""
    rng, under_way, played = random.Random(seed), list[Planned](), list[Planned]()
    while not plan.over or under_way:
        while rng.random() < 0.7 and (planned := plan.next()) is not None:
            under_way.append(planned)
            played.append(planned)
        if under_way:
            ended = under_way.pop(rng.randrange(len(under_way)))
            plan.done(ended[0], results(ended, lead))
    return played


@pytest.mark.parametrize("margin", [None, 4.0])
def test_the_order_in_which_sets_end_changes_nothing(margin: float | None) -> None:
    """However fast or slow the tables, the same sets are played, and an A/B match ends at the same one."""
    runs = [play(Plan(outline(margin=margin), bytes(32)), seed) for seed in range(4)]
    assert runs.count(runs[0]) == 4
    assert [number for number, _ in runs[0]] == list(range(len(runs[0])))


def test_whoever_may_be_withdrawn_is_waited_for() -> None:
    """Where conduct counts, no set is planned before those a fixed number before it are over, whatever the format."""
    draw = Draw({name: name for name in NAMES}, 2)
    plans = [Plan(Outline(draw, rotation(2), 80, 4, judged=judged), bytes(32)) for judged in (True, False)]
    assert [sum(plan.next() is not None for _ in range(80)) for plan in plans] == [4, 80]


def test_changes_count_from_their_sets_in_whatever_order_they_are_learnt() -> None:
    """One that was learnt earlier and counts later does not hold up another entrant's."""
    alike = Outline(Draw({name: name for name in NAMES}, 2), rotation(2), 40, 4)
    plan = Plan(alike, bytes(32), [Change(20, "a", withdrawn=True)])
    plan.change(Change(10, "b", withdrawn=True))
    plan.change(Change(30, "b", withdrawn=False))
    planned = [plan.next() or (0, ()) for _ in range(40)]
    seen = {name: [number for number, members in planned if name in members] for name in "ab"}
    assert max(seen["a"]) < 20
    assert max(number for number in seen["b"] if number < 30) < 10
    assert max(seen["b"]) >= 30


def test_results_do_count() -> None:
    """With other results another set follows."""
    once, again = Plan(outline(), bytes(32)), Plan(outline(), bytes(32))
    assert play(once, 0) != play(again, 0, lead=100.0)


def test_a_resumed_plan_goes_on_as_it_would_have() -> None:
    """Fed what the record has, in order, at any point, it plans the same rest."""
    whole = play(Plan(outline(), bytes(32)), 1)
    for known in range(0, 80, 13):
        plan = Plan(outline(), bytes(32))
        again: deque[Planned] = deque()
        for number in range(known):
            planned = plan.next()
            assert planned is not None
            again.append(planned)
            plan.done(number, results(planned))
        assert [*again, *play(plan, 2)] == whole


def test_no_more_sets_are_under_way_than_the_lag() -> None:
    """The plan waits for results it must know."""
    plan = Plan(outline(lag=4), bytes(32))
    first = [plan.next() for _ in range(5)]
    assert [planned is not None for planned in first] == [True] * 4 + [False]
    assert not plan.over
    assert first[0] is not None
    plan.done(0, results(first[0]))
    assert plan.next() is not None


@pytest.mark.parametrize(("lead", "most"), [(20.0, 30), (-20.0, 30), (0.0, 600)])
def test_an_ab_match_ends_when_it_is_decided(lead: float, most: int) -> None:
    """Better and worse are known after a few sets, and equivalent bots do not use up the budget."""
    assert len(play(Plan(outline(sets=600, margin=5.0), bytes(32)), 0, lead)) < most


def test_an_ab_match_without_a_margin_plays_every_set() -> None:
    """Early stopping is asked for."""
    plain = Outline(Draw({"a": "a", "b": "b"}, 2, ("a", "b")), rotation(2), 50, 4, ("a", "b"))
    assert len(play(Plan(plain, bytes(32)), 0, 50.0)) == 50
