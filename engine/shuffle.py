"""Deals derived from a seed: HMAC-SHA256 in counter mode, rejection, Fisher–Yates.

Anybody with the seed computes the same deck in any language; `docs/fairness.md`
is the specification. Each use of a seed has a domain of its own.
"""

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import Final, Protocol, TypeVar

from engine.cards import JOKER, NATURALS, Card, relabelled
from engine.rules.ruleset import DeckSpec

SEED_BYTES: Final = 32
_WORDS: Final = Struct(">8I")
"""A block as its words, big-endian."""

_T = TypeVar("_T")


def derive(key: bytes, domain: str, *numbers: int) -> bytes:
    """Return 32 bytes that *key* gives for *domain* and *numbers*.

    The message is the domain in ASCII, a zero byte, and each number in eight
    bytes, big-endian.
    """
    message = domain.encode("ascii") + b"\0" + b"".join(number.to_bytes(8, "big") for number in numbers)
    return hmac.digest(key, message, "sha256")


def commitment(seed: bytes, table: str) -> bytes:
    """Return what is published of *seed* before the first card of *table* is dealt."""
    return sha256(table.encode("utf-8") + b"\0" + seed).digest()


class ByteStream:
    """Uniform numbers from one key: block *k* is HMAC-SHA256(key, k in eight bytes)."""

    __slots__ = ("_words",)

    def __init__(self, key: bytes) -> None:
        """Begin at block 0."""
        self._words = _words(key)

    def below(self, bound: int) -> int:
        """Return a number from 0 to *bound* - 1, each as likely, *bound* at most 2**32.

        Four bytes, big-endian, make a word; words at or above the greatest
        multiple of *bound* are thrown away.
        """
        limit = (1 << 32) - (1 << 32) % bound
        word = next(self._words)
        while word >= limit:
            word = next(self._words)
        return word % bound


def _words(key: bytes) -> Iterator[int]:
    for block in count():
        yield from _WORDS.unpack(hmac.digest(key, block.to_bytes(8, "big"), "sha256"))


def shuffled(items: Sequence[_T], key: bytes) -> tuple[_T, ...]:
    """Return *items* in the order that *key* gives: Fisher–Yates from the last place down."""
    order = list(items)
    stream = ByteStream(key)
    for place in range(len(order) - 1, 0, -1):
        other = stream.below(place + 1)
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def canonical_deck(deck: DeckSpec) -> tuple[Card, ...]:
    """Return the cards of *deck* in canonical order: pack after pack, jokers last."""
    return NATURALS * deck.packs + (JOKER,) * deck.jokers


class Dealing(Protocol):
    """Where the cards of a match come from. Audience: the referee alone."""

    def deck(self, spec: DeckSpec, round_index: int) -> tuple[Card, ...]:
        """Return the shuffled deck of a round, first card dealt first."""

    def reshuffle(self, cards: Sequence[Card], round_index: int, count: int) -> tuple[Card, ...]:
        """Return *cards* as the new stock of reshuffle *count* (from 0) of a round."""

    def dealer_deck(self, spec: DeckSpec) -> tuple[Card, ...]:
        """Return the shuffled deck from which the first dealer is drawn."""


@dataclass(frozen=True, slots=True)
class SeededDealing:
    """Cards from a match seed.

    Attributes:
        seed: 32 bytes. Never shown before nothing secret depends on it.
        suits: Where each suit (S H D C) goes: `relabelling` or (0, 1, 2, 3).
    """

    seed: bytes
    suits: tuple[int, ...] = (0, 1, 2, 3)

    def __repr__(self) -> str:
        """Keep the seed out of logs."""
        return "SeededDealing(seed=hidden)"

    def _cards(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        if self.suits == (0, 1, 2, 3):
            return cards
        return relabelled(cards, self.suits)

    def deck(self, spec: DeckSpec, round_index: int) -> tuple[Card, ...]:
        """Return the deck of a round, from domain `deck` and the round's number."""
        return self._cards(shuffled(canonical_deck(spec), derive(self.seed, "deck", round_index)))

    def reshuffle(self, cards: Sequence[Card], round_index: int, count: int) -> tuple[Card, ...]:
        """Return the new stock, from domain `reshuffle`: equal piles give equal stocks."""
        plain = sorted(relabelled(cards, tuple(map(self.suits.index, range(4)))))
        return self._cards(shuffled(plain, derive(self.seed, "reshuffle", round_index, count)))

    def dealer_deck(self, spec: DeckSpec) -> tuple[Card, ...]:
        """Return the deck to draw the first dealer from, from domain `dealer`."""
        return self._cards(shuffled(canonical_deck(spec), derive(self.seed, "dealer")))


def relabelling(set_seed: bytes, table: int) -> tuple[int, ...]:
    """Return where suits go at table *table* (from 0) of a set, from domain `suits`."""
    return shuffled((0, 1, 2, 3), derive(set_seed, "suits", table))


def bot_seed(seed: bytes, seat: int) -> int:
    """Return the 63-bit number handed to the bot in *seat*, from domain `bot`."""
    return int.from_bytes(derive(seed, "bot", seat)[:8], "big") >> 1


def match_seed(secret: bytes, table: str, nonces: Sequence[bytes]) -> bytes:
    """Return the seed of a match, from domain `match`.

    The message is the domain, a zero byte, the length of the table id in two
    bytes, the id in UTF-8 (empty where several tables play the deal of one set)
    and the 32-byte nonces in seat order, zero bytes for a seat that sent none.
    """
    name = table.encode("utf-8")
    message = b"match\0" + len(name).to_bytes(2, "big") + name + b"".join(nonces)
    return hmac.digest(secret, message, "sha256")


def set_seed(secret: bytes, number: int, nonces: Sequence[bytes]) -> bytes:
    """Return the seed of set *number* (from 0) of a ladder, from domain `set`.

    The message is the domain, a zero byte, the number in eight bytes and the
    batch's 32-byte nonces in its order, zero bytes for an entrant that sent none.
    """
    message = b"set\0" + number.to_bytes(8, "big") + b"".join(nonces)
    return hmac.digest(secret, message, "sha256")
