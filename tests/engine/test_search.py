"""Three independent meld searches agree: the fast one, brute force, and rank by rank.

`RUMMYREF_HANDS` sets the number of hands on which all three are compared; 20,000 is what every run has.
"""

import os
import random
from collections.abc import Iterator
from itertools import permutations
from typing import Final

import pytest

from engine.arrange.queries import Arranger
from engine.ask import Question, ask
from engine.cards import JOKER, NATURALS, Card, CardBag, bag, distinct, listed, size
from engine.melds import Meld, MeldKind
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import canonical_deck
from tests.engine.reference import brute, by_rank
from tests.engine.reference.brute import Brute, Found
from tests.engine.reference.by_rank import ByRank

WORTH_BELOW: Final = 10_000
FAMILIES: Final[dict[str, tuple[str, dict[str, int | str]]]] = {
    "remi": ("remi", {}),
    "remi, two packs": ("remi", {"packs": 2}),
    "remi, four jokers": ("remi", {"jokers": 4}),
    "closed-rummy": ("closed-rummy", {}),
    "closed-rummy, flat": ("closed-rummy", {"laid_table": "flat"}),
    "closed-rummy-duel": ("closed-rummy-duel", {}),
    "remik": ("remik", {}),
    "remik, one joker a run": ("remik", {"jokers": 6, "run_joker_limit": 1}),
}
SHARDS: Final = 3
HANDS: Final = int(os.environ.get("RUMMYREF_HANDS", "20000"))
SMALL: Final = -(-HANDS // (SHARDS * len(FAMILIES)))
LARGE: Final = -(-SMALL // 14)
"""Hands of a family in one shard: of three to eight cards, and of nine to fourteen."""

BAR: Final = 51


def hands(rules: RuleSet, seed: int, number: int, low: int, high: int) -> Iterator[tuple[Card, ...]]:
    """Yield random hands; two of three from a part of the deck, where melds are dense."""
    chance, deck = random.Random(seed), canonical_deck(rules.deck)
    for index in range(number):
        count = chance.randint(low, high)
        suits, first = chance.sample("SHDC", 2), chance.randrange(9)
        part = [
            card for card in deck
            if card is JOKER or index % 3 == 0
            or (index % 3 == 1 and card.suit in suits) or (index % 3 == 2 and first <= card.index % 13 <= first + 4)
        ]  # fmt: skip
        hand = chance.sample(part, min(count, len(part)))
        while sum(card is JOKER for card in hand) > 4:
            hand.remove(JOKER)
        yield tuple(sorted(hand))


def arranger_of(name: str) -> tuple[RuleSet, Arranger]:
    """Return the rules of a family of this module and a search with nothing remembered."""
    preset, options = FAMILIES[name]
    rules = rule_set(preset, options)
    return rules, Arranger(rules.melds, rules.points, needs_run=rules.moves.run_to_go_out)


def run(meld: Found) -> int:
    """Weigh whether a meld is a run."""
    return meld.run


def left_and_worth(meld: Found) -> int:
    """Weigh the cost first, then the worth."""
    return meld.cost * WORTH_BELOW + meld.worth


def check_melds(rules: RuleSet, hand: CardBag, melds: tuple[Meld, ...], left: int) -> None:
    """Check that *melds* stand and come from *hand*, with *left* cards over."""
    rest = hand
    for meld in melds:
        again = rules.melds.read(meld.cards, name_jokers=False)
        assert (again.kind, again.cards) == (meld.kind, meld.cards)
        rest = CardBag(rest - meld.held)
    assert sum(size(meld.held) for meld in melds) + left == size(hand)
    assert rest >= 0
    assert size(rest) == left


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", FAMILIES)
def test_three_searches_agree_on_small_hands(name: str, shard: int) -> None:
    """Least points left, best worth, balance, ways out and openings are those of brute force."""
    rules, arranger = arranger_of(name)
    ranked = ByRank(rules.melds, rules.points, WORTH_BELOW, 1)
    for index, hand in enumerate(hands(rules, shard, SMALL, 3, 8)):
        naive, held = Brute(hand, rules.melds, rules.points), bag(hand)
        wanted = run if arranger.needs_run else None
        best = naive.heaviest(left_and_worth, naive.whole, wanted)
        saved, worth = divmod(best, WORTH_BELOW) if best != brute.NONE else (0, 0)
        assert arranger.left_points(held) == naive.cost() - saved, hand
        found = arranger.arrange(held)
        assert (found.left_points, found.meld_points) == (naive.cost() - saved, worth), hand
        check_melds(rules, held, found.melds, len(found.left))
        free, kept = ranked.best(hand)
        assert max(kept if wanted else free, 0) == max(best, 0), hand
        if index % 4 == 0:
            _check_others(rules, arranger, naive, hand)


def _check_others(rules: RuleSet, arranger: Arranger, naive: Brute, hand: tuple[Card, ...]) -> None:
    held, wanted = bag(hand), run if arranger.needs_run else None
    assert arranger.cost(held) == naive.cost()
    assert arranger.has_run(held) == any(meld.run for meld in naive.found)
    places = 0
    for meld in naive.found:
        places |= meld.mask
    values = {card for place, card in enumerate(hand) if places >> place & 1}
    if JOKER not in hand:
        assert set(distinct(arranger.table.loose(held))) == set(hand) - values
    loose = naive.heaviest(left_and_worth, naive.whole)
    assert arranger.left_points(held, has_run=True) == naive.cost() - loose // WORTH_BELOW
    laid = naive.heaviest(lambda meld: meld.worth, naive.whole, wanted)
    assert arranger.best_laid(held).meld_points == max(laid, 0)
    balance = naive.heaviest(lambda meld: meld.worth + meld.cost, naive.whole, wanted)
    best = arranger.best_balance(held)
    assert best.meld_points - best.left_points == max(balance, 0) - naive.cost()
    most = naive.heaviest(lambda meld: meld.mask.bit_count(), naive.whole, wanted)
    assert arranger.cards_short(held) == max(len(hand) - max(most, 0) - 1, 0)
    ways = _ways_out(naive, wanted)
    assert {way.discard: way.points for way in arranger.ways_out(held)} == ways
    for way in arranger.ways_out(held):
        check_melds(rules, held, way.melds, 1)
    melded = {card: points for card, points in ways.items() if card is not hand[0] or hand.count(card) > 1}
    assert {way.discard: way.points for way in arranger.ways_out(held, using=hand[0])} == melded
    _check_opening(rules, arranger, naive, held)
    _check_discard(arranger, naive, hand)


def _ways_out(naive: Brute, wanted: brute.Weight | None) -> dict[Card, int]:
    """Return the most that all other cards are worth in melds, for each discard with which they are."""
    found = {}
    for place, card in enumerate(naive.hand):
        points = naive.heaviest(lambda meld: meld.worth, naive.whole ^ 1 << place, wanted, cover=True)
        if points != brute.NONE and naive.whole != 1 << place:
            found[card] = points
    return found


def _check_opening(rules: RuleSet, arranger: Arranger, naive: Brute, held: CardBag) -> None:
    points = max(
        naive.heaviest(lambda meld: meld.worth, naive.whole ^ 1 << place, lambda meld: meld.clean_run)
        for place in range(len(naive.hand))
    )
    opening = arranger.opening(held, BAR)
    assert (opening.points if opening else 0) == (points if points >= BAR else 0)
    if opening:
        check_melds(rules, held, opening.melds, size(held) - sum(size(meld.held) for meld in opening.melds))
        assert any(meld.clean and meld.kind is MeldKind.RUN for meld in opening.melds)


def _check_discard(arranger: Arranger, naive: Brute, hand: tuple[Card, ...]) -> None:
    wanted = run if arranger.needs_run else None
    left = {}
    for place, card in enumerate(hand):
        if card is not JOKER or set(hand) == {JOKER}:
            saved = naive.heaviest(lambda meld: meld.cost, naive.whole ^ 1 << place, wanted)
            price = brute.price(card, naive.points)
            left[card] = (naive.cost() - price - max(saved, 0), -price, card.index)
    assert arranger.best_discard(bag(hand)) is min(left, key=lambda card: left[card])


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", FAMILIES)
def test_two_searches_agree_on_whole_hands(name: str, shard: int) -> None:
    """Rank by rank and the fast search find the same for hands as long as in play."""
    rules, arranger = arranger_of(name)
    ranked = ByRank(rules.melds, rules.points, WORTH_BELOW, 1)
    for hand in hands(rules, 100 + shard, LARGE, 9, 14):
        free, kept = ranked.best(hand)
        best = max(kept if arranger.needs_run else free, 0)
        found = arranger.arrange(bag(hand))
        cost = sum(brute.price(card, rules.points) for card in hand)
        assert (cost - found.left_points) * WORTH_BELOW + found.meld_points == best, hand
        check_melds(rules, bag(hand), found.melds, len(found.left))


def test_three_searches_agree_with_every_joker_held() -> None:
    """Five and six jokers, all that a table may play with, beside up to six other cards."""
    rules = rule_set("remik", {"jokers": 6})
    arranger = Arranger(rules.melds, rules.points, needs_run=rules.moves.run_to_go_out)
    ranked, chance = ByRank(rules.melds, rules.points, WORTH_BELOW, 1), random.Random(6)
    others = [card for card in canonical_deck(rules.deck) if card is not JOKER]
    for index in range(60):
        jokers = 5 + index % 2
        part = [card for card in others if card.suit in "SH"[: 1 + index % 2]]
        hand = tuple(sorted((*chance.sample(part, chance.randint(1, 6)), *[JOKER] * jokers)))
        best = max(ranked.best(hand)[0], 0)
        if len(hand) <= 8:
            naive = Brute(hand, rules.melds, rules.points)
            assert max(naive.heaviest(left_and_worth, naive.whole), 0) == best, hand
        found = arranger.arrange(bag(hand))
        cost = sum(brute.price(card, rules.points) for card in hand)
        assert (cost - found.left_points) * WORTH_BELOW + found.meld_points == best, hand
        check_melds(rules, bag(hand), found.melds, len(found.left))


def test_jokers_stand_where_they_count_most() -> None:
    """A joker at the end of a run goes to the dearer end: K beats T beside J Q."""
    rules, arranger = arranger_of("closed-rummy")
    hand = tuple(card for card in NATURALS if card.text in ("QS", "KS"))
    found = arranger.arrange(bag((*hand, JOKER)))
    assert [card.text for card in found.melds[0].cards] in (["QS", "KS", "JK=AS"], ["JK=JS", "QS", "KS"])
    assert found.meld_points == 20 + max(rules.points.high_ace, rules.points.laid["J"])


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    """A search that has answered before answers like a fresh one."""
    rules, used = arranger_of("remik")
    asked = [bag(hand) for hand in hands(rules, 7, 60, 6, 10)]
    first = [used.arrange(hand) for hand in asked]
    assert [used.arrange(hand) for hand in reversed(asked)][::-1] == first
    assert [arranger_of("remik")[1].arrange(hand) for hand in asked[:10]] == first[:10]


def test_the_references_know_a_joker_between() -> None:
    """Both references see `5 JK 7` as a run, in any order of the hand, and no two jokers side by side."""
    rules, _ = arranger_of("remik")
    five, seven = (card for card in NATURALS if card.text in ("5S", "7S"))
    for hand in permutations((five, seven, JOKER)):
        assert [found.worth for found in Brute(hand, rules.melds, rules.points).found] == [18]
    assert ByRank(rules.melds, rules.points, 0, 1).best((five, seven, JOKER)) == (18, 18)
    assert Brute((five, JOKER, JOKER), rules.melds, rules.points).found[0].worth == 15
    assert ByRank(rules.melds, rules.points, 0, 1).best((five, JOKER, JOKER)) == (15, 15)
    assert listed(bag((five, seven))) == (five, seven)
    assert by_rank.NONE == brute.NONE


def test_like_rules_share_a_search_and_anybody_asks_another_one() -> None:
    """What a search remembers of hands at tables makes no answer to a stranger come sooner."""
    remik, like = rule_set("remik"), rule_set("remik-500")
    assert like.arranger is remik.arranger
    for other in ({"run_joker_limit": 1}, {"joker_price": 50}):
        assert rule_set("remik", other).arranger is not remik.arranger
    assert like.public_arranger is remik.public_arranger is not remik.arranger
    for table in (remik.arranger.table, remik.public_arranger.table):
        table._runs.clear()
    ask(remik, Question(bag(NATURALS[:5])))
    assert (bool(remik.arranger.table._runs), bool(remik.public_arranger.table._runs)) == (False, True)
