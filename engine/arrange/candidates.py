"""Every meld that a hand could lay, found from tables instead of permutations.

Runs are cut to three to five cards: each longer run is two of these end to end
and worth the same, so no arrangement is lost and far fewer need to be tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from engine.cards import (
    CARDS,
    EACH,
    EMPTY,
    JOKER,
    ONE,
    RANKS,
    SUIT_BITS,
    SUIT_MASK,
    SUITS,
    Card,
    CardBag,
    bag,
    includes,
    natural,
)
from engine.melds import Meld, MeldKind, MeldRules, PointTable
from engine.reasons import RuleViolation

_CHUNK_ONES: Final = int("1" * 13, 16)
_JOKER_SHIFT: Final = 4 * JOKER.index
_TABLE_KEPT: Final = 5_000
_CUT_LENGTHS: Final = (3, 4, 5)
_ALL_SUITS: Final = sum(1 << SUIT_BITS * suit for suit in range(4))


class Triples(NamedTuple):
    """Runs of three of one shape: the bits of their cards are equally far apart.

    Attributes:
        second: Bits from the lowest card to the next one.
        third: Bits from the lowest card to the last one.
        lows: The lowest cards that such runs have.
    """

    second: int
    third: int
    lows: int


class Candidate(NamedTuple):
    """A meld that could be laid from a hand.

    Attributes:
        low: Bag of one copy of its lowest natural card in canonical order.
        used: The cards it takes, jokers included.
        worth: Points laid down.
        cost: Points its cards would cost where they are left.
        is_run: Run, with or without joker.
        is_clean_run: Run without joker.
        meld: The meld itself.
    """

    low: CardBag
    used: CardBag
    worth: int
    cost: int
    is_run: bool
    is_clean_run: bool
    meld: Meld


class Cut(NamedTuple):
    """A cut run as any hand could lay it.

    Attributes:
        ranks: One bit, four apart, for each rank of its natural cards.
        jokers: How many jokers it takes.
        candidate: The run.
    """

    ranks: int
    jokers: int
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """Candidates of one family, remembered by what a suit or a rank holds."""

    melds: MeldRules
    points: PointTable
    _runs: dict[tuple[int, int, int], tuple[Candidate, ...]]
    _sets: dict[tuple[int, int, int], tuple[Candidate, ...]]
    _cuts: dict[int, tuple[Cut, ...]]
    _triples: tuple[Triples, ...]

    @classmethod
    def of(cls, melds: MeldRules, points: PointTable) -> "CandidateTable":
        """Return an empty table for a family."""
        return cls(melds, points, {}, {}, {}, _triples(melds))

    def loose(self, hand: CardBag) -> CardBag:
        """Return the cards of *hand* that fit no meld of its cards: a quick look before any search.

        With a joker in the hand none is told to be loose.
        """
        if hand >> _JOKER_SHIFT:
            return EMPTY
        present = (hand | hand >> 1 | hand >> 2) & EACH
        ranks = (
            (present & SUIT_MASK)
            + (present >> SUIT_BITS & SUIT_MASK)
            + (present >> 2 * SUIT_BITS & SUIT_MASK)
            + (present >> 3 * SUIT_BITS)
        )
        # Adding five carries to eight where three suits or four are present.
        melded = (ranks + 5 * _CHUNK_ONES >> 3 & _CHUNK_ONES) * _ALL_SUITS
        for second, third, lows in self._triples:
            low = present & present >> second & present >> third & lows
            if low:
                melded |= low | low << second | low << third
        return CardBag(hand & ~(7 * melded))

    def of_hand(self, hand: CardBag) -> list[Candidate]:
        """Return every cut meld in *hand*, by lowest natural card, longer first."""
        jokers = hand >> _JOKER_SHIFT
        runs, suit_sum, chunks = self._runs, 0, []
        found: list[Candidate] = []
        for suit in range(4):
            chunk = hand >> SUIT_BITS * suit & SUIT_MASK
            present = (chunk | chunk >> 1 | chunk >> 2) & _CHUNK_ONES
            chunks.append(present)
            suit_sum += present
            if present:
                key = (suit, present, jokers)
                made = runs.get(key)
                found += made if made is not None else self._make_runs(*key)
        wanted = 2 if jokers and self.melds.sets.jokers_in(3) > 0 else 3
        ranks = suit_sum + (8 - wanted) * _CHUNK_ONES & 8 * _CHUNK_ONES
        while ranks:
            low = ranks & -ranks
            ranks -= low
            rank = low.bit_length() - 1 >> 2
            shift = 4 * rank
            suits = sum((chunk >> shift & 1) << suit for suit, chunk in enumerate(chunks))
            set_key = (rank, suits, jokers)
            made = self._sets.get(set_key)
            found += made if made is not None else self._make_sets(*set_key)
        if len(found) > 1:
            found.sort(key=_canonical)
        return found

    def with_card(self, hand: CardBag, card: Card) -> list[Candidate]:
        """Return every cut meld in *hand* that has *card* in it."""
        jokers, one = hand >> _JOKER_SHIFT, ONE[card.index]
        if card.is_joker:
            return [candidate for candidate in self.of_hand(hand) if includes(candidate.used, one)]
        suit, rank = divmod(card.index, 13)
        present = (hand | hand >> 1 | hand >> 2) & EACH
        column = present >> 4 * rank & _ALL_SUITS
        suits = (column | column >> SUIT_BITS - 1 | column >> 2 * SUIT_BITS - 2 | column >> 3 * SUIT_BITS - 3) & 15
        run_key = (suit, present >> SUIT_BITS * suit & SUIT_MASK, jokers)
        runs, sets = self._runs.get(run_key), self._sets.get((rank, suits, jokers))
        if runs is None:
            runs = self._make_runs(*run_key)
        if sets is None:
            sets = self._make_sets(rank, suits, jokers)
        return [candidate for candidate in (*runs, *sets) if candidate.used & 7 * one]

    def has_run(self, hand: CardBag) -> bool:
        """Return whether *hand* holds a run, jokers included."""
        if hand >> _JOKER_SHIFT:
            return any(candidate.is_run for candidate in self.of_hand(hand))
        present = (hand | hand >> 1 | hand >> 2) & EACH
        return any(present & present >> second & present >> third & lows for second, third, lows in self._triples)

    def _candidate(self, cards: tuple[Card, ...]) -> Candidate | None:
        try:
            meld = self.melds.read(cards, name_jokers=False)
        except RuleViolation:
            return None
        low = min(card.index for card in cards if not card.is_joker)
        is_run = meld.kind is MeldKind.RUN
        cost = sum(self.points.cost(card) for card in cards)
        return Candidate(ONE[low], meld.held, self.points.worth(meld), cost, is_run, is_run and meld.clean, meld)

    def _make_runs(self, suit: int, present: int, jokers: int) -> tuple[Candidate, ...]:
        cuts = self._cuts.get(suit)
        if cuts is None:
            cuts = self._cuts[suit] = self._cut_runs(suit)
        made = [cut.candidate for cut in cuts if cut.jokers <= jokers and not cut.ranks & ~present]
        return _keep(self._runs, (suit, present, jokers), made)

    def _cut_runs(self, suit: int) -> tuple[Cut, ...]:
        """Return every cut run of *suit*, jokers in all places that they may take."""
        cuts: dict[tuple[Card, ...], Cut] = {}
        for sequence in self.melds.runs.sequences:
            for length in _CUT_LENGTHS:
                for start in range(len(sequence) - length + 1):
                    naturals = [natural(rank, SUITS[suit]) for rank in sequence[start : start + length]]
                    for cards in _with_jokers(naturals, self.melds.runs.max_jokers):
                        candidate = self._candidate(cards) if cards not in cuts else None
                        if candidate is not None:
                            ranks = sum(1 << 4 * (card.index % 13) for card in cards if not card.is_joker)
                            cuts[cards] = Cut(ranks, cards.count(JOKER), candidate)
        return tuple(cuts.values())

    def _make_sets(self, rank: int, suits: int, jokers: int) -> tuple[Candidate, ...]:
        naturals = [CARDS[13 * suit + rank] for suit in range(4) if suits >> suit & 1]
        cards = [
            (*chosen, *([JOKER] * wild))
            for length in (3, 4)
            for wild in range(min(jokers, max(self.melds.sets.jokers_in(length), 0)) + 1)
            for chosen in combinations(naturals, length - wild)
        ]
        made = [candidate for candidate in map(self._candidate, cards) if candidate]
        return _keep(self._sets, (rank, suits, jokers), made)


def _keep(
    table: dict[tuple[int, int, int], tuple[Candidate, ...]], key: tuple[int, int, int], made: list[Candidate]
) -> tuple[Candidate, ...]:
    if len(table) >= _TABLE_KEPT:
        table.clear()
    table[key] = kept = tuple(made)
    return kept


def _triples(melds: MeldRules) -> tuple[Triples, ...]:
    """Return the runs of three of *melds* by shape."""
    shapes: dict[tuple[int, int], int] = {}
    for sequence in melds.runs.sequences:
        for start in range(len(sequence) - 2):
            low, second, third = sorted(RANKS.index(rank) for rank in sequence[start : start + 3])
            shape = (4 * (second - low), 4 * (third - low))
            shapes[shape] = shapes.get(shape, 0) | bag(CARDS[13 * suit + low] for suit in range(4))
    return tuple(Triples(*shape, lows) for shape, lows in shapes.items())


def _with_jokers(naturals: list[Card], most: int) -> Iterator[tuple[Card, ...]]:
    """Yield the cards of a run with up to *most* jokers in the places of some, fewest jokers first."""
    for wild in range(min(most, len(naturals) - 1) + 1):
        for places in combinations(range(len(naturals)), wild):
            yield tuple(JOKER if place in places else card for place, card in enumerate(naturals))


def _canonical(candidate: Candidate) -> tuple[int, int, int]:
    return candidate.low, -len(candidate.meld.cards), candidate.used
