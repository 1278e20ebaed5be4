"""Questions about a hand, each a weight for the one search.

Nothing here knows a family: what a run and a set are, what cards cost and
whether melds count without a run are parameters.
"""

from dataclasses import dataclass
from typing import Final

from engine.arrange.candidates import Candidate, CandidateTable
from engine.arrange.partners import Partners
from engine.arrange.search import Packing, Weigh
from engine.cards import (
    CARDS,
    EACH,
    JOKER,
    NATURALS,
    ONE,
    Card,
    CardBag,
    bag,
    distinct,
    includes,
    is_several,
    listed,
    size,
)
from engine.melds import Meld, MeldKind, MeldRules, PointTable
from engine.reasons import RuleViolation

_WORTH_BITS: Final = 12
"""Room for the second criterion below the first; no hand's melds are worth 4,096 points."""

_LEFT_KEPT: Final = 10_000

RUN_WEIGHT, SET_WEIGHT = 6, 4
RUN_LACKING, SET_LACKING = 10, 2
"""Points that one completion of a near meld weighs, with a run or lacking it."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand parted into melds and the rest.

    Attributes:
        melds: By lowest card; touching runs are joined.
        left: Cards in no meld, canonical order.
        left_points: What *left* costs on the family's score sheet, not negative.
        meld_points: What the melds are worth laid down, not negative.
    """

    melds: tuple[Meld, ...]
    left: tuple[Card, ...]
    left_points: int
    meld_points: int


@dataclass(frozen=True, slots=True)
class WayOut:
    """One way to go out.

    Attributes:
        discard: The closing card.
        melds: Melds of every other card of the hand, by lowest card.
        points: What the melds are worth laid down.
    """

    discard: Card
    melds: tuple[Meld, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Opening:
    """Melds that meet the bar of a first laying down.

    Attributes:
        melds: At least one of them a run without a joker, by lowest card.
        points: What they are worth laid down.
    """

    melds: tuple[Meld, ...]
    points: int


class Arranger:
    """Answers about hands of one family. Equal questions get equal answers.

    Attributes:
        table: The candidates of the family.
        needs_run: Whether melds count only beside a run.
    """

    __slots__ = ("_costs", "_left", "_prices", "needs_run", "partners", "points", "table")

    def __init__(self, melds: MeldRules, points: PointTable, *, needs_run: bool) -> None:
        """Answer for the family of *melds* and *points*."""
        self.table: Final = CandidateTable.of(melds, points)
        self.points: Final = points
        self.needs_run: Final = needs_run
        self.partners: Final = Partners(melds)
        self._left: dict[tuple[CardBag, bool], int] = {}
        self._costs: Final = [points.cost(card) for card in CARDS]
        self._prices: Final = _prices(points)

    def cost(self, hand: CardBag) -> int:
        """Return what all cards of *hand* cost, melded or not."""
        ones, twos, fours = hand & EACH, hand >> 1 & EACH, hand >> 2 & EACH
        total = 0
        for price, cards in self._prices:
            total += price * (ones & cards).bit_count()
            if twos or fours:
                total += price * (2 * (twos & cards).bit_count() + 4 * (fours & cards).bit_count())
        return total

    def has_run(self, hand: CardBag) -> bool:
        """Return whether *hand* holds a run, jokers included."""
        return self.table.has_run(hand)

    def left_points(self, hand: CardBag, *, has_run: bool = False) -> int:
        """Return the least points that *hand* can be left with.

        Args:
            hand: The cards.
            has_run: Whether a run of this seat lies on the table already.
        """
        key = (hand, has_run)
        known = self._left.get(key)
        if known is None:
            if len(self._left) >= _LEFT_KEPT:
                self._left.clear()
            known = self._left[key] = self.cost(hand) - self._saved(hand, require=self.needs_run and not has_run)
        return known

    def _saved(self, hand: CardBag, *, require: bool) -> int:
        """Return the greatest cost that melds of *hand* take away."""
        candidates = self._worth_packing(hand)
        if not candidates or (require and not any(candidate.is_run for candidate in candidates)):
            return 0
        best = Packing(candidates, _cost, _is_run).best(hand)
        return best.kept if require else best.free

    def best_discard(self, hand: CardBag, *, has_run: bool = False) -> Card:
        """Return the discard that leaves least deadwood; ties the dearest, then canonical.

        A joker only where nothing else is held.
        """
        return self._least(self.left_without(hand, has_run=has_run))

    def hopeful_discard(self, hand: CardBag, *, has_run: bool = False) -> Card:
        """Return the discard whose loss hurts least; ties the dearest, then canonical."""
        return self._least(self.losses(hand, has_run=has_run))

    def _least(self, marks: dict[Card, int]) -> Card:
        costs, least = self._costs, min(marks.values())
        return max((card for card in marks if marks[card] == least), key=lambda card: (costs[card.index], -card.index))

    def left_without(self, hand: CardBag, *, has_run: bool = False) -> dict[Card, int]:
        """Return the least points left after each discard, by card.

        One search serves all discards, and what it leaves loose costs no more search. A joker is listed only where
        nothing else is held.
        """
        require = self.needs_run and not has_run
        whole, loose = self.cost(hand), self.table.loose(hand)
        rest = CardBag(hand - loose)
        candidates = self.table.of_hand(rest) if rest else []
        saves = bool(candidates) and (not require or any(candidate.is_run for candidate in candidates))
        packing = Packing(candidates, _cost, _is_run) if saves else None
        chosen = packing.choice(rest, require=require) if packing is not None else []
        most, melded = sum(candidate.cost for candidate in chosen), sum(candidate.used for candidate in chosen)
        marks: dict[Card, int] = {}
        for card in [card for card in distinct(hand) if not card.is_joker] or [JOKER]:
            saved, one = most, ONE[card.index]
            if packing is not None and not includes(loose, one) and not includes(CardBag(rest - one), CardBag(melded)):
                best = packing.best(CardBag(rest - one))
                saved = max(best.kept, 0) if require else best.free
            marks[card] = whole - self._costs[card.index] - saved
        return marks

    def losses(self, hand: CardBag, *, has_run: bool = False) -> dict[Card, int]:
        """Return what each discard costs: deadwood left and near melds given up, by card.

        Each completion that the card has with others weighs as points; where
        melds need a run that is missing, completions of runs weigh more.
        """
        lacking = self.needs_run and not has_run
        weights = (RUN_LACKING, SET_LACKING) if lacking else (RUN_WEIGHT, SET_WEIGHT)
        return {
            card: left + self.partners.wanted(hand, card, *weights)
            for card, left in self.left_without(hand, has_run=has_run).items()
        }

    def arrange(self, hand: CardBag, *, has_run: bool = False) -> Arrangement:
        """Return the arrangement with least points left, then most meld points."""
        chosen = self._choose(hand, _least_left, has_run=has_run)
        return self._arrangement(hand, chosen)

    def best_laid(self, hand: CardBag, *, has_run: bool = False) -> Arrangement:
        """Return the arrangement whose melds are worth most laid down."""
        return self._arrangement(hand, self._choose(hand, _worth, has_run=has_run))

    def best_balance(self, hand: CardBag, *, has_run: bool = False) -> Arrangement:
        """Return the arrangement with the greatest meld points less points left."""
        return self._arrangement(hand, self._choose(hand, _balance, has_run=has_run))

    def cards_short(self, hand: CardBag, *, has_run: bool = False) -> int:
        """Return how many cards are loose beyond the one to discard, 0 if *hand* can go out.

        A hand without the run it needs counts all its cards but one.
        """
        chosen = self._choose(hand, _cards, has_run=has_run)
        return max(size(hand) - sum(size(candidate.used) for candidate in chosen) - 1, 0)

    def ways_out(
        self, hand: CardBag, *, has_run: bool = False, using: Card | None = None, bar: int | None = None
    ) -> list[WayOut]:
        """Return the dearest way out for each distinct discard, canonical order.

        Args:
            hand: Cards after drawing; all but the discard go into melds.
            has_run: Whether a run of this seat lies on the table already.
            using: A card one copy of which must be melded, not discarded.
            bar: Points that the melds must reach with a clean run among them, None without such a bar.
        """
        loose = self.table.loose(hand)
        if is_several(loose):
            return []
        candidates = self.table.of_hand(CardBag(hand - loose))
        uncovered = _uncovered(hand, candidates)
        if len(uncovered) > 1:
            return []
        require = bar is not None or (self.needs_run and not has_run)
        packing = Packing(candidates, _worth, _is_run if bar is None else _is_clean_run)
        ways = []
        for discard in uncovered or distinct(hand):
            rest = CardBag(hand - ONE[discard.index])
            best = packing.cover(rest)
            if (best.kept if require else best.free) < 0:
                continue
            if (using is None or includes(rest, ONE[using.index])) and (bar is None or best.kept >= bar):
                chosen = packing.covering(rest, require=require)
                # Joined to another one a clean run may not be clean.
                melds = self._joined(chosen) if bar is None else _in_place(chosen)
                ways.append(WayOut(discard, melds, sum(map(self.points.worth, melds))))
        return ways

    def opening(self, hand: CardBag, bar: int) -> Opening | None:
        """Return the dearest melds with a clean run that reach *bar*; a card remains."""
        candidates = self.table.of_hand(hand)
        packing = Packing(candidates, _worth, _is_clean_run)
        best: Opening | None = None
        for part in self._keeping_one(hand, packing):
            chosen = packing.choice(part, require=True)
            points = sum(candidate.worth for candidate in chosen)
            if points >= bar and (best is None or points > best.points):
                best = Opening(tuple(candidate.meld for candidate in chosen), points)
        return best

    def melds_with(self, card: Card, others: CardBag) -> list[Meld]:
        """Return cut melds of *card* and two or more of *others*, dearest first.

        Jokers of *others* may be used; *card* stands as itself.
        """
        one = ONE[card.index]
        hand = CardBag(others + one) if not includes(others, one) else others
        loose = self.table.loose(hand)
        if includes(loose, one):
            return []
        rest, most = CardBag(hand - loose), CardBag(others + one)
        found = [candidate for candidate in self.table.with_card(rest, card) if includes(most, candidate.used)]
        if len(found) > 1:
            found.sort(key=_dearest)
        return [candidate.meld for candidate in found]

    def _choose(self, hand: CardBag, weigh: Weigh, *, has_run: bool) -> list[Candidate]:
        candidates, require = self._worth_packing(hand), self.needs_run and not has_run
        if not candidates or (require and not any(candidate.is_run for candidate in candidates)):
            return []
        return Packing(candidates, weigh, _is_run).choice(hand, require=require)

    def _worth_packing(self, hand: CardBag) -> list[Candidate]:
        """Return the candidates of *hand*, found from the cards that are not loose."""
        rest = CardBag(hand - self.table.loose(hand))
        return self.table.of_hand(rest) if rest else []

    def _keeping_one(self, hand: CardBag, packing: Packing) -> list[CardBag]:
        """Return parts of *hand* whose best choice leaves a card of it to discard."""
        if packing.best(hand).kept < 0:
            return []
        if sum(size(candidate.used) for candidate in packing.choice(hand, require=True)) < size(hand):
            return [hand]
        return [
            part
            for part in (CardBag(hand - ONE[card.index]) for card in distinct(hand))
            if packing.best(part).kept >= 0
        ]

    def _arrangement(self, hand: CardBag, chosen: list[Candidate]) -> Arrangement:
        if not chosen:
            return Arrangement((), listed(hand), self.cost(hand), 0)
        melds = self._joined(chosen)
        left = CardBag(hand - sum(candidate.used for candidate in chosen))
        return Arrangement(melds, listed(left), self.cost(left), sum(map(self.points.worth, melds)))

    def _joined(self, chosen: list[Candidate]) -> tuple[Meld, ...]:
        """Return the melds of *chosen*, runs that touch end to end made one."""
        melds: list[Meld] = []
        for meld in _in_place(chosen):
            joined = self._join(melds[-1], meld) if melds else None
            if joined:
                melds[-1] = joined
            else:
                melds.append(meld)
        return tuple(melds)

    def _join(self, low: Meld, high: Meld) -> Meld | None:
        if low.kind is not MeldKind.RUN or high.kind is not MeldKind.RUN:
            return None
        try:
            meld = self.table.melds.read(low.cards + high.cards, name_jokers=False)
        except RuleViolation:
            return None
        return meld if self.points.worth(meld) == self.points.worth(low) + self.points.worth(high) else None


def _prices(points: PointTable) -> tuple[tuple[int, CardBag], ...]:
    """Return each cost of a card with the bag of the cards that cost it."""
    prices: dict[int, list[Card]] = {}
    for card in (*NATURALS, JOKER):
        prices.setdefault(points.cost(card), []).append(card)
    return tuple((price, bag(cards)) for price, cards in prices.items() if price)


def _cost(candidate: Candidate) -> int:
    return candidate.cost


def _least_left(candidate: Candidate) -> int:
    return (candidate.cost << _WORTH_BITS) + candidate.worth


def _worth(candidate: Candidate) -> int:
    return candidate.worth


def _balance(candidate: Candidate) -> int:
    return candidate.worth + candidate.cost


def _dearest(candidate: Candidate) -> tuple[int, CardBag]:
    return -candidate.worth, candidate.used


def _cards(candidate: Candidate) -> int:
    return len(candidate.meld.cards)


def _is_run(candidate: Candidate) -> bool:
    return candidate.is_run


def _is_clean_run(candidate: Candidate) -> bool:
    return candidate.is_clean_run


def _in_place(chosen: list[Candidate]) -> tuple[Meld, ...]:
    return tuple(sorted((candidate.meld for candidate in chosen), key=_place))


def _place(meld: Meld) -> tuple[int, int, int]:
    """Order melds: runs by suit and start, then sets by their lowest card."""
    naturals = [card for card in meld.cards if not card.is_joker]
    if meld.kind is MeldKind.RUN:
        return 0, naturals[0].index // 13, meld.start
    return 1, min(card.index for card in naturals), len(meld.cards)


def _uncovered(hand: CardBag, candidates: list[Candidate]) -> list[Card]:
    """Return the cards of *hand* that fit no candidate, copies counted."""
    melded = 0
    for candidate in candidates:
        melded |= candidate.used
    return [card for card in listed(hand) if not includes(CardBag(melded), ONE[card.index])]
