"""Moves and plays: what a seat submits, as values without any legality.

A *play* is an ordered list of moves applied whole or not at all. Cards may be
named jokers only inside `Lay` and `LayOff`.
"""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from engine.cards import CARDS, Card


@unique
class End(Enum):
    """An end of a run on the table."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the top of the stock; always alone in its play."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take a face-up discard this seat may reach.

    Attributes:
        depth: 1 for the top; the cards above come along.
    """

    depth: int


@dataclass(frozen=True, slots=True)
class TakeTurnUp:
    """Take the card turned up beside the stock."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a new meld from hand.

    Attributes:
        cards: In a run low to high; in a set in any order.
    """

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class LayOff:
    """Add cards to a meld on the table.

    Attributes:
        meld: Number of the meld, from 1 in the order laid this round.
        end: End of a run; None where only one is possible, and for sets.
        cards: In the order in which they will stand in the run.
    """

    meld: int
    end: End | None
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Put a card from hand in the place of the joker that stands for it.

    Attributes:
        meld: Number of the meld, from 1 in the order laid this round.
        card: The natural card; the joker comes to hand.
    """

    meld: int
    card: Card


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a card, which ends the turn."""

    card: Card


Move = Draw | Take | TakeTurnUp | Lay | LayOff | Swap | Discard


@dataclass(frozen=True, slots=True)
class Play:
    """A list of moves, applied in order, whole or not at all."""

    moves: tuple[Move, ...]


DRAW: Final = Play((Draw(),))
"""The play of drawing from the stock."""

DISCARDS: Final = tuple(Play((Discard(card),)) for card in CARDS[:53])
"""The play of discarding one card and nothing else, by card index 0–52."""
