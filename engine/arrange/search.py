"""The one meld search: the heaviest disjoint choice of candidates.

Works through the lowest card first, remembers each rest of the hand, and
answers every query by another weight: deadwood, points, number of cards.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.arrange.candidates import Candidate
from engine.cards import EACH, GUARD, ONE, CardBag, includes

Weigh = Callable[[Candidate], int]
NEVER: Final = -1
"""Weight of what cannot be had; real weights are not negative."""


class Best(NamedTuple):
    """The heaviest choices from one hand.

    Attributes:
        free: Weight with no requirement.
        kept: Weight with the requirement met, `NEVER` if it cannot be.
    """

    free: int
    kept: int


NOTHING: Final = Best(0, NEVER)


_Row = tuple[CardBag, int, bool, Candidate]
"""What a candidate takes and weighs, whether it is wanted, and itself."""


class Packing:
    """Heaviest disjoint choices among fixed candidates, for any part of one hand.

    The requirement is that at least one chosen candidate is *wanted*.
    """

    __slots__ = ("_covered", "_digits", "_groups", "_keys", "_packed", "_reach")

    def __init__(self, candidates: list[Candidate], weigh: Weigh, wanted: Callable[[Candidate], bool]) -> None:
        """Prepare the choice among *candidates*, which are sorted by lowest card."""
        groups: dict[CardBag, list[_Row]] = {}
        for candidate in candidates:
            row = (candidate.used, weigh(candidate), wanted(candidate), candidate)
            groups.setdefault(candidate.low, []).append(row)
        self._groups = groups
        self._keys = list(groups)
        self._digits = [7 * key for key in groups]
        self._reach = _reach(list(groups.values()))
        self._packed: dict[tuple[int, int], Best] = {}
        self._covered: dict[int, Best] = {0: NOTHING}

    def best(self, hand: CardBag, level: int = 0) -> Best:
        """Return the heaviest choices from *hand*; cards may stay loose."""
        digits, reach = self._digits, self._reach
        last = len(digits)
        while level < last and not hand & digits[level]:
            level += 1
        if level == last:
            return NOTHING
        # Cards that no later candidate takes make no difference; without them more hands are the same.
        hand = CardBag(hand & reach[level])
        key = (level, hand)
        known = self._packed.get(key)
        if known is not None:
            return known
        free, kept = self.best(hand, level + 1)
        guarded = hand | GUARD
        for used, weight, wanted, _ in self._groups[self._keys[level]]:
            if guarded - used & GUARD == GUARD:
                rest_free, rest_kept = self.best(CardBag(hand - used), level)
                free = max(free, rest_free + weight)
                if wanted:
                    kept = max(kept, rest_free + weight)
                elif rest_kept != NEVER:
                    kept = max(kept, rest_kept + weight)
        found = self._packed[key] = Best(free, kept)
        return found

    def cover(self, hand: CardBag) -> Best:
        """Return the heaviest choices that use every card of *hand*."""
        known = self._covered.get(hand)
        if known is not None:
            return known
        free = kept = NEVER
        guarded = hand | GUARD
        for used, weight, wanted, _ in self._groups.get(_lowest(hand), ()):
            if guarded - used & GUARD == GUARD:
                rest_free, rest_kept = self.cover(CardBag(hand - used))
                if rest_free != NEVER:
                    free = max(free, rest_free + weight)
                    if wanted:
                        kept = max(kept, rest_free + weight)
                    elif rest_kept != NEVER:
                        kept = max(kept, rest_kept + weight)
        found = self._covered[hand] = Best(free, kept)
        return found

    def choice(self, hand: CardBag, *, require: bool) -> list[Candidate]:
        """Return a heaviest choice from *hand*: the canonically first of them."""
        chosen: list[Candidate] = []
        goal, level = _goal(self.best(hand), require=require), 0
        while level < len(self._keys) and goal > 0:
            for used, weight, wanted, candidate in self._groups[self._keys[level]]:
                if not includes(hand, used):
                    continue
                still = require and not wanted
                rest = _goal(self.best(CardBag(hand - used), level), require=still)
                if rest != NEVER and weight + rest == goal:
                    chosen.append(candidate)
                    hand, goal, require = CardBag(hand - used), rest, still
                    break
            else:
                level += 1
        return chosen

    def covering(self, hand: CardBag, *, require: bool) -> list[Candidate]:
        """Return a heaviest choice that uses all of *hand*, which `cover` found possible."""
        chosen: list[Candidate] = []
        goal = _goal(self.cover(hand), require=require)
        while hand:
            for used, weight, wanted, candidate in self._groups[_lowest(hand)]:
                still = require and not wanted
                rest = _goal(self.cover(CardBag(hand - used)), require=still) if includes(hand, used) else NEVER
                if rest != NEVER and weight + rest == goal:
                    chosen.append(candidate)
                    hand, goal, require = CardBag(hand - used), rest, still
                    break
        return chosen


def _reach(groups: list[list[_Row]]) -> list[int]:
    """Return for each level the cards, all copies, that candidates from there on take."""
    reach, taken = [], 0
    for rows in reversed(groups):
        for used, *_ in rows:
            taken |= used
        reach.append(7 * ((taken | taken >> 1 | taken >> 2) & EACH))
    return reach[::-1]


def _lowest(hand: CardBag) -> CardBag:
    return ONE[(hand & -hand).bit_length() - 1 >> 2]


def _goal(best: Best, *, require: bool) -> int:
    return best.kept if require else best.free
