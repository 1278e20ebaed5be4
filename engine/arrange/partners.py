"""Near melds: which two cards want a third.

A cheap measure of what a hand may become, where the meld search only tells what
it is.
"""

from itertools import combinations, permutations
from typing import Final

from engine.cards import NATURALS, SUITS, Card, CardBag, distinct, natural
from engine.melds import MeldRules


class Partners:
    """Numbers of cards that make a meld of three with two given cards.

    Attributes:
        runs: Per card index, completions of a run by the index of the other card.
        sets: Likewise of a set.
    """

    __slots__ = ("runs", "sets")

    def __init__(self, melds: MeldRules) -> None:
        """Count the three-card melds of *melds* without jokers."""
        size = len(NATURALS)
        self.runs: Final = [[0] * size for _ in range(size)]
        self.sets: Final = [[0] * size for _ in range(size)]
        for suit in SUITS:
            for sequence in melds.runs.sequences:
                for start in range(len(sequence) - 2):
                    _count(self.runs, [natural(rank, suit) for rank in sequence[start : start + 3]])
        for cards in zip(*(NATURALS[13 * suit : 13 * suit + 13] for suit in range(4)), strict=True):
            for three in combinations(cards, 3):
                _count(self.sets, list(three))

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


def _count(table: list[list[int]], cards: list[Card]) -> None:
    for first, second in permutations(cards, 2):
        table[first.index][second.index] += 1
