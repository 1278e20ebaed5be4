"""Time of one meld search on a fresh hand of 14 from two packs.

Every hand is new and the answers are not remembered; the tables of melds by
suit and by rank are kept, as they are in a running referee.
"""

import random
import time
from collections.abc import Callable
from statistics import median
from typing import Final

from engine.arrange.queries import Arranger
from engine.cards import JOKER, NATURALS, CardBag, bag
from engine.melds import MeldRules, PointTable, RunRule, SetRule
from engine.rules.registry import presets, rule_set

HANDS: Final = 1_500
HAND: Final = 14
_SEED: Final = 14
_POINTS: Final = {**{str(rank): rank for rank in range(2, 10)}, **dict.fromkeys("TJQK", 10), "A": 11}


def arranger() -> Arranger:
    """Return the search of closed rummy, or of rules built like it."""
    if "closed-rummy" in presets():
        return rule_set("closed-rummy").arranger
    runs = RunRule(("A23456789TJQK", "23456789TJQKA"), max_length=14, max_jokers=2, min_naturals=2)
    points = PointTable(laid=_POINTS, left=_POINTS, left_joker=30, low_ace=1, high_ace=10)
    return Arranger(MeldRules(runs, SetRule(((3, 1), (4, 2)))), points, needs_run=False)


def random_hand(chance: random.Random) -> CardBag:
    """Return 14 cards of two packs and two jokers."""
    return bag(chance.sample(NATURALS * 2 + (JOKER, JOKER), HAND))


def near_complete_hand(chance: random.Random) -> CardBag:
    """Return 12 cards of four melds, two jokers among them or beside, and loose cards up to 14."""
    cards = [JOKER, JOKER]
    while len(cards) < HAND - 1:
        suit, start = chance.randrange(4), chance.randrange(11)
        run = [NATURALS[13 * suit + start + place] for place in range(3)]
        rank = chance.randrange(13)
        cards += run if chance.random() < 0.5 else [NATURALS[13 * one + rank] for one in chance.sample(range(4), 3)]
    cards = [card for card in cards[:HAND] if cards.count(card) <= 2]
    while len(cards) < HAND:
        card = chance.choice(NATURALS)
        if cards.count(card) < 2:
            cards.append(card)
    return bag(cards)


def times_ms(search: Callable[[CardBag], object], hands: list[CardBag]) -> tuple[float, float]:
    """Return median and 95th percentile of one search in milliseconds."""
    spent = []
    for hand in hands:
        began = time.perf_counter()
        search(hand)
        spent.append(1_000 * (time.perf_counter() - began))
    spent.sort()
    return median(spent), spent[len(spent) * 95 // 100]


def report() -> None:
    """Print the times of each query."""
    chance = random.Random(_SEED)
    search = arranger()
    queries: dict[str, Callable[[CardBag], object]] = {
        "arrange": search.arrange,
        "left_points": search.left_points,
        "ways_out": search.ways_out,
    }
    print(f"meld search, {HAND} cards of two packs and two jokers, fresh hands, ms: median / p95")
    for kind, make in {"random": random_hand, "near complete": near_complete_hand}.items():
        for hand in (make(chance) for _ in range(HANDS)):
            search.table.of_hand(hand)
        for name, query in queries.items():
            middle, late = times_ms(query, [make(chance) for _ in range(HANDS)])
            print(f"  {kind:<14}{name:<12}{middle:>8.3f} /{late:>7.3f}")
