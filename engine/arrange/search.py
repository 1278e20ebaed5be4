"""The one meld search: the heaviest disjoint choice of candidates.

Works through the lowest card first, remembers each rest of the hand, and
answers every query by another weight: deadwood, points, number of cards.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.arrange.candidates import Candidate
from engine.cards import EACH, GUARD, ONE, CardBag, includes

Weigh = Callable[[Candidate], int]
NEVER: Final = -(1 << 29)
"""Weight of what cannot be had: below zero whatever is added. Real weights are not negative."""


class Best(NamedTuple):
    """The heaviest choices from one hand.

    Attributes:
        free: Weight with no requirement, negative if there is no such choice.
        kept: Weight with the requirement met, negative if it cannot be.
    """

    free: int
    kept: int


_NOTHING: Final = (0, NEVER)

_Row = tuple[CardBag, int, bool, Candidate]
"""What a candidate takes and weighs, whether it is wanted, and itself."""


class Packing:
    """Heaviest disjoint choices among fixed candidates, for any part of one hand.

    The requirement is that at least one chosen candidate is *wanted*.
    """

    __slots__ = ("_covered", "_digits", "_groups", "_packed", "_reach", "_rows")

    def __init__(self, candidates: list[Candidate], weigh: Weigh, wanted: Callable[[Candidate], bool]) -> None:
        """Prepare the choice among *candidates*, which are sorted by lowest card."""
        groups: dict[int, list[_Row]] = {}
        for candidate in candidates:
            row = (candidate.used, weigh(candidate), wanted(candidate), candidate)
            groups.setdefault(candidate.low, []).append(row)
        self._groups = groups
        self._rows = list(groups.values())
        self._digits = [7 * key for key in groups]
        self._reach = _reach(self._rows)
        self._packed: dict[tuple[int, int], tuple[int, int]] = {}
        self._covered: dict[int, tuple[int, int]] = {0: _NOTHING}

    def best(self, hand: CardBag) -> Best:
        """Return the heaviest choices from *hand*; cards may stay loose."""
        return Best(*self._best(hand, 0))

    def cover(self, hand: CardBag) -> Best:
        """Return the heaviest choices that use every card of *hand*."""
        return Best(*self._cover(hand))

    def _best(self, hand: int, level: int) -> tuple[int, int]:
        """Return free and kept of the choices among the candidates from *level* on."""
        digits = self._digits
        last = len(digits)
        while level < last and not hand & digits[level]:
            level += 1
        if level == last:
            return _NOTHING
        # Cards that no later candidate takes make no difference; without them more hands are the same.
        hand &= self._reach[level]
        key = (level, hand)
        known = self._packed.get(key)
        if known is not None:
            return known
        free, kept = self._best(hand, level + 1)
        guarded = hand | GUARD
        for used, weight, wanted, _ in self._rows[level]:
            if guarded - used & GUARD == GUARD:
                rest_free, rest_kept = self._best(hand - used, level)
                free = max(free, rest_free + weight)
                kept = max(kept, (rest_free if wanted else rest_kept) + weight)
        found = self._packed[key] = (free, kept)
        return found

    def _cover(self, hand: int) -> tuple[int, int]:
        known = self._covered.get(hand)
        if known is not None:
            return known
        free = kept = NEVER
        guarded = hand | GUARD
        for used, weight, wanted, _ in self._groups.get(_lowest(hand), ()):
            if guarded - used & GUARD == GUARD:
                rest_free, rest_kept = self._cover(hand - used)
                free = max(free, rest_free + weight)
                kept = max(kept, (rest_free if wanted else rest_kept) + weight)
        found = self._covered[hand] = (free, kept)
        return found

    def choice(self, hand: CardBag, *, require: bool) -> list[Candidate]:
        """Return a heaviest choice from *hand*: the canonically first of them."""
        chosen: list[Candidate] = []
        goal, level = self._best(hand, 0)[require], 0
        while level < len(self._rows) and goal > 0:
            for used, weight, wanted, candidate in self._rows[level]:
                if not includes(hand, used):
                    continue
                still = require and not wanted
                rest = self._best(hand - used, level)[still]
                if rest >= 0 and weight + rest == goal:
                    chosen.append(candidate)
                    hand, goal, require = CardBag(hand - used), rest, still
                    break
            else:
                level += 1
        return chosen

    def covering(self, hand: CardBag, *, require: bool) -> list[Candidate]:
        """Return a heaviest choice that uses all of *hand*, which `cover` found possible."""
        chosen: list[Candidate] = []
        goal = self._cover(hand)[require]
        while hand:
            for used, weight, wanted, candidate in self._groups[_lowest(hand)]:
                still = require and not wanted
                rest = self._cover(hand - used)[still] if includes(hand, used) else NEVER
                if rest >= 0 and weight + rest == goal:
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


def _lowest(hand: int) -> CardBag:
    return ONE[(hand & -hand).bit_length() - 1 >> 2]
