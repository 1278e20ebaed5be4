"""Why one entrant stands in front of another is told by the sets that decide it."""

import math
import random

import pytest

from engine.record.entries import Result
from engine.rules.ruleset import ScoreSense
from referee.commands.standings import explanation_lines
from referee.ladder.explain import Explanation, NoSetsError, explain
from referee.ladder.fixtures import rotation
from referee.ladder.margins import TableResult

HIGH = ScoreSense.HIGH_WINS


def duels(*leads: int, names: str = "ab", first: int = 0) -> list[TableResult]:
    """Return sets of two, the first entrant being so far ahead in each."""
    return [
        TableResult(number, tuple(pair), Result((points,), points, (0,), (), ()))
        for number, lead in enumerate(leads, start=first)
        for pair, points in ((names, (lead, 0)), (names[::-1], (0, lead)))
    ]


def explained(tables: list[TableResult], one: str = "a", two: str = "b") -> Explanation:
    """Return why the one stands in front of the other, or the other way round."""
    return explain(tables, (one, two), HIGH, rotation(2))


def test_the_fewest_sets_that_decide_are_named() -> None:
    """Leads of 30, 5 and 5 against 8 and 8: without the first the other would be ahead."""
    found = explained(duels(5, 30, 5, -8, -8))
    assert (found.one, found.two, found.points) == ("a", "b", (4.8, -4.8))
    assert [(each.number, each.one, each.two) for each in found.decisive] == [(1, 30.0, -30.0)]
    assert (found.sets, found.common) == (5, 5)


def test_a_sweep_is_decided_by_all_its_sets() -> None:
    """Where every set speaks for one, all of them would have to go."""
    assert [each.number for each in explained(duels(10, 30, 20)).decisive] == [1, 2, 0]


def test_it_does_not_matter_who_is_asked_about_first() -> None:
    """The one in front is always the one."""
    tables = duels(5, 30, 5, -8, -8)
    assert explained(tables, "b", "a") == explained(tables)


def test_the_interval_is_students_for_common_sets() -> None:
    """The lead over sets of both, give or take t times its standard error."""
    found = explained(duels(4, 8, 12))
    assert found.lead == pytest.approx(16)
    assert found.interval == pytest.approx((16 - 4.3027 * 8 / math.sqrt(3), 16 + 4.3027 * 8 / math.sqrt(3)), rel=1e-3)


def test_sets_against_others_count_too() -> None:
    """Two who never met are compared by what each made of its own sets."""
    found = explained(duels(20, 24, names="ac") + duels(2, 6, names="bc", first=2))
    assert (found.lead, found.sets, found.common) == (18.0, 4, 0)
    assert [each.number for each in found.decisive] == [1, 0]
    assert found.decisive[0].two is None


def test_as_many_more_sets_as_are_said_tell_them_apart() -> None:
    """If they are like those that were played; and none are needed where the order is clear."""
    chance = random.Random(3)
    leads = [round(chance.gauss(6, 40)) for _ in range(40)]
    found = explained(duels(*leads))
    assert not found.told_apart
    assert found.more_sets is not None
    times = math.ceil(1 + found.more_sets / 40)
    assert explained(duels(*leads * times)).told_apart
    assert not explained(duels(*leads * (times - 2))).told_apart if times > 3 else True
    clear = explained(duels(20, 21, 19, 22))
    assert (clear.told_apart, clear.more_sets) == (True, 0)


def test_what_cannot_be_said_is_not() -> None:
    """Level entrants, a single set, an entrant without a set."""
    level = explained(duels(5, -5))
    assert (level.lead, level.more_sets) == (0.0, None)
    assert explanation_lines(level)[-1] == "They are level over 2 sets, 2 of them common."
    single = explained(duels(5))
    assert (single.interval, single.told_apart, single.more_sets) == (None, False, None)
    assert "cannot be said yet" in explanation_lines(single)[-1]
    with pytest.raises(NoSetsError, match="no set of c is finished"):
        explained(duels(5), "a", "c")


def test_people_are_told_in_sentences() -> None:
    """Who is ahead by how much, which sets decide it, how many more are needed."""
    lines = explanation_lines(explained(duels(5, 30, 5, -8, -8)))
    assert lines[0] == "a makes +4.80 points a round, b -4.80."
    assert lines[1].startswith("a is ahead by 9.60, 95 % interval ")
    assert lines[1].endswith(": they are not told apart.")
    assert lines[3:5] == ["Without this set of 5 a would not be ahead:", "  set 1: a +30.00, b -30.00"]
    assert lines[5].startswith("If the lead stays as it is, about ")
    many = explanation_lines(explained(duels(*[5] * 20)))
    assert many[3] == "Without these 20 sets of 20 a would not be ahead; the first 8:"
    assert len(many) == 12
