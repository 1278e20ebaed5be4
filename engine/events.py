"""Events: what an audience is told of an entry.

Every event names its audience: a seat, or None for everybody. A drawn card is
an event of the drawer's own, never a field left empty for others.
"""

from dataclasses import dataclass
from enum import Enum, unique

from engine.cards import Card, CardBag
from engine.moves import Play
from engine.rules.position import RoundEnd


@unique
class MatchCause(Enum):
    """Why a match ended."""

    PLAYED_OUT = "played_out"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class DealerDrawn:
    """The first dealer was drawn for.

    Attributes:
        draws: Seat and card, in the order drawn; ties draw again.
        dealer: Seat that drew highest.
    """

    draws: tuple[tuple[int, Card], ...]
    dealer: int


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A round was dealt.

    Attributes:
        round: Number of the round, from 0.
        dealer: Seat that dealt.
        starter: Seat that acts first.
        hand_sizes: Cards dealt, per seat.
        stock_size: Cards left in the stock.
        turn_up: Card turned up beside the stock, None where there is none.
    """

    round: int
    dealer: int
    starter: int
    hand_sizes: tuple[int, ...]
    stock_size: int
    turn_up: Card | None


@dataclass(frozen=True, slots=True)
class YouWereDealt:
    """A seat's own cards. Audience: that seat.

    Attributes:
        seat: The seat.
        hand: Its cards.
        twin: Whether a copy of the turn-up is among them.
    """

    seat: int
    hand: CardBag
    twin: bool


@dataclass(frozen=True, slots=True)
class StockReshuffled:
    """The discards below the top became a new stock.

    Attributes:
        stock_size: Cards in it.
    """

    stock_size: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat drew from the stock.

    Attributes:
        seat: The seat.
        stock_size: Cards left in the stock.
    """

    seat: int
    stock_size: int


@dataclass(frozen=True, slots=True)
class YouDrew:
    """The card a seat drew. Audience: that seat.

    Attributes:
        seat: The seat.
        card: The card.
    """

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class PlayMade:
    """A seat made a play other than drawing.

    Attributes:
        seat: The seat.
        play: Its moves; jokers are named.
        stand_in: Whether the stand-in played for the seat.
    """

    seat: int
    play: Play
    stand_in: bool


@dataclass(frozen=True, slots=True)
class RoundOver:
    """A round is over and scored.

    Attributes:
        round: Number of the round, from 0.
        end: Why.
        closer: Seat that went out, None if nobody did.
        points: Points of the round, per seat.
        totals: Totals after it, per seat.
    """

    round: int
    end: RoundEnd
    closer: int | None
    points: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandShown:
    """A hand shown when its round is over, where the table says so.

    Attributes:
        seat: Whose.
        hand: The cards.
    """

    seat: int
    hand: CardBag


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The match is over.

    Attributes:
        cause: Why.
        totals: Final totals, per seat.
        winners: Seats that win, in seat order; several share.
    """

    cause: MatchCause
    totals: tuple[int, ...]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatPresence:
    """Somebody left a seat or came back to it.

    Attributes:
        seat: The seat.
        present: True if its player is there.
    """

    seat: int
    present: bool


Event = (
    DealerDrawn | RoundDealt | YouWereDealt | StockReshuffled | CardDrawn | YouDrew
    | PlayMade | RoundOver | HandShown | MatchOver | SeatPresence
)  # fmt: skip


def audience(event: Event) -> int | None:
    """Return the only seat that may be told of *event*, None for everybody."""
    return event.seat if isinstance(event, YouWereDealt | YouDrew) else None
