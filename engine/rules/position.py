"""What a round looks like: to everybody, to one seat, and half-way through a play.

Rules and policies read these values; nothing here holds a hidden card of
another seat or the stock.
"""

from enum import Enum, unique
from typing import TYPE_CHECKING, NamedTuple

from engine.cards import Card, CardBag, size
from engine.melds import Meld
from engine.moves import LayOff

if TYPE_CHECKING:
    from engine.rules.debts import Debt
    from engine.rules.ruleset import RuleSet


@unique
class Phase(Enum):
    """Where a turn stands."""

    DRAW = "draw"
    PLAY = "play"
    OVER = "over"


@unique
class RoundEnd(Enum):
    """Why a round is over."""

    WENT_OUT = "went_out"
    STOCK_EMPTY = "stock_empty"
    STALLED = "stalled"


class TableMeld(NamedTuple):
    """A meld on the table.

    Attributes:
        owner: Seat that laid it.
        meld: The meld as it stands now, cards laid off by others included.
    """

    owner: int
    meld: Meld


class PublicRound(NamedTuple):
    """What anybody may know of a round. Audience: public.

    Attributes:
        index: Number of the round in its match, from 0.
        players: Number of seats.
        dealer: Seat that dealt.
        starter: Seat that acted first.
        turn: Seat to act; the last to act once the round is over.
        phase: What it is asked for.
        piles: Face-up piles, top first: one shared, or one a seat in seat order.
        melds: Melds in the order laid; meld `m1` is the first.
        opened: Per seat, whether it has laid a meld in an earlier or this turn.
        hand_sizes: Cards held, per seat.
        known: Per seat, cards taken face up and still in the hand for all anybody knows.
        stock_size: Cards in the stock.
        turn_up: Card turned up beside the stock, while it is there.
        dealt_turn_up: The same as it was dealt; stays when the card is taken.
        drew: Whether this turn began with a draw from the stock.
        dry_turns: Completed turns in a row without a draw.
        reshuffles: Times the discards became a new stock.
        idle_reshuffles: Of these, how many since a card last went to the table.
        closer: Seat that went out.
        closing_card: Card it discarded last.
        closed_unopened: Whether the closer had laid nothing before its last turn.
        end: Why the round is over; None while it goes on.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a round
    players: int
    dealer: int
    starter: int
    turn: int
    phase: Phase
    piles: tuple[tuple[Card, ...], ...]
    melds: tuple[TableMeld, ...]
    opened: tuple[bool, ...]
    hand_sizes: tuple[int, ...]
    known: tuple[CardBag, ...]
    stock_size: int
    turn_up: Card | None = None
    dealt_turn_up: Card | None = None
    drew: bool = False
    dry_turns: int = 0
    reshuffles: int = 0
    idle_reshuffles: int = 0
    closer: int | None = None
    closing_card: Card | None = None
    closed_unopened: bool = False
    end: RoundEnd | None = None

    def has_run(self, seat: int) -> bool:
        """Return whether a run that *seat* laid is on the table."""
        return bool(self.melds) and any(owner == seat and meld.sequence for owner, meld in self.melds)


class Position(NamedTuple):
    """What one seat knows of a round: all that legality may depend on.

    Attributes:
        rules: Rule set of the table.
        public: What everybody knows.
        seat: The seat that looks.
        hand: Its own cards.
    """

    rules: "RuleSet"
    public: PublicRound
    seat: int
    hand: CardBag


class Draft:
    """A play half-way: the position as the moves so far leave it.

    Attributes:
        rules: Rule set of the table.
        public: The round before the play.
        seat: Seat that plays.
        alone: Whether the play has one move only.
        drew: Whether that move drew from the stock.
        before: Hand before the play.
        hand: Hand now.
        step: Number of the move under way, from 0.
        phase: Phase now; `OVER` after the discard.
        melds: All melds on the table now.
        laid: New melds of this play.
        grown: Lay-offs of this play, their ends and jokers named.
        debts: What is still owed.
        taken: Cards taken from a pile, the one reached for last.
        took_turn_up: Whether the turn-up was taken.
        spent: Cards that left the hand for the table.
        discarded: The discard, once made.
    """

    __slots__ = (
        "alone", "before", "debts", "discarded", "drew", "grown", "hand", "laid", "melds", "phase",
        "public", "rules", "seat", "spent", "step", "taken", "took_turn_up",
    )  # fmt: skip

    def __init__(self, position: Position, *, alone: bool) -> None:
        """Begin a play from *position* whose only move is *alone*, or that has several."""
        self.rules, public, self.seat, hand = position
        self.public = public
        self.before = self.hand = hand
        self.alone = alone
        self.drew = False
        self.step = 0
        self.phase = public.phase
        self.melds: tuple[TableMeld, ...] = public.melds
        self.laid: tuple[Meld, ...] = ()
        self.grown: tuple[LayOff, ...] = ()
        self.debts: tuple[Debt, ...] = ()
        self.taken: tuple[Card, ...] = ()
        self.took_turn_up = False
        self.spent = CardBag(0)
        self.discarded: Card | None = None

    def copy(self) -> "Draft":
        """Return the same play half-way, to go on with in another way."""
        twin = Draft.__new__(Draft)
        twin.rules, twin.public, twin.seat, twin.alone = self.rules, self.public, self.seat, self.alone
        twin.before, twin.hand, twin.spent = self.before, self.hand, self.spent
        twin.step, twin.phase, twin.drew, twin.discarded = self.step, self.phase, self.drew, self.discarded
        twin.melds, twin.laid, twin.grown, twin.debts = self.melds, self.laid, self.grown, self.debts
        twin.taken, twin.took_turn_up = self.taken, self.took_turn_up
        return twin

    @property
    def opened_before(self) -> bool:
        """Whether this seat had opened before this turn."""
        return self.public.opened[self.seat]

    @property
    def hand_size(self) -> int:
        """Cards in the hand now."""
        return size(self.hand)

    def owns_run(self) -> bool:
        """Return whether a run of this seat lies on the table now."""
        return bool(self.melds) and any(owner == self.seat and meld.sequence for owner, meld in self.melds)
