"""Cards and multisets of cards.

A `Card` is a value: two copies from two packs are the same object, so nothing
can tell them apart. A `CardBag` is a multiset of cards in one integer, four
bits for each value, which makes "is this hand equal", "does it hold these" and
"take these away" single operations and a hand a ready dictionary key.
"""

from collections.abc import Iterable
from enum import Enum, unique
from functools import lru_cache
from typing import Final, NewType, final


@unique
class Suit(Enum):
    """A suit, in canonical order."""

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"


@unique
class Rank(Enum):
    """A rank, in canonical order; where an ace is high is a matter of rules."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


RANKS: Final = "".join(rank.value for rank in Rank)
SUITS: Final = "".join(suit.value for suit in Suit)


@final
class Card:
    """One card value: a natural card, the joker, or a joker named for a card.

    Instances are interned: equality is identity. A named joker (`JK=8C`) occurs
    only in moves and melds; in hands and piles every joker is `JOKER`.

    Attributes:
        index: 0–51 for naturals in canonical order (suits S H D C, in each A 2 …
            K), 52 for the joker, 53–104 for jokers named for card `index - 53`.
        rank: Rank letter, of the card stood for where a joker is named; empty
            for `JOKER`.
        suit: Suit letter, likewise.
        text: Notation, such as `TH`, `JK` or `JK=8C`.
        is_joker: True for the joker, named or not.
    """

    __slots__ = ("index", "is_joker", "rank", "suit", "text")

    def __init__(self, index: int) -> None:
        """Make the value of *index*; use `CARDS`, which holds the only ones."""
        stands_for = index if index < JOKER_INDEX else index - NAMED_OFFSET
        plain = index == JOKER_INDEX
        self.index: Final = index
        self.is_joker: Final = index >= JOKER_INDEX
        self.rank: Final = "" if plain else RANKS[stands_for % 13]
        self.suit: Final = "" if plain else SUITS[stands_for // 13]
        face = self.rank + self.suit
        self.text: Final = ("JK" if plain else f"JK={face}") if self.is_joker else face

    def __repr__(self) -> str:
        """Return the notation."""
        return self.text

    def __reduce__(self) -> tuple[object, tuple[int]]:
        """Copy and unpickle to the interned instance."""
        return card_at, (self.index,)

    def __copy__(self) -> "Card":
        """Return the instance itself."""
        return self

    def __deepcopy__(self, memo: object) -> "Card":
        """Return the instance itself."""
        return self

    def __lt__(self, other: "Card") -> bool:
        """Order canonically: naturals by suit and rank, jokers last."""
        return self.index < other.index

    @property
    def held_as(self) -> "Card":
        """The card as it lies in a hand: `JOKER` for every named joker."""
        return JOKER if self.is_joker else self

    @property
    def face(self) -> "Card":
        """The natural card stood for: itself unless it is a named joker.

        `JOKER` has none and returns itself.
        """
        return CARDS[self.index - NAMED_OFFSET] if self.index > JOKER_INDEX else self


JOKER_INDEX: Final = 52
NAMED_OFFSET: Final = 53
CARDS: Final = tuple(Card(index) for index in range(NAMED_OFFSET + 52))
NATURALS: Final = CARDS[:JOKER_INDEX]
JOKER: Final = CARDS[JOKER_INDEX]


def card_at(index: int) -> Card:
    """Return the interned card of *index* (0–104)."""
    return CARDS[index]


def natural(rank: str, suit: str) -> Card:
    """Return the natural card of rank letter *rank* and suit letter *suit*."""
    return CARDS[SUITS.index(suit) * 13 + RANKS.index(rank)]


def joker_for(card: Card) -> Card:
    """Return the joker named for natural *card*."""
    return CARDS[card.index + NAMED_OFFSET]


CardBag = NewType("CardBag", int)
"""A multiset of natural cards and jokers: hex digit `index` counts that value.

At most seven copies of a value; equal multisets are equal integers. Adding and
subtracting bags is integer arithmetic, legal when no digit leaves 0–7.
"""

EMPTY: Final = CardBag(0)
ONE: Final = tuple(CardBag(1 << 4 * min(index, JOKER_INDEX)) for index in range(len(CARDS)))
"""The bag of one card, by the card's index; every joker counts as `JOKER`."""

EACH: Final = CardBag(int("1" * 53, 16))
"""The bag of one card of each value."""

SUIT_BITS: Final = 52
"""Bits of a bag that the cards of a suit take, suits in canonical order."""

SUIT_MASK: Final = (1 << SUIT_BITS) - 1
NATURALS_MASK: Final = (1 << 4 * SUIT_BITS) - 1
_SUITS_KEPT: Final = 1 << 14

GUARD: Final = 8 * EACH
"""A bit above the copies of each value: what borrows from it was not held."""


def bag(cards: Iterable[Card]) -> CardBag:
    """Return the multiset of *cards*; named jokers count as jokers."""
    total = 0
    for card in cards:
        total += ONE[card.index]
    return CardBag(total)


def listed(held: CardBag) -> tuple[Card, ...]:
    """Return the cards of *held* in canonical order, copies side by side."""
    if held & ~EACH:
        return tuple([card for card in distinct(held) for _ in range(count(held, card))])
    return tuple(distinct(held))


def distinct(held: CardBag) -> list[Card]:
    """Return each value of *held* once, in canonical order."""
    return [
        *_in_suit(0, held & SUIT_MASK),
        *_in_suit(1, held >> SUIT_BITS & SUIT_MASK),
        *_in_suit(2, held >> 2 * SUIT_BITS & SUIT_MASK),
        *_in_suit(3, held >> 3 * SUIT_BITS),
    ]


@lru_cache(_SUITS_KEPT)
def _in_suit(suit: int, part: int) -> tuple[Card, ...]:
    """Return the values of *part*, which is what a bag holds of suit number *suit*; the last suit's has the jokers."""
    values: list[Card] = []
    first, rest = 13 * suit, (part | part >> 1 | part >> 2) & EACH
    while rest:
        low = rest & -rest
        values.append(CARDS[first + (low.bit_length() - 1 >> 2)])
        rest -= low
    return tuple(values)


def size(held: CardBag) -> int:
    """Return the number of cards in *held*, copies counted."""
    ones, twos, fours = held & EACH, held >> 1 & EACH, held >> 2 & EACH
    return ones.bit_count() + 2 * twos.bit_count() + 4 * fours.bit_count()


def is_several(held: CardBag) -> bool:
    """Return whether *held* has more than one card."""
    return bool(held & held - 1 or held & ~EACH)


def count(held: CardBag, card: Card) -> int:
    """Return how many copies of *card* are in *held*."""
    return (held >> 4 * (min(JOKER_INDEX, card.index))) & 7


def includes(held: CardBag, part: CardBag) -> bool:
    """Return whether *held* has at least the copies that *part* has."""
    return (held | GUARD) - part & GUARD == GUARD


def overlap(left: CardBag, right: CardBag) -> CardBag:
    """Return the multiset that *left* and *right* have in common."""
    common = 0
    for card in distinct(left):
        copies = min(count(left, card), count(right, card))
        common += copies * ONE[card.index]
    return CardBag(common)


def less(held: CardBag, part: CardBag) -> CardBag:
    """Return *held* without what it has of *part*; more copies of a value than it has take away all."""
    return CardBag(held - overlap(held, part))


def relabelled(cards: Iterable[Card], suits: tuple[int, ...]) -> tuple[Card, ...]:
    """Return *cards* with suit number *i* become number `suits[i]`; a joker named for a card is named for another."""
    to = _relabelling(suits)
    return tuple([to[card.index] for card in cards])


def relabelled_bag(held: CardBag, suits: tuple[int, ...]) -> CardBag:
    """Return *held* with its suits relabelled as by `relabelled`."""
    found = held & ~NATURALS_MASK
    for suit, becomes in enumerate(suits):
        found |= (held >> SUIT_BITS * suit & SUIT_MASK) << SUIT_BITS * becomes
    return CardBag(found)


@lru_cache(24)
def _relabelling(suits: tuple[int, ...]) -> tuple[Card, ...]:
    """Return what each of `CARDS` becomes, by its index."""
    naturals = [13 * suits[index // 13] + index % 13 for index in range(JOKER_INDEX)]
    indices = (*naturals, JOKER_INDEX, *(NAMED_OFFSET + index for index in naturals))
    return tuple([CARDS[index] for index in indices])
