"""Closing first, where nothing is laid before: tiles in melds count, and unseen tiles that would make one more.

Where the whole rack counts against every seat that does not go out, the points of loose
tiles say little. What matters is how many tiles are loose, and how many of those that
nobody has shown yet would help.
"""

from functools import cache
from typing import Final

from clients.bots.seen import unseen_copies
from engine.arrange.queries import Arranger
from engine.cards import ONE, RANKS, Card, CardBag
from engine.compose import begun
from engine.melds import MeldRules, PointTable
from engine.moves import DISCARDS, DRAW, Discard, Play, Take
from engine.rules.position import Draft, Phase, Position

_ONE_EACH: Final = PointTable(dict.fromkeys(RANKS, 1), dict.fromkeys(RANKS, 1), left_joker=1, low_ace=1, high_ace=1)


def towards_closing(position: Position) -> Play:
    """Return the play that brings the seat closest to going out, for a seat that cannot go out now.

    The top of the own row is taken if that leaves fewer tiles loose than there are; else the
    stock is drawn from. The discard leaves fewest tiles loose, and of such discards most unseen
    tiles that make a meld of two loose ones; ties the dearest, then canonical order.
    """
    counter = _counter(position.rules.melds)
    if position.public.phase is not Phase.DRAW:
        return DISCARDS[_discard(Draft(position, alone=False), counter).index]
    start = begun(position, (Take(1),))
    if start is not None:
        card = _discard(start.draft, counter)
        if counter.left_points(CardBag(start.draft.hand - ONE[card.index])) < counter.left_points(position.hand):
            return Play((Take(1), Discard(card)))
    return DRAW


@cache
def _counter(melds: MeldRules) -> Arranger:
    """Return what parts hands so that fewest tiles are left."""
    return Arranger(melds, _ONE_EACH, needs_run=False)


def _discard(draft: Draft, counter: Arranger) -> Card:
    unseen, cost = unseen_copies(draft), draft.rules.points.cost
    left = counter.left_without(draft.hand)
    fewest = min(left.values())

    def mark(card: Card) -> tuple[int, int, int]:
        loose = counter.arrange(CardBag(draft.hand - ONE[card.index])).left
        return -_helpful(loose, unseen, counter), -cost(card), card.index

    return min((card for card, count in left.items() if count == fewest), key=mark)


def _helpful(loose: tuple[Card, ...], unseen: list[int], counter: Arranger) -> int:
    """Return how many *unseen* tiles make a meld of two of the *loose*; one that helps twice counts twice."""
    held = {card.index for card in loose if not card.is_joker}
    found = 0
    for index in held:
        for first, second, _ in counter.partners.pairs[index]:
            found += unseen[second] * (first in held) + unseen[first] * (second in held)
    return found
