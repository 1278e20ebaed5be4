"""Ratings, chances and meetings follow from the results and from nothing else."""

import math
import random

import numpy as np
import pytest

from engine.record.entries import Result
from engine.rules.ruleset import ScoreSense
from referee.ladder import scores as scores_module
from referee.ladder.fixtures import Shape, rotation, seated
from referee.ladder.history import history
from referee.ladder.lines import Standing, Standings
from referee.ladder.margins import TableResult, set_results
from referee.ladder.resampling import RESAMPLES, interval, rank_probabilities, weights
from referee.ladder.scores import Scores
from referee.ladder.standings import standings
from referee.ladder.student import student_quantile
from tests.ladder.simulating import simulated, truth

HIGH = ScoreSense.HIGH_WINS
STRENGTHS = {"a": 18.0, "b": 8.0, "c": 0.0, "d": -8.0, "e": -18.0}


def table(number: int, entrants: str, *points: int) -> TableResult:
    """Return a table of one round."""
    return TableResult(number, tuple(entrants), Result((points,), points, (0,), (), ()))


def duel(number: int, entrants: str, lead: int) -> list[TableResult]:
    """Return a set of two that the first entrant wins by *lead*, on each side of the table."""
    return [table(number, entrants, lead, 0), table(number, entrants[::-1], 0, lead)]


def lines(found: Standings) -> dict[str, Standing]:
    """Return the standings by entrant."""
    return {line.entrant: line for line in found.lines}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ratings_come_near_the_truth(players: int) -> None:
    """Strengths that are known are found again, in points a round and by placements in the right order."""
    tables = simulated(STRENGTHS, players, 400, random.Random(players))
    found = lines(standings(tables, tuple(STRENGTHS), HIGH, rotation(players)))
    for name, value in truth(STRENGTHS).items():
        assert found[name].rating == pytest.approx(value, abs=3.0)
    assert sorted(found, key=lambda name: -found[name].placement_rating) == list(STRENGTHS)
    assert sum(line.placement_rating for line in found.values()) == pytest.approx(0, abs=0.01)


def test_ratings_do_not_depend_on_whom_one_has_met() -> None:
    """Weak opponents give points a round, and no rating: transitive results are told apart exactly."""
    tables = [each for number in range(6) for each in duel(2 * number, "ab", 10) + duel(2 * number + 1, "bc", 50)]
    found = lines(standings(tables, ("a", "b", "c"), HIGH, rotation(2)))
    assert [found[name].points_per_round for name in "abc"] == [10.0, 20.0, -50.0]
    assert [found[name].rating for name in "abc"] == pytest.approx([35.0, 20.0, -55.0], abs=0.02)


def test_what_cards_are_worth_moves_no_rating() -> None:
    """In a rotation and in a bridge a strong seat favours nobody, though only one seat each was taken."""
    shape, worth = Shape("bridge", 2, 2), {"a": 8, "b": 4, "c": 0, "d": -4}
    tables = [
        table(number, "".join(names), *(100 * seat + worth[name] for seat, name in enumerate(names)))
        for number in range(40)
        for names in seated(number, "abcd", shape, bytes([number] * 32)).tables
    ]  # fmt: skip
    found = lines(standings(tables, tuple("abcd"), HIGH, shape))
    gaps = [found[one].rating - found[two].rating for one, two in ("ab", "bc", "cd")]
    assert gaps == pytest.approx([16 / 3] * 3, abs=0.05)


def test_placements_are_plackett_and_luces() -> None:
    """Of two, who wins three of four is three to one; level is half won."""
    won = [each for number in range(30) for each in duel(number, "ab", 5)]
    lost = [each for number in range(30, 40) for each in duel(number, "ba", 5)]
    level = [each for number in range(40, 50) for each in duel(number, "ab", 0)]
    found = lines(standings(won + lost, ("a", "b"), HIGH, rotation(2)))
    assert found["a"].placement_rating - found["b"].placement_rating == pytest.approx(400 * math.log10(3), abs=0.2)
    found = lines(standings(won + level, ("a", "b"), HIGH, rotation(2)))
    assert found["a"].placement_rating - found["b"].placement_rating == pytest.approx(400 * math.log10(7), abs=1.0)


def test_those_who_never_met_are_not_compared_in_silence() -> None:
    """Two groups are named, the larger first, and each is rated about 0."""
    tables = duel(0, "ab", 10) + duel(1, "ab", 20) + duel(2, "cd", 4) + duel(3, "de", 4) + duel(4, "ce", 6)
    found = standings(tables, tuple("abcde"), HIGH, rotation(2))
    assert found.notes[0].startswith("c, d and e; a and b: these have not met, directly or through others.")
    assert found.meetings["a"]["c"].sets == 0


def test_perfect_scores_are_said() -> None:
    """Whoever was never level with or behind anybody is named, and has a rating that is no infinity."""
    tables = [
        each for number in range(9) for each in duel(2 * number, "ab", 10) + duel(2 * number + 1, "bc", number - 4)
    ]
    found = standings(tables, tuple("abc"), HIGH, rotation(2))
    assert [note for note in found.notes if note.startswith("Nobody else was ever placed level with or in front of a:")]
    assert 400 < lines(found)["a"].placement_rating < 4_000
    beaten = standings(tables + duel(99, "ca", 1), tuple("abc"), HIGH, rotation(2))
    assert not any("Nobody else" in note for note in beaten.notes)


def test_what_few_sets_do_not_say_is_said() -> None:
    """No set: no rank chance and no interval; one set: no interval; sets all alike: no certainty."""
    found = standings(duel(0, "ab", 10), tuple("abc"), HIGH, rotation(2))
    assert [(line.rank, line.interval, len(line.rank_chances)) for line in found.lines] == [
        (1, None, 2),
        (2, None, 2),
        (3, None, 0),
    ]
    assert any(note.startswith("One set of a and b is finished") for note in found.notes)
    assert any(note.startswith("No set of c is finished") for note in found.notes)
    alike = standings(duel(0, "ab", 10) + duel(1, "ab", 10), ("a", "b"), HIGH, rotation(2))
    assert any(note.startswith("All sets of a and b gave one result") for note in alike.notes)


def test_chances_are_shared_by_those_who_are_level() -> None:
    """Each row and each rank adds up to one; three who are always level have a third of each of their ranks."""
    values = np.array([[5.0, 1.0, 1.0, 1.0]] * 3 + [[0.0, 1.0, 1.0, 1.0]])
    chances = rank_probabilities(values)
    assert chances.sum(axis=0) == pytest.approx([1] * 4)
    assert chances.sum(axis=1) == pytest.approx([1] * 4)
    assert chances[0] == pytest.approx([0.75, 0, 0, 0.25])
    assert chances[1] == pytest.approx([1 / 12, 1 / 3, 1 / 3, 1 / 4])


def test_students_quantile_is_the_books() -> None:
    """Values of the tables, to three places from three degrees of freedom on."""
    for freedom, value in {
        1: 12.706,
        2: 4.303,
        3: 3.182,
        4: 2.776,
        5: 2.571,
        10: 2.228,
        30: 2.042,
        1000: 1.962,
    }.items():
        assert student_quantile(freedom) == pytest.approx(value, abs=0.005)


@pytest.mark.parametrize(("sets", "quantile"), [(2, 12.706), (4, 3.182), (9, 2.306)])
def test_intervals_of_few_sets_are_as_wide_as_students(sets: int, quantile: float) -> None:
    """For normal values the moved percentiles come near to Student's interval, which stands for them below eight."""
    chance = np.random.default_rng(1)
    means = chance.normal(0, 1, 200_000) * math.sqrt((sets - 1) / sets / sets)
    found = interval(means, sets)
    assert found is not None
    assert found == pytest.approx((-quantile / math.sqrt(sets), quantile / math.sqrt(sets)), rel=0.04)
    assert interval(means, 1) is None


@pytest.mark.parametrize("sets", [2, 3, 5, 7])
def test_intervals_of_few_sets_hold_the_truth(sets: int) -> None:
    """In 95 % of a thousand samples, within what a thousand tell; percentiles of two sets held it in half of them."""
    chance = np.random.default_rng(sets)
    held = 0
    for _ in range(1_000):
        sample = chance.normal(0, 1, sets)
        found = interval(sample[chance.integers(0, sets, (1_000, sets))].mean(axis=1), sets)
        assert found is not None
        held += found[0] <= 0 <= found[1]
    assert 0.925 <= held / 1_000 <= 0.975


def test_each_resample_draws_as_many_sets_as_there_are() -> None:
    """And all sets equally often, up to chance."""
    scores = Scores(simulated(STRENGTHS, 2, 50, random.Random(1)), tuple(STRENGTHS), HIGH, rotation(2))
    drawn = weights(scores)
    assert drawn.shape == (RESAMPLES, 50)
    assert set(drawn.sum(axis=1)) == {50}
    assert drawn.mean(axis=0) == pytest.approx([1] * 50, abs=0.12)


def test_blocks_of_sets_say_what_sets_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many sets, consecutive ones are drawn together: the intervals stay about the same."""
    tables = simulated(STRENGTHS, 2, 600, random.Random(2))
    one_by_one = lines(standings(tables, tuple(STRENGTHS), HIGH, rotation(2)))
    monkeypatch.setattr(scores_module, "_MOST_BLOCKS", 150)
    for name, line in lines(standings(tables, tuple(STRENGTHS), HIGH, rotation(2))).items():
        assert line.points_per_round == one_by_one[name].points_per_round
        for ends, others in (
            (line.interval, one_by_one[name].interval),
            (line.rating_interval, one_by_one[name].rating_interval),
        ):
            assert ends is not None
            assert others is not None
            assert ends[1] - ends[0] == pytest.approx(others[1] - others[0], rel=0.25)


def test_meetings_are_counted_in_common_sets() -> None:
    """How far one is ahead of another is the mean over the sets of both, the other way round with the sign turned."""
    tables = duel(0, "ab", 10) + duel(1, "ab", -20) + duel(2, "ac", 99)
    met = standings(tables, tuple("abc"), HIGH, rotation(2)).meetings
    assert (met["a"]["b"].sets, met["a"]["b"].ahead, met["a"]["b"].ahead_in) == (2, -10.0, 0.5)
    assert (met["b"]["a"].ahead, met["c"]["a"].sets, met["c"]["a"].ahead_in) == (10.0, 1, 0.0)
    assert met["a"]["b"].interval == pytest.approx((-10 - 12.706 * 30, -10 + 12.706 * 30), rel=1e-4)


def test_history_ends_with_the_ratings() -> None:
    """The last moment has all sets, each moment before what the first sets alone would have given."""
    tables = simulated(STRENGTHS, 3, 90, random.Random(3))
    names = tuple(sorted(STRENGTHS))
    found = history(Scores(tables, names, HIGH, rotation(3)))
    assert found.sets[-1] == 90
    for moment in (5, len(found.sets) - 1):
        first = [each for each in tables if each.set_number < found.sets[moment]]
        ratings = lines(standings(first, names, HIGH, rotation(3)))
        assert [found.ratings[name][moment] for name in names] == pytest.approx(
            [ratings[name].rating for name in names], abs=1e-3
        )


def test_arrays_have_the_results_that_sets_have() -> None:
    """One definition of a set's result serves the scheduler and the statistics."""
    tables = simulated(STRENGTHS, 3, 20, random.Random(4))
    scores = Scores(tables, tuple(STRENGTHS), HIGH, rotation(3))
    by_name = set_results(tables, HIGH, rotation(3))
    found = {
        (scores.entrants[entrant], int(scores.numbers[of_set])): value
        for of_set, entrant, value in zip(
            scores.result_set, scores.result_entrant, scores.results.tolist(), strict=True
        )
    }
    assert found == {(name, number): value for name, results in by_name.items() for number, value in results.items()}
