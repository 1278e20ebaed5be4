"""The value that is a family of rules, and what its small policies must offer."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, unique
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Protocol

from engine.arrange.queries import Arranger
from engine.cards import Card, CardBag
from engine.melds import Meld, MeldRules, PointTable
from engine.rules.debts import Debt
from engine.rules.options import Option, Options
from engine.rules.position import Draft, PublicRound

RULES_VERSION: Final = 2
"""Raised when the same play could lead elsewhere than before; recorded in replays.

1: with draw streams the first card of the stock belonged to the seat that drew first, not to
the one that acted first, where that one does not draw.
"""

LONGEST_MATCH: Final = 100
"""Rounds after which an endless match ends and its seed can be shown."""


@dataclass(frozen=True, slots=True)
class DeckSpec:
    """Cards of a round.

    Attributes:
        packs: Packs of 52.
        jokers: Jokers in all.
    """

    packs: int
    jokers: int


@dataclass(frozen=True, slots=True)
class DealSpec:
    """How a round begins. The dealer acts first.

    Attributes:
        hand_size: Cards for each seat.
        starter_extra: Further cards for the seat that acts first, which then does not draw.
        turn_up: Whether a card is turned up beside the stock.
        dealer_by_draw: Whether the first dealer is drawn for; else seat 0 deals.
    """

    hand_size: int
    starter_extra: int = 0
    turn_up: bool = False
    dealer_by_draw: bool = False


@dataclass(frozen=True, slots=True)
class PileRule:
    """Where discards go and what may be taken of them.

    Attributes:
        row_per_seat: One row a seat, fed by its right neighbour; else one pile for all.
        depth: How many cards from the top may be reached.
        joker_blocks: Whether a joker on top makes the row unreachable.
    """

    row_per_seat: bool
    depth: int
    joker_blocks: bool = False

    def own(self, seat: int) -> int:
        """Return the number of the pile that *seat* may take from."""
        return seat if self.row_per_seat else 0

    def fed(self, seat: int, players: int) -> int:
        """Return the number of the pile that the discards of *seat* go to."""
        return (seat + 1) % players if self.row_per_seat else 0


@dataclass(frozen=True, slots=True)
class StockRule:
    """What happens as the stock runs out.

    Attributes:
        ends_round_at_once: The round ends with the turn that drew the last card.
        reshuffles: The discards below the top become a new stock.
        idle_limit: Reshuffles allowed with no card going to the table in between.
        stall_orbits: Orbits of turns without a draw that end the round; 0 for no limit.
    """

    ends_round_at_once: bool = False
    reshuffles: bool = False
    idle_limit: int = 0
    stall_orbits: int = 0


class TakeRule(Protocol):
    """What taking a discard, or the turn-up, obliges to."""

    def debts(self, draft: Draft, card: Card) -> tuple[Debt, ...]:
        """Return what is owed after *card* was taken in *draft*."""

    @property
    def about(self) -> str:
        """The debt in words."""


class LayRule(Protocol):
    """What laying a meld needs and obliges to."""

    def verify(self, draft: Draft, meld: Meld, settled: list[Debt]) -> None:
        """Raise `RuleViolation` if *meld*, which settles *settled*, may not be laid now."""

    def debts(self, draft: Draft, settled: list[Debt]) -> tuple[Debt, ...]:
        """Return what is owed after a meld that settles *settled* was laid."""

    @property
    def about(self) -> str:
        """Condition and debt in words."""


class GrowRule(Protocol):
    """When melds on the table may be added to and jokers swapped."""

    def verify(self, draft: Draft) -> None:
        """Raise `RuleViolation` if this seat may not touch the melds on the table now."""

    @property
    def about(self) -> str:
        """The condition in words."""


@dataclass(frozen=True, slots=True)
class MoveRules:
    """Which moves there are beyond draw, lay and discard, and their debts.

    Attributes:
        take: Taking a discard.
        lay: Laying a meld.
        take_turn_up: Taking the turn-up; None where there is no such move.
        grow: Lay-offs and swaps; None where there are none.
        run_to_go_out: Whether going out needs an own run on the table.
        opening: Points that a first laying down must reach; None without such a bar.
    """

    take: TakeRule
    lay: LayRule
    take_turn_up: TakeRule | None = None
    grow: GrowRule | None = None
    run_to_go_out: bool = False
    opening: int | None = None


class DealerFacts(NamedTuple):
    """What the choice of the next dealer may depend on.

    Attributes:
        dealer: Last dealer.
        closer: Seat that went out, None if nobody did.
        points: Points of the round, per seat.
        totals: Totals after it, per seat.
    """

    dealer: int
    closer: int | None
    points: tuple[int, ...]
    totals: tuple[int, ...]


class DealerRule(Protocol):
    """Who deals the next round."""

    def next_dealer(self, facts: DealerFacts) -> int:
        """Return the seat."""

    @property
    def about(self) -> str:
        """The rule in words."""


class EndedRound(NamedTuple):
    """A round to be scored. Holds every hand: never leaves the engine.

    Attributes:
        public: The round as it ended.
        hands: What each seat holds, per seat.
        twin: Seat that was dealt a copy of the turn-up, None if none was.
    """

    public: PublicRound
    hands: tuple[CardBag, ...]
    twin: int | None


class Scoring(Protocol):
    """Points of a round."""

    def points(self, rules: "RuleSet", ended: EndedRound) -> tuple[int, ...]:
        """Return the points of each seat, signed as on the family's score sheet."""

    @property
    def about(self) -> tuple[str, ...]:
        """The scoring in words, one sentence each."""


@unique
class ScoreSense(Enum):
    """Which totals win."""

    HIGH_WINS = 1
    LOW_WINS = -1


@dataclass(frozen=True, slots=True)
class MatchLength:
    """When a match is over, asked after each round.

    Attributes:
        rounds: Fixed number of rounds; 0 for none.
        target: The match ends when a total reaches this or falls to minus this; 0 for no such end.
        limit: The match ends when a total is above this; 0 for no such end.
        extra_rounds: Most rounds added while the lead is tied.
    """

    rounds: int
    target: int = 0
    limit: int = 0
    extra_rounds: int = 0

    def is_over(self, history: tuple[tuple[int, ...], ...], *, tied: bool) -> bool:
        """Return whether a match has met its end.

        Args:
            history: Totals after each round, oldest first.
            tied: Whether the lead is shared now.
        """
        if len(history) >= LONGEST_MATCH:
            return True
        met = [self._met(number, totals) for number, totals in enumerate(history, start=1)]
        if not met[-1]:
            return False
        return not tied or sum(met) > self.extra_rounds

    def _met(self, number: int, totals: tuple[int, ...]) -> bool:
        return (
            number >= (self.rounds or LONGEST_MATCH)
            or (self.target > 0 and not -self.target < min(totals) <= max(totals) < self.target)
            or (self.limit > 0 and max(totals) > self.limit)
        )


@dataclass(frozen=True)
class RuleSet:
    """A family with its options set: everything that rules decide.

    Attributes:
        family: Kebab-case id of the family.
        preset: Name under which it was asked for.
        options: Every option of the family and its value.
        declared: The options as the family declares them.
        deck: Cards of a round.
        deal: How a round begins.
        melds: What counts as a meld.
        points: What cards are worth.
        pile: Where discards go.
        stock: What happens as the stock runs out.
        moves: Moves and their debts.
        dealers: Who deals next.
        scoring: Points of a round.
        sense: Which totals win.
        length: When a match is over.
        version: Version of the rules, `RULES_VERSION` but for old replays.
    """

    family: str
    preset: str
    options: Options
    declared: tuple[Option, ...]
    deck: DeckSpec
    deal: DealSpec
    melds: MeldRules
    points: PointTable
    pile: PileRule
    stock: StockRule
    moves: MoveRules
    dealers: DealerRule
    scoring: Scoring
    sense: ScoreSense
    length: MatchLength
    version: int = RULES_VERSION

    @property
    def players(self) -> int:
        """Number of seats."""
        return int(self.options["players"])

    @cached_property
    def arranger(self) -> Arranger:
        """The meld search for hands at tables; all that play by like rules share it and what it remembers."""
        return _arranger(self.melds, self.points, self.moves.run_to_go_out, "tables")

    @cached_property
    def public_arranger(self) -> Arranger:
        """The meld search for hands that anybody asks about: how soon it answers tells nothing of hands at tables."""
        return _arranger(self.melds, self.points, self.moves.run_to_go_out, "anybody")

    def leaders(self, totals: tuple[int, ...]) -> tuple[int, ...]:
        """Return the seats that would win with *totals*, in seat order."""
        best = max(total * self.sense.value for total in totals)
        return tuple(seat for seat, total in enumerate(totals) if total * self.sense.value == best)


@lru_cache(maxsize=32)
def _arranger(melds: MeldRules, points: PointTable, needs_run: bool, _whose: str) -> Arranger:  # noqa: FBT001
    return Arranger(melds, points, needs_run=needs_run)


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of options of a family.

    Attributes:
        name: Kebab-case; unique over all families.
        about: One line for people.
        values: Options that differ from the family's defaults.
        seats: Least and most seats.
    """

    name: str
    about: str
    values: Options
    seats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of rules: what its one module exports.

    Attributes:
        name: Kebab-case id.
        title: Name for people.
        options: Options that a table may set, their defaults before any preset.
        presets: Named choices; the first one is the standard game.
        build: Makes the rule set of a preset's name, the declared options and
            their values. Raises `OptionError` where values contradict each other.
    """

    name: str
    title: str
    options: tuple[Option, ...]
    presets: tuple[Preset, ...]
    build: Callable[[str, tuple[Option, ...], Options], RuleSet]
