"""Cards: an enum value is the card's index plus one.

Reading is by table, since views carry many cards; what is no card or more copies
than any deck has is refused here, so that no hand can overflow behind it.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.cards import CARDS, JOKER, JOKER_INDEX, ONE, Card, CardBag, joker_for, listed, size
from engine.reasons import Reason, RuleViolation
from rummyref.v1 import cards_pb2

JOKER_VALUE: Final = JOKER_INDEX + 1
MOST_COPIES: Final = 7
"""Copies of one value that a hand can hold, more than any deck has."""

_VALUES: Final[list["cards_pb2.Card.ValueType"]] = [
    min(index, JOKER_INDEX) + 1  # type: ignore[misc]  # enum values are integers
    for index in range(len(CARDS))
]
_CARDS: Final = {value: CARDS[value - 1] for value in range(1, JOKER_VALUE + 1)}
_ONES: Final = {value: ONE[value - 1] for value in _CARDS}


def card_to_value(card: Card) -> "cards_pb2.Card.ValueType":
    """Return the enum value of *card*, a joker's for a named one."""
    return _VALUES[card.index]


def card_from_value(value: int) -> Card:
    """Return the card of an enum value.

    Raises:
        RuleViolation: `CARD_MALFORMED` if there is none.
    """
    card = _CARDS.get(value)
    if card is None:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"card {value}")
    return card


def values_of_hand(hand: CardBag) -> list["cards_pb2.Card.ValueType"]:
    """Return the enum values of *hand* in canonical order."""
    return [_VALUES[card.index] for card in listed(hand)]


def hand_from_values(values: Sequence[int]) -> CardBag:
    """Return the hand of enum *values*, which may come in any order.

    Raises:
        RuleViolation: `CARD_MALFORMED` for a value that is no card, and for more
            than `MOST_COPIES` of one.
    """
    try:
        hand = CardBag(sum([_ONES[value] for value in values]))
    except KeyError as unknown:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"card {unknown.args[0]}") from None
    if len(values) > MOST_COPIES and size(hand) != len(values):
        raise _too_many_copies(values)
    return hand


def values_of_cards(cards: Iterable[Card]) -> list["cards_pb2.Card.ValueType"]:
    """Return the enum values of *cards* in their order, jokers unnamed."""
    return [_VALUES[card.index] for card in cards]


def roles_of_cards(cards: Sequence[Card]) -> list["cards_pb2.Card.ValueType"]:
    """Return for each joker of *cards* the value of the card it is named for.

    Empty where no joker is named, `CARD_UNSPECIFIED` for each that is not.
    """
    if not any(card.index > JOKER_INDEX for card in cards):
        return []
    return [
        cards_pb2.CARD_UNSPECIFIED if card is JOKER else _VALUES[card.face.index] for card in cards if card.is_joker
    ]


def cards_from_values(values: Sequence[int], roles: Sequence[int] = ()) -> tuple[Card, ...]:
    """Return the cards of enum *values* in their order, jokers named by *roles*.

    Any number of copies is read: a pile may be long.

    Raises:
        RuleViolation: `CARD_MALFORMED` for a value that is no card, a role that
            is no natural card, or another number of roles than of jokers.
    """
    try:
        cards = tuple([_CARDS[value] for value in values])
    except KeyError as unknown:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"card {unknown.args[0]}") from None
    return _named(cards, roles) if roles else cards


def few_cards_from_values(values: Sequence[int], roles: Sequence[int]) -> tuple[Card, ...]:
    """Return the cards of one move or meld, which come from one hand.

    Raises:
        RuleViolation: As `cards_from_values`, and for more than `MOST_COPIES` of
            one value.
    """
    if len(values) > MOST_COPIES:
        hand_from_values(values)
    return cards_from_values(values, roles)


def _too_many_copies(values: Sequence[int]) -> RuleViolation:
    often = max(values, key=list(values).count)
    return RuleViolation(Reason.CARD_MALFORMED, card=f"{_CARDS[often].text} number {MOST_COPIES + 1}")


def _named(cards: tuple[Card, ...], roles: Sequence[int]) -> tuple[Card, ...]:
    jokers = sum(card is JOKER for card in cards)
    if len(roles) != jokers:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"joker_roles with {len(roles)} entries for {jokers} jokers")
    named = iter(roles)
    return tuple([_with_role(next(named)) if card is JOKER else card for card in cards])


def _with_role(role: int) -> Card:
    if role == cards_pb2.CARD_UNSPECIFIED:
        return JOKER
    stands_for = card_from_value(role)
    if stands_for is JOKER:
        raise RuleViolation(Reason.CARD_MALFORMED, card="JK=JK")
    return joker_for(stands_for)
