"""Who meets whom: nobody gets ahead, nobody waits long, pairs are even, and all of it can be drawn again."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.ladder import designs
from referee.ladder.designs import balanced_cycle, meeting_range
from referee.ladder.fixtures import Shape, rotation, seated
from referee.ladder.pairing import Draw, Pairing
from referee.ladder.tally import Tally

SECRETS = st.binary(min_size=32, max_size=32)


@st.composite
def draws(draw: st.DrawFn, *, by_results: bool) -> Draw:
    """Return a field of two to fourteen entrants, each its own owner."""
    seats = draw(st.integers(2, 8))
    names = [f"bot-{number}" for number in range(draw(st.integers(seats, 14)))]
    always = tuple(names[: draw(st.integers(0, min(2, seats - 1)))])
    return Draw({name: name for name in names}, seats, always, by_results)


def drawn(
    pairing: Pairing, number: int, tally: Tally | None = None, withdrawn: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the entrants of a set for which there are enough."""
    members = pairing.next(number, tally or Tally(), withdrawn)
    assert members is not None
    return members


def check_fair(draw: Draw, sets: list[tuple[str, ...]]) -> None:
    """Check that nobody among the others gets more than one set ahead or waits for more than two laps."""
    others, free = draw.others, draw.seats - len(draw.always)
    played, last = Counter(dict.fromkeys(others, 0)), dict.fromkeys(others, -1)
    for number, members in enumerate(sets):
        assert len(set(members)) == draw.seats
        assert set(draw.always) <= set(members)
        for name in set(members) & set(others):
            assert number - last[name] <= 2 * -(-len(others) // free)
            played[name], last[name] = played[name] + 1, number
        if others:
            assert max(played.values()) - min(played.values()) <= 1


@settings(max_examples=25)
@given(draws(by_results=True), SECRETS, st.integers(0, 2**32))
def test_nobody_gets_ahead_or_waits_whatever_the_results(draw: Draw, secret: bytes, luck: int) -> None:
    """The gap is one set at most, and no wait is longer than two laps of the field."""
    pairing, tally, rng, sets = Pairing(draw, secret), Tally(), random.Random(luck), list[tuple[str, ...]]()
    for number in range(60):
        sets.append(drawn(pairing, number, tally))
        tally.add({name: rng.gauss(0, 1) for name in sets[-1]})
    check_fair(draw, sets)


@settings(max_examples=25)
@given(draws(by_results=False), SECRETS)
def test_a_balanced_order_is_as_fair_at_every_moment(draw: Draw, secret: bytes) -> None:
    """The same bounds hold within and across the cycles of a design, however long it was searched for."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(designs, "_STEPS", 300)
        pairing = Pairing(draw, secret)
        check_fair(draw, [drawn(pairing, number) for number in range(120)])


@pytest.mark.parametrize("entrants", range(2, 14))
def test_in_sets_of_two_every_pair_meets_once_a_cycle(entrants: int) -> None:
    """A round robin of chess, for even and odd numbers."""
    cycle = balanced_cycle(entrants, 2, bytes(32))
    pairs = Counter(tuple(sorted(pair)) for pair in cycle)
    assert pairs == Counter(dict.fromkeys(combinations(range(entrants), 2), 1))


@pytest.mark.parametrize(
    ("entrants", "seats", "meetings"),
    [(4, 3, 2), (5, 3, 3), (6, 3, 4), (5, 4, 3), (6, 4, 6), (8, 4, 3), (9, 3, 1), (16, 4, 1)],
)
def test_in_larger_sets_every_pair_meets_equally_often(entrants: int, seats: int, meetings: int) -> None:
    """Balanced incomplete blocks, found again from any key."""
    for key in (bytes(32), b"\x07" * 32):
        assert meeting_range(balanced_cycle(entrants, seats, key), entrants) == (meetings, meetings)


def test_where_no_even_cycle_is_found_pairs_are_nearly_even() -> None:
    """Twenty entrants at four seats: no pair is left out, and none meets much more often."""
    least, most = meeting_range(balanced_cycle(20, 4, bytes(32)), 20)
    assert least >= 1
    assert most <= 5


@settings(max_examples=20)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=12), st.booleans(), SECRETS)
def test_an_owner_has_one_seat_in_a_set_and_nobody_starves(owned: list[int], by_results: bool, secret: bytes) -> None:
    """Whatever the owners have entered, as long as there are enough of them."""
    owners = {f"bot-{number}": f"owner-{owner}" for number, owner in enumerate(owned)}
    seats = len(set(owned)) - 1
    if seats < 2:
        return
    pairing, played = Pairing(Draw(owners, seats, (), by_results), secret), Counter[str]()
    for number in range(60):
        members = drawn(pairing, number)
        assert len({owners[name] for name in members}) == seats
        played.update(members)
    assert min(played[name] for name in owners) >= 60 // len(owners)


@pytest.mark.parametrize("by_results", [False, True])
def test_the_withdrawn_do_not_play_and_catch_up_when_they_return(by_results: bool) -> None:
    """The others go on as fairly; who returns plays what it has missed; with too few there is no set."""
    names = tuple("abcde")
    pairing = Pairing(Draw({name: name for name in names}, 2, (), by_results), bytes(32))
    played = Counter(name for number in range(5) for name in drawn(pairing, number))
    assert set(played.values()) == {2}
    played = Counter(name for number in range(5, 15) for name in drawn(pairing, number, withdrawn=("a",)))
    assert played == {"b": 5, "c": 5, "d": 5, "e": 5}
    assert all("a" in drawn(pairing, number) for number in range(15, 20))
    assert pairing.next(20, Tally(), ("a", "b", "c", "d")) is None


def test_those_meet_whose_order_is_uncertain() -> None:
    """Two close bots meet more often than either meets one that is far ahead; all meet at times."""
    names = ("close-a", "close-b", "far-a", "far-b")
    strength = {"close-a": 0.0, "close-b": 0.1, "far-a": 100.0, "far-b": 200.0}
    pairing, tally = Pairing(Draw({name: name for name in names}, 2, (), by_results=True), bytes(32)), Tally()
    met = Counter[tuple[str, str]]()
    for number in range(300):
        one, two = sorted(drawn(pairing, number, tally))
        met[one, two] += 1
        noise = 1.0 if number % 2 else -1.0
        tally.add({one: strength[one] + noise, two: strength[two] + noise})
    assert met["close-a", "close-b"] > 2 * met["close-a", "far-a"]
    assert len(met) == 6


def test_without_results_a_field_is_drawn_evenly() -> None:
    """The draw has no favourite: over many secrets, each pair comes first about equally often."""
    names = ("a", "b", "c", "d")
    draw = Draw({name: name for name in names}, 2, (), by_results=True)
    first = Counter(frozenset(drawn(Pairing(draw, bytes([n] * 32)), 0)) for n in range(240))
    assert len(first) == 6
    assert 20 <= min(first.values()) <= max(first.values()) <= 64


def test_a_rotation_turns_everybody_through_every_seat() -> None:
    """As many tables as seats; at each everybody has moved one seat on."""
    planned = seated(3, ("x", "y", "z"), rotation(3), bytes(32))
    assert [sorted(table) for table in planned.tables] == [["x", "y", "z"]] * 3
    for seat in range(3):
        assert sorted(table[seat] for table in planned.tables) == ["x", "y", "z"]


@given(SECRETS, st.integers(2, 4), st.integers(2, 4))
def test_in_a_bridge_everybody_sits_once(seed: bytes, players: int, tables: int) -> None:
    """Each entrant has one seat over all tables of a deal, and the order of asking changes nothing."""
    names = [f"bot-{number}" for number in range(players * tables)]
    shape = Shape("bridge", players, tables)
    planned = seated(0, names, shape, seed)
    assert sorted(name for table in planned.tables for name in table) == sorted(names)
    assert {len(table) for table in planned.tables} == {players}
    assert seated(0, reversed(names), shape, seed) == planned


def test_seats_of_a_bridge_are_drawn_from_the_set_and_the_names() -> None:
    """Every seat falls to an entrant about equally often; another field is seated anew."""
    shape, names = Shape("bridge", 2, 2), ("a", "b", "c", "d")
    seats = Counter(
        (number, table.index("a"))
        for n in range(200)
        for number, table in enumerate(seated(0, names, shape, bytes([n] * 32)).tables)
        if "a" in table
    )
    assert len(seats) == 4
    assert min(seats.values()) >= 30
    others = {seated(0, (*names[:3], last), shape, bytes(32)).tables[0].count(last) for last in "defghijk"}
    assert others == {0, 1}
