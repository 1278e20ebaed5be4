"""Near melds: which two cards want a third.

A cheap measure of what a hand may become, where the meld search only tells what
it is.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Final, NamedTuple

from engine.cards import EACH, JOKER_INDEX, NATURALS, SUITS, Card, CardBag, bag, distinct, natural
from engine.melds import MeldRules

_JOKER_SHIFT: Final = 4 * JOKER_INDEX


class Pair(NamedTuple):
    """Two cards that make a meld of three with a given one.

    Attributes:
        first: Index of the one.
        second: Index of the other.
        is_run: Whether the meld is a run.
    """

    first: int
    second: int
    is_run: bool


class Partners:
    """Which cards make a meld of three with which others.

    Attributes:
        runs: Per card index, completions of a run by the index of the other card.
        sets: Likewise of a set.
        pairs: Per card index, the pairs that it makes a meld with, once for each
            rank sequence that the meld lies on.
    """

    __slots__ = ("_near", "pairs", "runs", "sets")

    def __init__(self, melds: MeldRules) -> None:
        """Count the three-card melds of *melds* without jokers."""
        size = len(NATURALS)
        self.runs: Final = [[0] * size for _ in range(size)]
        self.sets: Final = [[0] * size for _ in range(size)]
        self.pairs: Final = [list[Pair]() for _ in range(size)]
        for suit in SUITS:
            for sequence in melds.runs.sequences:
                for start in range(len(sequence) - 2):
                    self._add([natural(rank, suit) for rank in sequence[start : start + 3]], is_run=True)
        for cards in zip(*(NATURALS[13 * suit : 13 * suit + 13] for suit in range(4)), strict=True):
            for three in combinations(cards, 3):
                self._add(list(three), is_run=False)
        near = [bag({NATURALS[other] for pair in pairs for other in pair[:2]}) for pairs in self.pairs]
        self._near: Final = (*near, EACH)

    def promising(self, cards: Sequence[Card], hand: CardBag) -> list[int]:
        """Return the places in *cards* of those that two cards of *hand* may make a meld with.

        A quick look, as most cards have no two others in a hand that stand in any meld of three with them.
        """
        if hand >> _JOKER_SHIFT:
            return list(range(len(cards)))
        present, near = (hand | hand >> 1 | hand >> 2) & EACH, self._near
        return [place for place, card in enumerate(cards) if (present & near[card.index]).bit_count() > 1]

    def wanted(self, hand: CardBag, card: Card, run_weight: int, set_weight: int) -> int:
        """Return the weighted completions that *card* has with the rest of *hand*."""
        if card.is_joker:
            return 0
        runs, sets = self.runs[card.index], self.sets[card.index]
        return sum(
            run_weight * runs[other.index] + set_weight * sets[other.index]
            for other in distinct(hand)
            if not other.is_joker
        )

    def _add(self, cards: list[Card], *, is_run: bool) -> None:
        table = self.runs if is_run else self.sets
        for first, second in permutations(cards, 2):
            table[first.index][second.index] += 1
        for card in cards:
            first, second = (other for other in cards if other is not card)
            self.pairs[card.index].append(Pair(first.index, second.index, is_run))
