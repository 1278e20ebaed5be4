"""The naive search: every subset is tried as a meld, every choice of disjoint melds as an arrangement.

Written from the rules alone; of the engine it uses the parameters of a family,
none of its code. For hands of up to ten cards.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from engine.cards import JOKER, Card
from engine.melds import MeldRules, PointTable

NONE = -(10**9)
"""What cannot be had."""


@dataclass(frozen=True)
class Found:
    """A meld among the cards of a hand.

    Attributes:
        mask: The places of its cards in the hand.
        cost: What its cards cost where they are left.
        worth: What it is worth laid, jokers where they count most.
        run: Whether it is a run.
        clean_run: Whether it is a run without a joker.
    """

    mask: int
    cost: int
    worth: int
    run: bool
    clean_run: bool


Weight = Callable[[Found], int]


def price(card: Card, points: PointTable) -> int:
    """Return what *card* costs where it is left."""
    return points.left_joker if card is JOKER else points.left[card.rank]


def _laid(rank: str, points: PointTable, ace: int, *, joker: bool) -> int:
    if joker and points.laid_joker is not None:
        return points.laid_joker
    return ace if rank == "A" else points.laid[rank]


def runs_worth(naturals: list[Card], jokers: int, melds: MeldRules, points: PointTable) -> Iterator[int]:
    """Yield what each run of exactly these cards is worth."""
    rule, length = melds.runs, len(naturals) + jokers
    if len({card.suit for card in naturals}) != 1 or jokers > rule.max_jokers or len(naturals) < rule.min_naturals:
        return
    for sequence in rule.sequences:
        for start in range(len(sequence) - length + 1 if length <= rule.max_length else 0):
            window = sequence[start : start + length]
            for wild in combinations(range(length), jokers):
                stand = sorted(window[place] for place in range(length) if place not in wild)
                touching = any(place + 1 in wild for place in wild)
                if stand == sorted(card.rank for card in naturals) and (rule.jokers_may_touch or not touching):
                    yield sum(
                        _laid(rank, points, points.high_ace if place else points.low_ace, joker=place in wild)
                        for place, rank in enumerate(window)
                    )


def sets_worth(naturals: list[Card], jokers: int, melds: MeldRules, points: PointTable) -> Iterator[int]:
    """Yield what the set of exactly these cards is worth, if it is one."""
    length = len(naturals) + jokers
    one_rank = len({card.rank for card in naturals}) == 1
    if length in (3, 4) and one_rank and len({card.suit for card in naturals}) == len(naturals) > 1:
        if jokers > dict(melds.sets.max_jokers).get(length, -1):
            return
        rank, ace = naturals[0].rank, points.laid["A"]
        plain = _laid(rank, points, ace, joker=False)
        yield len(naturals) * plain + jokers * _laid(rank, points, ace, joker=True)


class Brute:
    """All melds of one hand and the best choices among them."""

    def __init__(self, hand: tuple[Card, ...], melds: MeldRules, points: PointTable) -> None:
        """Try every subset of *hand*."""
        self.hand = hand
        self.points = points
        self.found: list[Found] = []
        for mask in range(1 << len(hand)):
            if mask.bit_count() >= 3:
                self._try(mask, [card for place, card in enumerate(hand) if mask >> place & 1], melds)
        self.whole = (1 << len(hand)) - 1

    def _try(self, mask: int, cards: list[Card], melds: MeldRules) -> None:
        naturals = [card for card in cards if card is not JOKER]
        jokers = len(cards) - len(naturals)
        one_suit = len({card.suit for card in naturals}) == 1
        one_rank = len({card.rank for card in naturals}) == 1
        cost = sum(price(card, self.points) for card in cards)
        if one_suit:
            worths = list(runs_worth(naturals, jokers, melds, self.points))
            if worths:
                self.found.append(Found(mask, cost, max(worths), run=True, clean_run=not jokers))
        if one_rank:
            worths = list(sets_worth(naturals, jokers, melds, self.points))
            if worths:
                self.found.append(Found(mask, cost, max(worths), run=False, clean_run=False))

    def cost(self) -> int:
        """Return what the whole hand costs."""
        return sum(price(card, self.points) for card in self.hand)

    def heaviest(self, weight: Weight, within: int, wanted: Weight | None = None, *, cover: bool = False) -> int:
        """Return the most that disjoint melds of *within* weigh, `NONE` where nothing will do.

        Args:
            weight: What a meld weighs.
            within: The places that may be used.
            wanted: One meld at least must have this not 0, where given.
            cover: Whether every place must be used.
        """

        @cache
        def best(left: int, met: bool) -> int:
            if not left:
                return 0 if met else NONE
            low = left & -left
            top = NONE if cover else best(left ^ low, met)
            for meld in self.found:
                if meld.mask & low and meld.mask & left == meld.mask:
                    rest = best(left ^ meld.mask, met or wanted is None or bool(wanted(meld)))
                    top = max(top, weight(meld) + rest if rest != NONE else NONE)
            return top

        return best(within, wanted is None)
