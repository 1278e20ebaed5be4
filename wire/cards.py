"""Cards: an enum value is the card's index plus one."""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.cards import CARDS, JOKER, JOKER_INDEX, Card, CardBag, bag, joker_for, listed
from engine.reasons import Reason, RuleViolation
from rummyref.v1 import cards_pb2

CardValue = cards_pb2.Card
JOKER_VALUE: Final = JOKER_INDEX + 1


def card_to_value(card: Card) -> "cards_pb2.Card.ValueType":
    """Return the enum value of *card*, a joker's for a named one."""
    return min(card.index, JOKER_INDEX) + 1  # type: ignore[return-value]  # enum values are integers


def card_from_value(value: int) -> Card:
    """Return the card of an enum value.

    Raises:
        RuleViolation: `CARD_MALFORMED` if there is none.
    """
    if not 1 <= value <= JOKER_VALUE:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"card {value}")
    return CARDS[value - 1]


def values_of_hand(hand: CardBag) -> list["cards_pb2.Card.ValueType"]:
    """Return the enum values of *hand* in canonical order."""
    return [card.index + 1 for card in listed(hand)]  # type: ignore[misc]  # enum values are integers


def hand_from_values(values: Iterable[int]) -> CardBag:
    """Return the hand of enum *values*."""
    return bag(card_from_value(value) for value in values)


def values_of_cards(cards: Iterable[Card]) -> list["cards_pb2.Card.ValueType"]:
    """Return the enum values of *cards* in their order, jokers unnamed."""
    return [min(card.index, JOKER_INDEX) + 1 for card in cards]  # type: ignore[misc]  # enum values are integers


def roles_of_cards(cards: Sequence[Card]) -> list["cards_pb2.Card.ValueType"]:
    """Return for each joker of *cards* the value of the card it is named for.

    Empty where no joker is named, `CARD_UNSPECIFIED` for each that is not.
    """
    if not any(card.index > JOKER_INDEX for card in cards):
        return []
    return [0 if card is JOKER else card.face.index + 1 for card in cards if card.is_joker]  # type: ignore[misc]


def cards_from_values(values: Sequence[int], roles: Sequence[int]) -> tuple[Card, ...]:
    """Return the cards of enum *values*, jokers named by *roles*.

    Raises:
        RuleViolation: `CARD_MALFORMED` for a value that is no card, a role that
            is no natural card, or another number of roles than of jokers.
    """
    cards = tuple(card_from_value(value) for value in values)
    if not roles:
        return cards
    if len(roles) != sum(card.is_joker for card in cards):
        raise RuleViolation(Reason.CARD_MALFORMED, card="joker_roles")
    named = iter(roles)
    return tuple(_with_role(card, next(named)) if card.is_joker else card for card in cards)


def _with_role(joker: Card, role: int) -> Card:
    if role == 0:
        return joker
    stands_for = card_from_value(role)
    if stands_for.is_joker:
        raise RuleViolation(Reason.CARD_MALFORMED, card="JK=JK")
    return joker_for(stands_for)
