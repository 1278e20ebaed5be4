"""Deals from a seed: published vectors, a second derivation, uniformity, and the law of the draw streams."""

import hashlib
import hmac
import random
from collections import Counter
from itertools import count, permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS, JOKER, Card, CardBag, listed
from engine.match import apply, start
from engine.moves import DRAW
from engine.notation import show_cards
from engine.offers import offered
from engine.rules.registry import rule_set
from engine.rules.ruleset import DeckSpec
from engine.shuffle import (
    ByteStream,
    SeededDealing,
    bot_seed,
    canonical_deck,
    commitment,
    derive,
    match_seed,
    relabelling,
    shuffled,
)
from engine.stock import Stock

SEED = bytes(range(32))
"""The seed of the vectors: bytes 0 to 31."""

DEALING = SeededDealing(SEED)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (derive(SEED, "deck", 0), "021f1510348d62ab1d3f3ec053cd2d5e94ad0334769df01876d891802d02e0ac"),
        (derive(SEED, "reshuffle", 3, 1), "dc03197f1973519537fdfc061aecc1363794d3eb51da195455b513a6d39a8f6e"),
        (commitment(SEED, "t_1"), "698a0cf32e2f676411401165205975e6b6d5cddd65becc9f9af5c423331a1f6e"),
        (
            match_seed(SEED, "t_1", [bytes(32)] * 2),
            "3122e52ff281133e056069fa91d2a7ba6094cb36ace1938b5d32b42bfe42117a",
        ),
        (match_seed(SEED, "", [bytes(32)] * 4), "cde59b77301c6e5e103e1747217adafd2002f6eaf7a5a5ef78dcd3e287a4b56a"),
    ],
    ids=["deck", "reshuffle", "commitment", "match of a table", "match of a set"],
)
def test_keys_are_those_published(value: bytes, expected: str) -> None:
    """Derived keys, commitments and match seeds of seed 00 01 … 1f."""
    assert value.hex() == expected


def test_cards_are_those_published() -> None:
    """Decks, a reshuffle, the dealer's deck, suits, numbers and bot seeds of seed 00 01 … 1f."""
    assert show_cards(DEALING.deck(DeckSpec(1, 0), 0)[:13]) == "5D 6H 8C TD 4S KH 8H QC TC AD TH 9D TS"
    assert show_cards(DEALING.deck(DeckSpec(2, 4), 7)[:13]) == "8S 2C 7H JH QD 8D 9C 4S 9H QH 8C AD 9S"
    assert show_cards(DEALING.dealer_deck(DeckSpec(2, 4))[:6]) == "AD 5C 6H 6C JH JK"
    assert show_cards(DEALING.reshuffle(CARDS[:13], 0, 0)) == "6S TS 2S 8S 5S 7S 9S 4S AS KS QS JS 3S"
    assert [relabelling(SEED, table) for table in range(4)] == [(1, 3, 0, 2), (2, 1, 3, 0), (0, 3, 1, 2), (3, 1, 0, 2)]
    assert (bot_seed(SEED, 0), bot_seed(SEED, 3)) == (1086207088818523311, 1409837224034986116)
    stream = ByteStream(SEED)
    assert [stream.below(100) for _ in range(12)] == [13, 57, 15, 60, 37, 89, 75, 69, 69, 15, 37, 6]


def from_the_page(items: list[Card], seed: bytes, domain: str, *numbers: int) -> list[Card]:
    """Shuffle as `docs/fairness.md` says, written a second time: all bytes at once, no classes."""
    key = hmac.new(seed, domain.encode() + b"\0" + b"".join(n.to_bytes(8, "big") for n in numbers), hashlib.sha256)
    data = b"".join(hmac.new(key.digest(), k.to_bytes(8, "big"), hashlib.sha256).digest() for k in range(40))
    words = (int.from_bytes(data[at : at + 4], "big") for at in count(0, 4))
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        word = next(words)
        while word >= 2**32 // (i + 1) * (i + 1):
            word = next(words)
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@given(st.binary(min_size=32, max_size=32), st.integers(0, 99), st.sampled_from([(1, 0), (1, 2), (2, 2), (2, 6)]))
def test_the_page_gives_the_same_cards(seed: bytes, round_index: int, size: tuple[int, int]) -> None:
    """A checker written from the documentation alone deals the same decks."""
    dealing, spec = SeededDealing(seed), DeckSpec(*size)
    plain = list(canonical_deck(spec))
    assert list(dealing.deck(spec, round_index)) == from_the_page(plain, seed, "deck", round_index)
    assert list(dealing.dealer_deck(spec)) == from_the_page(plain, seed, "dealer")
    pile = random.Random(round_index).sample(plain, 20)
    again = from_the_page(sorted(pile), seed, "reshuffle", round_index, 2)
    assert list(dealing.reshuffle(pile, round_index, 2)) == again


@given(st.binary(min_size=32, max_size=32), st.permutations(range(4)))
def test_relabelled_suits_change_nothing_but_suits(seed: bytes, suits: list[int]) -> None:
    """Decks and reshuffles go over suit by suit, jokers and order stay."""
    plain, relabelled = SeededDealing(seed), SeededDealing(seed, tuple(suits))

    def moved(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(card if card is JOKER else CARDS[13 * suits[card.index // 13] + card.index % 13] for card in cards)

    deck = plain.deck(DeckSpec(1, 2), 0)
    assert relabelled.deck(DeckSpec(1, 2), 0) == moved(deck)
    assert relabelled.reshuffle(moved(deck[:20]), 0, 0) == moved(plain.reshuffle(deck[:20], 0, 0))


def test_each_use_of_a_seed_is_another_one() -> None:
    """No domain, round or count shares a key with another, and no seed with its neighbour."""
    keys = [derive(seed, domain, *numbers) for seed in (SEED, bytes(32)) for domain, numbers in (
        ("deck", (0,)), ("deck", (1,)), ("reshuffle", (0, 0)), ("reshuffle", (0, 1)), ("reshuffle", (1, 0)),
        ("dealer", ()), ("suits", (0,)), ("bot", (0,)), ("bot", (1,)), ("table", (0,)),
    )]  # fmt: skip
    assert len(set(keys)) == len(keys)
    spec = DeckSpec(1, 0)
    decks = {DEALING.deck(spec, 0), DEALING.deck(spec, 1), DEALING.dealer_deck(spec)}
    decks.add(DEALING.reshuffle(canonical_deck(spec), 0, 0))
    assert len(decks) == 4
    assert commitment(SEED, "a") != commitment(SEED, "b")
    assert match_seed(SEED, "a", [bytes(32)]) != match_seed(SEED, "a", [bytes(31) + b"\1"])


def test_orders_are_equally_likely() -> None:
    """Twelve thousand shuffles of four things: each of 24 orders within four standard errors."""
    number = 12_000
    seen = Counter(shuffled(range(4), derive(SEED, "uniform", index)) for index in range(number))
    each = number / factorial(4)
    assert set(seen) == set(permutations(range(4)))
    assert all(abs(times - each) < 4 * each**0.5 for times in seen.values())


def test_the_top_card_is_any_card() -> None:
    """Over thousands of rounds every card of a deck comes first about as often."""
    spec, number = DeckSpec(1, 2), 2_700
    seen = Counter(DEALING.deck(spec, index)[0] for index in range(number))
    each = number / 54
    chi_square = sum((seen[card] - each) ** 2 / each for card in CARDS[:52]) + (seen[JOKER] - 2 * each) ** 2 / each / 2
    assert chi_square < 52 + 4 * (2 * 52) ** 0.5


def test_words_above_the_last_multiple_are_thrown_away() -> None:
    """A bound just above 2^31 throws away nearly half of the words and stays below itself."""
    stream, bound = ByteStream(SEED), 2**31 + 1
    numbers = [stream.below(bound) for _ in range(200)]
    plain = ByteStream(SEED)
    words = [plain.below(2**32) for _ in range(1_000)]
    assert numbers == [word for word in words if word < bound][:200]


def test_a_dealing_does_not_show_its_seed() -> None:
    """Neither the seed nor its hex is in what a log would print."""
    assert SEED.hex() not in repr(DEALING)
    assert repr(SEED)[2:-1] not in repr(DEALING)


class NaiveStock:
    """Draw streams said with lists: one a seat, dealt out card by card."""

    def __init__(self, cards: list[Card], first: int, streams: int) -> None:
        """Give card *i* to seat (first + i) mod streams."""
        self.own: list[list[Card]] = [[] for _ in range(streams)]
        for index, card in enumerate(cards):
            self.own[(first + index) % streams].append(card)

    def draw(self, seat: int) -> Card:
        """Draw the first of one's own, else the last of the next seat's that has one."""
        streams = len(self.own)
        if self.own[seat % streams]:
            return self.own[seat % streams].pop(0)
        return next(self.own[(seat + step) % streams] for step in range(1, streams) if self.own[(seat + step) % streams]
                    ).pop()  # fmt: skip


@pytest.mark.parametrize(("version", "place"), [(1, 0), (2, 1)])
def test_the_first_card_of_the_stock_is_of_the_seat_that_acts_first(version: int, place: int) -> None:
    """Also where that seat draws nothing: the next one draws the second card. Rules of version 1 gave it the first."""
    rules = rule_set("closed-rummy", {"players": 3, "draw_streams": True}, version=version)
    dealing = SeededDealing(bytes(32))
    match, _ = start(rules, dealing)
    stock = dealing.deck(rules.deck, 0)[3 * 14 + 2 :]
    match, _ = apply(match, 0, offered(match.round.position(0))[0])
    before = match.round.hands[1]
    match, _ = apply(match, 1, DRAW)
    assert listed(CardBag(match.round.hands[1] - before)) == (stock[place],)


@given(
    st.lists(st.sampled_from(CARDS[:53]), max_size=40),
    st.integers(1, 6).flatmap(
        lambda streams: st.tuples(
            st.just(streams), st.integers(0, streams - 1), st.lists(st.integers(0, streams - 1), max_size=45)
        )
    ),
)
def test_draw_streams_follow_their_law(cards: list[Card], table: tuple[int, int, list[int]]) -> None:
    """Whoever draws in whatever order, each card is that of the naive model; sizes and the rest agree."""
    streams, first, seats = table
    stock, naive = Stock.of(tuple(cards), first, streams), NaiveStock(cards, first, streams)
    for number, seat in enumerate(seats):
        if number >= len(cards):
            with pytest.raises(IndexError):
                stock.draw(seat)
            break
        card, stock = stock.draw(seat)
        assert card is naive.draw(seat)
        assert stock.size == len(cards) - number - 1 == len(stock.left())
        assert Counter(stock.left()) == Counter(card for own in naive.own for card in own)


@given(st.lists(st.sampled_from(CARDS[:53]), min_size=1, max_size=40), st.integers(0, 5))
def test_without_streams_the_stock_is_a_pile(cards: list[Card], seat: int) -> None:
    """One stream: cards come in their order, whoever draws."""
    stock, drawn = Stock.of(tuple(cards), 3, 1), []
    while stock.size:
        card, stock = stock.draw(seat)
        drawn.append(card)
    assert drawn == cards


def test_in_turn_the_streams_are_the_pile() -> None:
    """Seats that draw in turn from the first on get the cards in their order."""
    cards = canonical_deck(DeckSpec(1, 0))
    stock, drawn = Stock.of(cards, 2, 4), []
    for index in range(52):
        card, stock = stock.draw((2 + index) % 4)
        drawn.append(card)
    assert tuple(drawn) == cards
