"""The one meld search: the heaviest disjoint choice of candidates.

Works through the lowest card first, remembers each rest of the hand, and
answers every query by another weight: deadwood, points, number of cards.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.arrange.candidates import Candidate
from engine.cards import ONE, CardBag, includes

Weigh = Callable[[Candidate], int]
NEVER: Final = -1
"""Weight of what cannot be had; real weights are not negative."""

_NATURAL_PART: Final = (1 << 208) - 1


class Best(NamedTuple):
    """The heaviest choices from one hand.

    Attributes:
        free: Weight with no requirement.
        kept: Weight with the requirement met, `NEVER` if it cannot be.
    """

    free: int
    kept: int


NOTHING: Final = Best(0, NEVER)
_IMPOSSIBLE: Final = Best(NEVER, NEVER)


def heavier(left: Best, right: Best) -> Best:
    """Return the better of each."""
    return Best(max(left.free, right.free), max(left.kept, right.kept))


class Packing:
    """Heaviest disjoint choices among fixed candidates, for any part of one hand.

    The requirement is that at least one chosen candidate is *wanted*.
    """

    __slots__ = ("_covered", "_groups", "_keys", "_packed")

    def __init__(self, candidates: list[Candidate], weigh: Weigh, wanted: Callable[[Candidate], bool]) -> None:
        """Prepare the choice among *candidates*, which are sorted by lowest card."""
        groups: dict[CardBag, list[tuple[CardBag, int, bool, Candidate]]] = {}
        for candidate in candidates:
            row = (candidate.used, weigh(candidate), wanted(candidate), candidate)
            groups.setdefault(candidate.low, []).append(row)
        self._groups = groups
        self._keys = list(groups)
        self._packed: dict[tuple[int, int], Best] = {}
        self._covered: dict[int, Best] = {}

    def best(self, hand: CardBag, level: int = 0) -> Best:
        """Return the heaviest choices from *hand*; cards may stay loose."""
        while level < len(self._keys) and not includes(hand, self._keys[level]):
            level += 1
        if level == len(self._keys):
            return NOTHING
        key = (level, hand)
        known = self._packed.get(key)
        if known is not None:
            return known
        found = self.best(hand, level + 1)
        for used, weight, wanted, _ in self._groups[self._keys[level]]:
            if includes(hand, used):
                found = heavier(found, _with(self.best(CardBag(hand - used), level), weight, wanted=wanted))
        self._packed[key] = found
        return found

    def cover(self, hand: CardBag) -> Best:
        """Return the heaviest choices that use every card of *hand*."""
        if not hand:
            return NOTHING
        if not hand & _NATURAL_PART:
            return _IMPOSSIBLE
        known = self._covered.get(hand)
        if known is not None:
            return known
        found = _IMPOSSIBLE
        for used, weight, wanted, _ in self._groups.get(_lowest(hand), ()):
            if includes(hand, used):
                found = heavier(found, _with(self.cover(CardBag(hand - used)), weight, wanted=wanted))
        self._covered[hand] = found
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
                if weight + _goal(self.best(CardBag(hand - used), level), require=still) == goal:
                    chosen.append(candidate)
                    hand, goal, require = CardBag(hand - used), goal - weight, still
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


def _lowest(hand: CardBag) -> CardBag:
    return ONE[(hand & -hand).bit_length() - 1 >> 2]


def _goal(best: Best, *, require: bool) -> int:
    return best.kept if require else best.free


def _with(rest: Best, weight: int, *, wanted: bool) -> Best:
    """Return *rest* after choosing a candidate of *weight* before it."""
    if rest.free == NEVER:
        return _IMPOSSIBLE
    free = rest.free + weight
    if wanted:
        return Best(free, free)
    return Best(free, rest.kept + weight if rest.kept != NEVER else NEVER)
