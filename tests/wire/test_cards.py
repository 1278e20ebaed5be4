"""Cards and hands on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS, JOKER, NATURALS, RANKS, SUITS, Card, CardBag, joker_for, listed
from engine.reasons import Reason, RuleViolation
from rummyref.v1 import cards_pb2
from tests.wire.strategies import few_cards, hands, named
from wire.cards import (
    JOKER_VALUE,
    MOST_COPIES,
    card_from_value,
    card_to_value,
    cards_from_values,
    few_cards_from_values,
    hand_from_values,
    roles_of_cards,
    values_of_cards,
    values_of_hand,
)

RANK_NAMES = ["ACE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING"]
SUIT_NAMES = dict(zip(SUITS, ["SPADES", "HEARTS", "DIAMONDS", "CLUBS"], strict=True))


def reason_of(refused: pytest.ExceptionInfo[RuleViolation]) -> Reason:
    """Return why something was refused."""
    return refused.value.violation.reason


def test_enum_names_say_what_the_notation_says() -> None:
    """Every natural card has the enum value of its name, and the joker has one more."""
    for card in NATURALS:
        name = f"CARD_{RANK_NAMES[RANKS.index(card.rank)]}_OF_{SUIT_NAMES[card.suit]}"
        assert cards_pb2.Card.Name(card_to_value(card)) == name
    assert cards_pb2.Card.Name(card_to_value(JOKER)) == "CARD_JOKER"
    assert len(cards_pb2.Card.values()) == len(NATURALS) + 2


@given(named)
def test_a_card_comes_back_as_it_is_held(card: Card) -> None:
    """A card comes back; a named joker as the joker it is in a hand."""
    assert card_from_value(card_to_value(card)) is card.held_as


@given(few_cards)
def test_cards_come_back_in_order_with_their_roles(cards: tuple[Card, ...]) -> None:
    """Cards of a move come back in order, each joker with the name it had."""
    assert few_cards_from_values(values_of_cards(cards), roles_of_cards(cards)) == cards


def test_roles_are_left_out_where_no_joker_is_named() -> None:
    """Unnamed jokers cost no bytes, and a name says which joker it belongs to."""
    eight = CARDS[46]
    assert roles_of_cards((JOKER, eight, JOKER)) == []
    assert roles_of_cards((JOKER, eight, joker_for(eight))) == [0, card_to_value(eight)]


@given(hands)
def test_a_hand_comes_back_from_any_order(hand: CardBag) -> None:
    """A hand is sent in canonical order and read from any."""
    values = values_of_hand(hand)
    assert [card_from_value(value) for value in values] == list(listed(hand))
    assert hand_from_values(values[::-1]) == hand


@pytest.mark.parametrize("value", [-1, 0, JOKER_VALUE + 1, 2**31 - 1])
def test_a_number_that_is_no_card_is_refused(value: int) -> None:
    """Unset and unknown cards are refused wherever a card is read."""
    for read in (
        lambda: card_from_value(value),
        lambda: hand_from_values([1, value]),
        lambda: cards_from_values([1, value]),
        lambda: few_cards_from_values([value], []),
        lambda: few_cards_from_values([1] * 8 + [value], []),
    ):
        with pytest.raises(RuleViolation) as refused:
            read()
        assert refused.value.violation.facts == {"card": f"card {value}"}
        assert reason_of(refused) is Reason.CARD_MALFORMED


@pytest.mark.parametrize("roles", [[1], [1, 2, 3], [JOKER_VALUE, 1], [1, JOKER_VALUE + 1], [-1, 1]])
def test_roles_that_fit_no_joker_are_refused(roles: list[int]) -> None:
    """Another number of roles than of jokers, and roles that are no natural card, are refused."""
    with pytest.raises(RuleViolation) as refused:
        few_cards_from_values([JOKER_VALUE, 5, JOKER_VALUE], roles)
    assert reason_of(refused) is Reason.CARD_MALFORMED


@given(st.sampled_from((*NATURALS, JOKER)), st.integers(MOST_COPIES + 1, 100), st.lists(st.integers(1, JOKER_VALUE)))
def test_more_copies_than_a_hand_holds_are_refused(card: Card, copies: int, others: list[int]) -> None:
    """No number of copies turns into another card."""
    values = [*others, *[card_to_value(card)] * copies]
    for read in (lambda: hand_from_values(values), lambda: few_cards_from_values(values, [])):
        with pytest.raises(RuleViolation) as refused:
            read()
        assert reason_of(refused) is Reason.CARD_MALFORMED


def test_a_pile_may_hold_any_number_of_copies() -> None:
    """A pile is not bounded by what a hand can count."""
    assert cards_from_values([JOKER_VALUE] * 20) == (JOKER,) * 20
