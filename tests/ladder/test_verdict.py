"""An A/B match stops when its sets say enough, and is right when it does."""

import math
import random
from collections import Counter
from collections.abc import Callable

import pytest

from referee.ladder.verdict import FIRST_LOOK, Verdict, judge
from referee.ladder.versus import Versus

MATCHES = 200
BUDGET = 200
DEVIATION = 30.0


def verdicts(value: Callable[[random.Random], float], *, margin: float = 0.0) -> Counter[Verdict]:
    """Return how many of many matches ended how, each looked at after every set."""
    chance = random.Random(20261130)
    return Counter(
        judge([value(chance) for _ in range(BUDGET)], margin=margin, budget=BUDGET).verdict for _ in range(MATCHES)
    )


@pytest.mark.parametrize(
    "value",
    [
        lambda chance: chance.gauss(0, DEVIATION),
        lambda chance: chance.choice((-80, 0, 0, 0, 80)),
        lambda chance: chance.choice((-1, 1)) * chance.paretovariate(1.5),
    ],
    ids=["normal", "few values", "no variance"],
)
def test_bots_that_are_alike_are_seldom_told_apart(value: Callable[[random.Random], float]) -> None:
    """At most one match in twenty calls a difference that is not there, however the points spread."""
    found = verdicts(value)
    assert found[Verdict.BETTER] + found[Verdict.WORSE] <= 0.05 * MATCHES
    assert sum(found.values()) == MATCHES


def test_a_difference_as_large_as_the_margin_is_no_equivalence() -> None:
    """At most one match in twenty calls it that."""
    found = verdicts(lambda chance: chance.gauss(10, DEVIATION), margin=10)
    assert found[Verdict.EQUIVALENT] + found[Verdict.WORSE] <= 0.05 * MATCHES
    assert found[Verdict.BETTER] > 0.5 * MATCHES


def test_each_end_is_reached() -> None:
    """Far apart, either way; close within a wide margin; neither within the budget; still open."""
    chance = random.Random(7)
    noise = [chance.gauss(0, DEVIATION) for _ in range(BUDGET)]
    ahead = judge([value + 20 for value in noise], margin=5, budget=BUDGET)
    behind = judge([-value - 20 for value in noise], margin=5, budget=BUDGET)
    assert (ahead.verdict, behind.verdict) == (Verdict.BETTER, Verdict.WORSE)
    assert ahead.sets == behind.sets < BUDGET / 2
    assert (ahead.interval[0], ahead.interval[1]) == pytest.approx((-behind.interval[1], -behind.interval[0]))
    alike = judge(noise, margin=20, budget=BUDGET)
    assert alike.verdict is Verdict.EQUIVALENT
    assert -20 < alike.interval[0] < alike.mean < alike.interval[1] < 20
    assert judge(noise, margin=1, budget=BUDGET).verdict is Verdict.BUDGET_SPENT
    assert judge(noise[:-1], margin=1, budget=BUDGET).verdict is Verdict.OPEN


def test_the_verdict_is_what_the_interval_says() -> None:
    """0 is outside the interval when a difference is called, and not before."""
    chance = random.Random(8)
    values = [chance.gauss(15, DEVIATION) for _ in range(BUDGET)]
    ended = judge(values, margin=0, budget=BUDGET)
    before = judge(values[: ended.sets - 1], margin=0, budget=BUDGET)
    assert ended.verdict is Verdict.BETTER
    assert (
        before.interval[0]
        <= 0
        < ended.interval[0]
        < ended.mean
        == pytest.approx(math.fsum(values[: ended.sets]) / ended.sets)
    )


def test_what_has_ended_stays_so() -> None:
    """Later sets change nothing: a resumed match finds the same end."""
    values = [20.0, 30.0] * 20
    ended = judge(values, margin=5, budget=BUDGET)
    assert ended.verdict is Verdict.BETTER
    assert judge([*values[: ended.sets], *[-500.0] * 100], margin=5, budget=BUDGET) == ended


def test_the_unit_of_points_does_not_matter() -> None:
    """A tenfold score sheet gives the same verdict after the same sets."""
    chance = random.Random(9)
    values = [chance.gauss(8, DEVIATION) for _ in range(BUDGET)]
    once = judge(values, margin=4, budget=BUDGET)
    tenfold = judge([10 * value for value in values], margin=40, budget=BUDGET)
    assert (tenfold.verdict, tenfold.sets) == (once.verdict, once.sets)
    assert tenfold.interval == pytest.approx((10 * once.interval[0], 10 * once.interval[1]))


def test_identical_bots_are_equivalent_soon() -> None:
    """Sets that are all exactly 0 need only enough of them."""
    ended = judge([0.0] * BUDGET, margin=1, budget=BUDGET)
    assert (ended.verdict, ended.mean) == (Verdict.EQUIVALENT, 0.0)
    assert ended.interval == pytest.approx((0, 0), abs=1e-9)
    assert FIRST_LOOK <= ended.sets <= 25


def test_nothing_is_said_too_soon() -> None:
    """Without enough sets the interval has no ends."""
    for few in ([], [5.0], [5.0] * (FIRST_LOOK - 1)):
        assert judge(few, margin=1, budget=BUDGET).interval == (-math.inf, math.inf)
        assert judge(few, margin=1, budget=BUDGET).verdict is Verdict.OPEN


@pytest.mark.parametrize("wrong", [{"margin": -1.0}, {"budget": 0}, {"alpha": 0.0}, {"alpha": 1.0}])
def test_a_match_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    """A negative margin, no budget, no error rate."""
    with pytest.raises(ValueError, match="make no match"):
        judge([], **{"margin": 1.0, "budget": 10, **wrong})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(("values", "begins", "ends"), [
    ([], "after 0 sets it is not decided", "too few for an interval"),
    ([110.0], "after 1 set it is not decided", "+110.00 points a round, too few for an interval"),
    ([10.0, 11.0] * 20, "after 10 sets a is better than b", " at any time"),
])  # fmt: skip
def test_a_verdict_is_told_in_a_sentence(values: list[float], begins: str, ends: str) -> None:
    """It shows no interval before there is one."""
    said = Versus("a", "b", 1.0, judge(values, margin=1.0, budget=60)).sentence()
    assert said.startswith(begins)
    assert said.endswith(ends)
    assert "inf" not in said
