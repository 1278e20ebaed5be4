"""Views: what a viewer may know, built by white list from a match."""

from dataclasses import dataclass

from engine.cards import CardBag
from engine.match import Match, PlayedRound
from engine.rules.position import Position, PublicRound
from engine.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class PublicView:
    """What anybody may know of a match. Audience: public.

    Attributes:
        rules: Rule set of the table.
        round: The round in play, or the last one.
        history: Rounds played, oldest first.
        totals: Totals, per seat.
        over: Whether the match has ended.
    """

    rules: RuleSet
    round: PublicRound
    history: tuple[PlayedRound, ...]
    totals: tuple[int, ...]
    over: bool


@dataclass(frozen=True, slots=True)
class SeatView:
    """What one seat may know: the public view and its own cards. Audience: that seat.

    Attributes:
        public: What anybody may know.
        seat: The seat.
        hand: Its cards.
        twin: Whether it was dealt a copy of the turn-up this round.
    """

    public: PublicView
    seat: int
    hand: CardBag
    twin: bool

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.public.rules

    @property
    def round(self) -> PublicRound:
        """What anybody may know of the round."""
        return self.public.round

    @property
    def position(self) -> Position:
        """What legality depends on."""
        return Position(self.public.rules, self.public.round, self.seat, self.hand)


def public_view(match: Match) -> PublicView:
    """Return what anybody may know of *match*."""
    return PublicView(match.rules, match.round.public, match.history, match.totals, match.over is not None)


def seat_view(match: Match, seat: int) -> SeatView:
    """Return what *seat* may know of *match*."""
    return SeatView(public_view(match), seat, match.round.hands[seat], match.round.twin == seat)
