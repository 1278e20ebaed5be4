"""Debts: what a move obliges its play to settle before it ends.

The only mechanism for "you must then …" in any family.
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from engine.cards import Card, listed
from engine.reasons import Reason, Violation
from engine.rules.position import Draft


class Debt(Protocol):
    """Something owed by a play."""

    @property
    def card(self) -> Card | None:
        """The card owed, a copy of which in a new meld settles the debt; None for others."""

    @property
    def due(self) -> int | None:
        """The only move (number from 0) that can settle it; None for any later one."""

    def violation(self, draft: Draft) -> Violation | None:
        """Return what is wrong if the play ended as *draft* stands, or None."""


@cache
def melds_next(card: Card, due: int) -> "tuple[MeldCard, ...]":
    """Return the debt of a taken card that move number *due*, and no other, must meld."""
    return (MeldCard(card, Reason.TAKEN_CARD_NOT_MELDED, due),)


@dataclass(frozen=True, slots=True)
class MeldCard:
    """A card that must go into a new meld of this play.

    Attributes:
        card: The card as held.
        reason: Why it is refused while this is open.
        due: The only move that can settle it, None for any later one.
    """

    card: Card
    reason: Reason
    due: int | None = None

    def violation(self, draft: Draft) -> Violation | None:  # noqa: ARG002 - open until removed
        """Refuse: a settled debt is removed, so this one is open."""
        return Violation(self.reason, {"card": self.card.text})


@dataclass(frozen=True, slots=True)
class GoOut:
    """This play must go out."""

    card: Card | None = None
    due: int | None = None

    def violation(self, draft: Draft) -> Violation | None:
        """Refuse while a card is left in the hand."""
        if not draft.hand:
            return None
        left = " ".join(card.text for card in listed(draft.hand))
        return Violation(Reason.MUST_GO_OUT, {"left": left})


@dataclass(frozen=True, slots=True)
class ReachBar:
    """The melds laid in this play must be worth a number of points.

    Attributes:
        bar: Points needed.
    """

    bar: int
    card: Card | None = None
    due: int | None = None

    def violation(self, draft: Draft) -> Violation | None:
        """Refuse below the bar."""
        points = sum(draft.rules.points.worth(meld) for meld in draft.laid)
        return Violation(Reason.OPENING_TOO_LOW, {"points": points, "bar": self.bar}) if points < self.bar else None


@dataclass(frozen=True, slots=True)
class HaveCleanRun:
    """There must be a run without a joker among the melds laid in this play."""

    card: Card | None = None
    due: int | None = None

    def violation(self, draft: Draft) -> Violation | None:
        """Refuse without one."""
        clean = any(meld.clean and meld.sequence for meld in draft.laid)
        return None if clean else Violation(Reason.NO_CLEAN_RUN)
