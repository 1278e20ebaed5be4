"""Melds: what a run and a set are, as data, and the check of a declared meld.

A declared meld is read as it stands; no search is made to check it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from itertools import pairwise
from typing import Final

from engine.cards import SUITS, Card, CardBag, bag, joker_for, natural
from engine.reasons import Reason, RuleViolation

_NAMED_KEPT: Final = 4096


@unique
class MeldKind(Enum):
    """The two kinds of meld."""

    RUN = "run"
    SET = "set"


@dataclass(frozen=True, slots=True)
class Meld:
    """A valid meld, its jokers named.

    Attributes:
        kind: Run or set.
        cards: In a run low to high; in a set as laid. Every joker is named; in a
            set of four with two jokers the two names are interchangeable.
        start: Position of the first card on its rank sequence, for runs; 0 for sets.
        sequence: The rank sequence of a run; empty for sets.
        clean: True without a joker.
        held: The cards as they were in a hand.
    """

    kind: MeldKind
    cards: tuple[Card, ...]
    start: int
    sequence: str
    clean: bool
    held: CardBag


@dataclass(frozen=True, slots=True)
class RunRule:
    """A run is a stretch of one rank sequence, in one suit.

    Attributes:
        sequences: Rank letters low to high; a rank may occur at both ends.
        max_length: Longest run; the shortest has three cards.
        max_jokers: Most jokers in one run; 0 where there are none.
        min_naturals: Fewest natural cards in a run.
        jokers_may_touch: Whether two jokers may stand side by side.
    """

    sequences: tuple[str, ...]
    max_length: int
    max_jokers: int
    min_naturals: int = 1
    jokers_may_touch: bool = False


@dataclass(frozen=True, slots=True)
class SetRule:
    """A set is three or four cards of one rank, their suits different.

    Attributes:
        max_jokers: Most jokers by size of the set, such as `{3: 1, 4: 2}`.
        name_jokers: Whether a joker with two suits open must be named.
    """

    max_jokers: tuple[tuple[int, int], ...] = ((3, 0), (4, 0))
    name_jokers: bool = False

    def jokers_in(self, length: int) -> int:
        """Return the most jokers in a set of *length*, -1 if none has that length."""
        return dict(self.max_jokers).get(length, -1)


@dataclass(frozen=True, slots=True)
class MeldRules:
    """What counts as a meld in a family.

    Attributes:
        runs: What a run is.
        sets: What a set is.
    """

    runs: RunRule
    sets: SetRule
    _read: dict[tuple[Card, ...], Meld] = field(default_factory=dict, compare=False, repr=False)

    def read(self, cards: tuple[Card, ...], *, name_jokers: bool = True) -> Meld:
        """Read *cards*, as they stand, as a meld.

        Args:
            cards: In a run low to high; jokers plain or named.
            name_jokers: False to let a joker of a set stand for the first open
                suit where the rules would have it named (scoring, arrangement).

        Raises:
            RuleViolation: `JOKER_UNNAMED` or `MELD_INVALID`.
        """
        known = self._read.get(cards)
        if known is not None and not (name_jokers and self.sets.name_jokers and not known.clean):
            return known
        meld = self._read_anew(cards, name_jokers=name_jokers)
        if len(self._read) >= _NAMED_KEPT:
            self._read.clear()
        self._read[cards] = meld
        return meld

    def is_meld(self, cards: tuple[Card, ...]) -> bool:
        """Return whether *cards* are a meld as they stand."""
        try:
            self.read(cards)
        except RuleViolation:
            return False
        return True

    def _read_anew(self, cards: tuple[Card, ...], *, name_jokers: bool) -> Meld:
        naturals = [card for card in cards if not card.is_joker]
        if len(cards) < 3:
            raise invalid(cards, "a meld has at least three cards")
        if not naturals:
            raise invalid(cards, "a meld needs a natural card")
        if len(naturals) > 1 and all(card.rank == naturals[0].rank for card in naturals):
            return self._read_set(cards, naturals, name_jokers=name_jokers)
        return self._read_run(cards, naturals)

    def _read_set(self, cards: tuple[Card, ...], naturals: list[Card], *, name_jokers: bool) -> Meld:
        suits = {card.suit for card in naturals}
        jokers = len(cards) - len(naturals)
        most = self.sets.jokers_in(len(cards))
        if len(suits) < len(naturals):
            raise invalid(cards, "same suit twice in a set")
        if most < 0:
            raise invalid(cards, "a set has three or four cards")
        if jokers > most:
            raise invalid(cards, _too_many_jokers(most, "set"))
        rank = naturals[0].rank
        missing = [suit for suit in SUITS if suit not in suits]
        for card in cards:
            if card.is_joker and card.suit:
                if card.rank != rank or card.suit not in missing:
                    able = " or ".join(rank + suit for suit in missing) or "no card"
                    raise invalid(cards, f"the joker cannot stand for {card.face.text} there, only for {able}")
                missing.remove(card.suit)
        plain = sum(card.is_joker and not card.suit for card in cards)
        if plain < len(missing) and plain and self.sets.name_jokers and name_jokers:
            raise RuleViolation(Reason.JOKER_UNNAMED, example=rank + missing[0], cards=_text(cards))
        open_suits = iter(missing)
        standing = tuple(
            joker_for(natural(rank, next(open_suits))) if card.is_joker and not card.suit else card for card in cards
        )
        return Meld(MeldKind.SET, standing, 0, "", jokers == 0, bag(cards))

    def _read_run(self, cards: tuple[Card, ...], naturals: list[Card]) -> Meld:
        suit = naturals[0].suit
        jokers = len(cards) - len(naturals)
        if any(card.suit != suit for card in naturals):
            raise invalid(cards, "neither one rank nor one suit")
        if jokers > self.runs.max_jokers:
            raise invalid(cards, _too_many_jokers(self.runs.max_jokers, "run"))
        if len(naturals) < self.runs.min_naturals:
            raise invalid(cards, f"a run needs {self.runs.min_naturals} natural cards")
        if not self.runs.jokers_may_touch and any(
            first.is_joker and second.is_joker for first, second in pairwise(cards)
        ):
            raise invalid(cards, "two jokers stand side by side")
        if len(cards) > self.runs.max_length:
            raise invalid(cards, f"a run has at most {self.runs.max_length} cards")
        for sequence, start in self._stretches(cards):
            standing = tuple(
                joker_for(natural(sequence[start + place], suit)) if card.is_joker else card
                for place, card in enumerate(cards)
            )
            _check_names(cards, standing)
            return Meld(MeldKind.RUN, standing, start, sequence, jokers == 0, bag(cards))
        raise invalid(cards, "not consecutive low to high")

    def _stretches(self, cards: Sequence[Card]) -> list[tuple[str, int]]:
        """Return every (sequence, start) along which the naturals of *cards* lie."""
        return [
            (sequence, start)
            for sequence in self.runs.sequences
            for start in range(len(sequence) - len(cards) + 1)
            if all(card.is_joker or card.rank == sequence[start + place] for place, card in enumerate(cards))
        ]


def _check_names(cards: Sequence[Card], standing: Sequence[Card]) -> None:
    for card, stood in zip(cards, standing, strict=True):
        if card not in (stood, stood.held_as):
            raise invalid(cards, f"in its place the joker {card.text} stands for {stood.face.text}")


def _text(cards: Sequence[Card]) -> str:
    return " ".join(card.text for card in cards)


def _too_many_jokers(most: int, kind: str) -> str:
    if most == 0:
        return f"no joker may stand in such a {kind}"
    return "more than one joker" if most == 1 else f"more than {most} jokers"


def invalid(cards: Sequence[Card], problem: str) -> RuleViolation:
    """Return the refusal of *cards* as a meld for *problem*."""
    return RuleViolation(Reason.MELD_INVALID, cards=_text(cards), problem=problem)


@dataclass(frozen=True, slots=True)
class PointTable:
    """What cards are worth, laid and left.

    Attributes:
        laid: Points by rank letter in a meld; the ace's as in a set.
        left: Points by rank letter that a card costs on the score sheet.
        left_joker: What a joker costs there.
        low_ace: Points of an ace at the low end of a run.
        high_ace: Points of an ace at the high end of a run.
        laid_joker: Points of a joker in a meld; None for the card it stands for.
    """

    laid: dict[str, int]
    left: dict[str, int]
    left_joker: int = 0
    low_ace: int = 0
    high_ace: int = 0
    laid_joker: int | None = None

    def __hash__(self) -> int:
        """Hash all of it, so that what is worked out from it can be kept."""
        prices = (*self.laid.items(), *self.left.items())
        return hash((prices, self.left_joker, self.low_ace, self.high_ace, self.laid_joker))

    def worth(self, meld: Meld) -> int:
        """Return the points of *meld* laid down, jokers by the card they stand for."""
        total = 0
        for place, card in enumerate(meld.cards):
            if card.is_joker and self.laid_joker is not None:
                total += self.laid_joker
            elif meld.kind is MeldKind.RUN and card.rank == "A":
                total += self.low_ace if place == 0 else self.high_ace
            else:
                total += self.laid[card.rank]
        return total

    def cost(self, card: Card) -> int:
        """Return the points that *card* costs where it is left, not negative."""
        return self.left_joker if card.is_joker else self.left[card.rank]
