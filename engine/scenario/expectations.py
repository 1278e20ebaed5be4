"""What a scenario may expect of the play above, each a value that compares itself.

An expectation speaks of the round in which the play was made, which may have
ended with it and the next one been dealt.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from engine.cards import JOKER, Card, CardBag, bag, listed
from engine.match import Match, PlayedRound
from engine.moves import Lay, LayOff, Play
from engine.notation import show_cards, show_play
from engine.offers import offered
from engine.reasons import Reason, RuleViolation, Violation
from engine.round import Round
from engine.verify import check


class Seen(NamedTuple):
    """What a play led to. Audience: whoever wrote the scenario.

    Attributes:
        before: The match before the play; as set up where none was made yet.
        seat: Seat that made it, None where none was made yet.
        play: The play, None where none was made or it could not be read.
        violation: Why it was refused, None if it was not.
        round: The round of the play as the play left it.
        match: The match after it.
    """

    before: Match
    seat: int | None
    play: Play | None
    violation: Violation | None
    round: Round
    match: Match

    @property
    def last(self) -> PlayedRound | None:
        """The round scored last."""
        return self.match.history[-1] if self.match.history else None


class Comparison(NamedTuple):
    """What was expected, what came, and whether they are equal.

    Attributes:
        equal: Whether the expectation is met.
        wanted: What was expected, for people.
        got: What came, for people.
    """

    equal: bool
    wanted: str
    got: str


class Expectation(Protocol):
    """Something that must hold after a play."""

    def compare(self, seen: Seen) -> Comparison:
        """Return how *seen* meets it."""


def verdict(violation: Violation | None) -> str:
    """Return acceptance or refusal in words."""
    return "ok" if violation is None else f"refused {violation.reason.name} ({violation})"


def signed(points: int) -> str:
    """Return *points* as the score sheet has them, such as `+40`."""
    return f"{points:+d}" if points else "0"


def seats(numbers: Iterable[int]) -> str:
    """Return seat numbers parted by blanks, `nobody` for none."""
    return " ".join(map(str, numbers)) or "nobody"


def _bag_text(held: CardBag) -> str:
    return show_cards(listed(held)) or "no cards"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The play is accepted."""

    def compare(self, seen: Seen) -> Comparison:
        """Compare the verdict."""
        return Comparison(seen.violation is None, "ok", verdict(seen.violation))


@dataclass(frozen=True, slots=True)
class Refused:
    """The play is refused.

    Attributes:
        reason: For this reason; None for any.
    """

    reason: Reason | None

    def compare(self, seen: Seen) -> Comparison:
        """Compare the verdict."""
        met = seen.violation is not None and self.reason in (None, seen.violation.reason)
        wanted = f"refused {self.reason.name}" if self.reason else "refused"
        return Comparison(met, wanted, verdict(seen.violation))


@dataclass(frozen=True, slots=True)
class DebtsOpen:
    """The moves of the play are legal so far and leave exactly these debts.

    Attributes:
        reasons: Reasons for which they would refuse the play, in order.
    """

    reasons: tuple[Reason, ...]

    def compare(self, seen: Seen) -> Comparison:
        """Compare the debts in order; the missing discard is not among them."""
        wanted = self._text(self.reasons)
        if seen.play is None or seen.seat is None:
            return Comparison(False, wanted, "no play")
        try:
            found = check(seen.before.round.position(seen.seat), seen.play)
        except RuleViolation as refusal:
            return Comparison(False, wanted, verdict(refusal.violation))
        open_now = tuple(debt.reason for debt in found if debt.reason is not Reason.PLAY_UNFINISHED)
        return Comparison(open_now == self.reasons, wanted, self._text(open_now))

    @staticmethod
    def _text(reasons: tuple[Reason, ...]) -> str:
        return f"debts: {' '.join(reason.name for reason in reasons) or 'none'}"


OF_A_PLAY: Final = (Accepted, Refused, DebtsOpen)
"""Expectations that judge a play, and mean nothing without one."""


@dataclass(frozen=True, slots=True)
class HandIs:
    """A seat holds exactly these cards.

    Attributes:
        seat: The seat.
        cards: The cards as a multiset.
    """

    seat: int
    cards: CardBag

    def compare(self, seen: Seen) -> Comparison:
        """Compare multisets."""
        held = seen.round.hands[self.seat]
        return Comparison(held == self.cards, f"hand {self.seat}: {_bag_text(self.cards)}", _bag_text(held))


@dataclass(frozen=True, slots=True)
class PileIs:
    """A face-up pile shows exactly these cards.

    Attributes:
        name: `discards`, or `row N`.
        row: Number of the pile.
        cards: The cards, top first.
    """

    name: str
    row: int
    cards: tuple[Card, ...]

    def compare(self, seen: Seen) -> Comparison:
        """Compare in order."""
        pile = seen.round.public.piles[self.row]
        wanted = f"{self.name}: {show_cards(self.cards) or 'no cards'}"
        return Comparison(pile == self.cards, wanted, show_cards(pile) or "no cards")


@dataclass(frozen=True, slots=True)
class MeldIs:
    """A meld of a seat lies on the table.

    Attributes:
        seat: Seat that laid it.
        cards: Its cards in any order; a joker named only if that matters.
    """

    seat: int
    cards: tuple[Card, ...]

    def compare(self, seen: Seen) -> Comparison:
        """Look for the meld among those of the seat."""
        melds = [laid.meld for laid in seen.round.public.melds if laid.owner == self.seat]
        wanted = f"meld {self.seat}: {show_cards(self.cards)}"
        shown = " / ".join(show_cards(meld.cards) for meld in melds) or "no meld"
        plain = JOKER in self.cards
        if plain:
            return Comparison(any(meld.held == bag(self.cards) for meld in melds), wanted, shown)
        return Comparison(any(Counter(meld.cards) == Counter(self.cards) for meld in melds), wanted, shown)


@dataclass(frozen=True, slots=True)
class StockSize:
    """The stock has this many cards.

    Attributes:
        cards: The number.
    """

    cards: int

    def compare(self, seen: Seen) -> Comparison:
        """Compare numbers."""
        left = seen.round.public.stock_size
        return Comparison(left == self.cards, f"stock {self.cards}", str(left))


@dataclass(frozen=True, slots=True)
class ScoreIs:
    """A seat made these points in the round just ended.

    Attributes:
        seat: The seat.
        points: Signed as on the score sheet.
    """

    seat: int
    points: int

    def compare(self, seen: Seen) -> Comparison:
        """Compare points."""
        wanted = f"score {self.seat}: {signed(self.points)}"
        if seen.last is None or not seen.round.is_over:
            return Comparison(False, wanted, "no round just ended")
        points = seen.last.points[self.seat]
        return Comparison(points == self.points, wanted, signed(points))


@dataclass(frozen=True, slots=True)
class TotalIs:
    """A seat's total.

    Attributes:
        seat: The seat.
        points: Signed as on the score sheet.
    """

    seat: int
    points: int

    def compare(self, seen: Seen) -> Comparison:
        """Compare points."""
        total = seen.match.totals[self.seat]
        return Comparison(total == self.points, f"total {self.seat}: {signed(self.points)}", signed(total))


@dataclass(frozen=True, slots=True)
class RoundIsOver:
    """The play ended its round, and perhaps the match."""

    def compare(self, seen: Seen) -> Comparison:
        """Compare the end of the round."""
        return Comparison(seen.round.is_over, "over", "the round goes on")


@dataclass(frozen=True, slots=True)
class Wins:
    """The match is over and these seats are among its winners.

    Attributes:
        seats: The seats.
    """

    seats: tuple[int, ...]

    def compare(self, seen: Seen) -> Comparison:
        """Compare the winners."""
        wanted = f"winner {seats(self.seats)}"
        if seen.match.over is None:
            return Comparison(False, wanted, "the match goes on")
        winners = seen.match.over.winners
        return Comparison(set(self.seats) <= set(winners), wanted, seats(winners))


@dataclass(frozen=True, slots=True)
class TurnIs:
    """A seat is to act next.

    Attributes:
        seat: The seat.
    """

    seat: int

    def compare(self, seen: Seen) -> Comparison:
        """Compare seats."""
        turn = seen.match.turn
        got = "nobody, the match is over" if turn is None else str(turn)
        return Comparison(turn == self.seat, f"turn {self.seat}", got)


@dataclass(frozen=True, slots=True)
class Offered:
    """A play is among those offered to a seat.

    Attributes:
        seat: The seat.
        play: The play; melds laid side by side and cards of sets in any order.
    """

    seat: int
    play: Play

    def compare(self, seen: Seen) -> Comparison:
        """Look for the play among the offers."""
        offers = offered(seen.match.round.position(self.seat))
        met = _plain(self.play) in map(_plain, offers)
        return Comparison(met, f"offers {self.seat}: {show_play(self.play)}", f"{len(offers)} offers without it")


def _plain(play: Play) -> list[tuple[str, object]]:
    """Return *play* with nothing in it that is only a manner of writing."""
    plain: list[tuple[str, object]] = []
    lays: list[CardBag] = []
    for move in play.moves:
        if isinstance(move, Lay):
            lays.append(bag(move.cards))
            continue
        plain += [("lay", held) for held in sorted(lays)]
        lays = []
        plain.append(("move", LayOff(move.meld, None, move.cards) if isinstance(move, LayOff) else move))
    return plain + [("lay", held) for held in sorted(lays)]
