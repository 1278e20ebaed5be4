"""Remi: deal, views, whole rounds, and the options of its tables."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import CardBag, bag, size
from engine.events import RoundDealt, YouWereDealt, audience
from engine.match import Match, apply, start
from engine.moves import DISCARDS, DRAW, Play
from engine.offers import offered
from engine.reasons import RuleViolation
from engine.rules.options import OptionError
from engine.rules.position import Phase
from engine.rules.registry import rule_set
from engine.rules.ruleset import DeckSpec, RuleSet
from engine.shuffle import SeededDealing, canonical_deck
from engine.stand_in import greedy
from engine.views import seat_view


@cache
def rules(preset: str, **options: str | int) -> RuleSet:
    """Return the rules of *preset* with *options*."""
    return rule_set(preset, options)


def fresh(number: int, preset: str = "remi", **options: str | int) -> Match:
    """Return a match dealt from seed *number*."""
    return start(rules(preset, **options), SeededDealing(number.to_bytes(32, "big")))[0]


def whole_pack(match: Match) -> CardBag:
    """Return every card of the round wherever it lies."""
    public = match.public
    lying = sum(bag(pile) for pile in public.piles) + sum(laid.meld.held for laid in public.melds)
    return CardBag(sum(match.round.hands) + bag(match.round.stock.left()) + lying)


@pytest.mark.clause("remi-1.1")
def test_two_to_four_seats_play() -> None:
    """A table that names no number has four seats; two to four are allowed, others named as errors."""
    assert rules("remi").players == 4
    assert [rules("remi", players=players).players for players in (2, 3, 4)] == [2, 3, 4]
    for preset, players in [("remi", 1), ("remi", 5), ("remi-joker-karo", 9)]:
        with pytest.raises(OptionError, match="players"):
            rule_set(preset, {"players": players})
    assert rules("remi-joker-karo", players=8).players == 8
    with pytest.raises(OptionError, match="players"):
        rule_set("remi-joker-karo", {"players": 8, "packs": 1})


@pytest.mark.clause("remi-1.2")
def test_the_presets_differ_in_length_and_in_the_end_of_the_stock() -> None:
    """Eight rounds and a stock that is played on, or five rounds and an end at once."""
    assert (rules("remi").length.rounds, rules("remi-five-rounds").length.rounds) == (8, 5)
    assert not rules("remi").stock.ends_round_at_once
    assert rules("remi-five-rounds").stock.ends_round_at_once
    differing = {
        name
        for name, value in rules("remi").options.items()
        if value != rules("remi-five-rounds").options[name]
    }  # fmt: skip
    assert differing == {"rounds", "stock_end"}


@pytest.mark.clause("remi-2.1")
def test_the_deck_is_one_pack_without_jokers() -> None:
    """Fifty-two different natural cards are played with."""
    deck = canonical_deck(rules("remi").deck)
    assert rules("remi").deck == DeckSpec(packs=1, jokers=0)
    assert len(set(deck)) == len(deck) == 52
    assert not any(card.is_joker for card in deck)


@pytest.mark.clause("remi-3.1", "remi-3.2", "remi-3.3")
@pytest.mark.parametrize(("players", "stock"), [(2, 38), (3, 31), (4, 24)])
def test_seven_cards_each_and_the_rest_is_the_stock(players: int, stock: int) -> None:
    """Each seat has seven cards, nothing lies face up, and seat 0 deals and begins."""
    match, events = start(rules("remi", players=players), SeededDealing(bytes(32)))
    public = match.public
    assert public.hand_sizes == (7,) * players
    assert public.stock_size == match.round.stock.size == stock
    assert public.piles == ((),)
    assert public.turn_up is None
    assert (public.dealer, public.turn, public.phase) == (0, 0, Phase.DRAW)
    assert events[0] == RoundDealt(0, 0, 0, (7,) * players, stock, None)
    assert whole_pack(match) == bag(canonical_deck(match.rules.deck))


@pytest.mark.clause("remi-2.3")
def test_hands_are_hidden_and_discards_are_seen() -> None:
    """A seat's view has its own cards and all discards, and its deal is told to it alone."""
    match, events = start(rules("remi", players=3), SeededDealing(bytes(32)))
    told = [event for event in events if isinstance(event, YouWereDealt)]
    assert [(audience(event), event.hand) for event in told] == list(enumerate(match.round.hands))
    for _ in range(3):
        match, _ = apply(match, match.public.turn, DRAW)
        match, _ = apply(match, match.public.turn, greedy(match.round.position(match.public.turn)))
    view = seat_view(match, 1)
    assert view.hand == match.round.hands[1]
    assert view.round.piles == match.public.piles
    assert len(view.round.piles[0]) == 3
    assert match.round.hands[0] not in (view.hand, *view.round.known)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rounds": 101}, "rounds"),
        ({"rounds": -1}, "rounds"),
        ({"rounds": "many"}, "rounds"),
        ({"target": 100_001}, "target"),
        ({"starter": "youngest"}, "starter"),
        ({"stock_end": "never"}, "stock_end"),
        ({"jokers": 3}, "jokers"),
        ({"packs": 3}, "packs"),
        ({"show_hands": "perhaps"}, "show_hands"),
        ({"round": 3}, "round"),
        ({"rounds": 3, "target": 300}, "rounds and target"),
    ],
)
def test_a_bad_option_is_an_error_that_names_it(options: dict[str, str | int], named: str) -> None:
    """An unknown option, a bad value and a contradiction name what is wrong."""
    with pytest.raises(OptionError, match=named):
        rule_set("remi", options)


def test_an_unknown_preset_is_an_error_that_names_it() -> None:
    """A preset that does not exist is not replaced by another."""
    with pytest.raises(OptionError, match="remy"):
        rule_set("remy")


@settings(max_examples=15)
@given(
    st.integers(0, 2**64),
    st.sampled_from(["remi", "remi-five-rounds"]),
    st.fixed_dictionaries(
        {
            "players": st.integers(2, 4),
            "rounds": st.just(1),
            "jokers": st.sampled_from([0, 2, 4]),
            "packs": st.sampled_from([1, 2]),
            "draw_streams": st.sampled_from(["true", "false"]),
        }
    ),
    st.randoms(use_true_random=False),
)
def test_cards_are_conserved_and_refusals_change_nothing(
    number: int, preset: str, options: dict[str, str | int], choice: Random
) -> None:
    """In any round all cards are somewhere once, offers are accepted and refusals leave the match."""
    match = fresh(number, preset, **options)
    pack = bag(canonical_deck(match.rules.deck))
    turns = 0
    while match.over is None:
        seat = match.public.turn
        offers = offered(match.round.position(seat))
        before = (match.round, match.totals)
        for wrong in (Play(()), DISCARDS[choice.randrange(52)] if match.public.phase is Phase.DRAW else DRAW):
            with pytest.raises(RuleViolation):
                apply(match, seat, wrong)
        with pytest.raises(RuleViolation):
            apply(match, (seat + 1) % match.rules.players, offers[0])
        assert (match.round, match.totals) == before
        longer = [play for play in offers if len(play.moves) > 1]
        match, _ = apply(match, seat, choice.choice(longer or offers))
        assert whole_pack(match) == pack
        assert match.public.hand_sizes == tuple(map(size, match.round.hands))
        assert match.public.stock_size == match.round.stock.size
        turns += 1
        assert turns < 400
    assert len(match.history) == 1
    assert match.totals == match.history[0].points
    with pytest.raises(RuleViolation):
        apply(match, match.public.turn, DRAW)


@settings(max_examples=4)
@given(st.integers(0, 2**64))
def test_the_lowest_total_deals_through_a_whole_match(number: int) -> None:
    """In every round of a match the dealer had the lowest total, and the highest wins at the end."""
    match = fresh(number, "remi-five-rounds", players=3)
    dealers = [match.public.dealer]
    while match.over is None:
        seat = match.public.turn
        rounds = len(match.history)
        match, _ = apply(match, seat, greedy(match.round.position(seat)))
        if len(match.history) > rounds and match.over is None:
            dealers.append(match.public.dealer)
            assert match.totals[match.public.dealer] == min(match.totals)
            assert match.public.turn == match.public.dealer
    assert len(match.history) == len(dealers) == 5
    assert [seat for seat in range(3) if match.totals[seat] == max(match.totals)] == list(match.over.winners)
