"""A match: rounds until the end condition, and the dealers between them."""

from typing import NamedTuple

from engine.cards import Card
from engine.events import DealerDrawn, Event, HandShown, MatchCause, MatchOver, RoundOver
from engine.moves import Play
from engine.round import Round, deal, play_in
from engine.rules.position import PublicRound
from engine.rules.ruleset import DealerFacts, RuleSet
from engine.shuffle import Dealing


class PlayedRound(NamedTuple):
    """A round as the score sheet has it. Audience: public.

    Attributes:
        points: Points of the round, per seat.
        totals: Totals after it, per seat.
        closer: Seat that went out, None if nobody did.
    """

    points: tuple[int, ...]
    totals: tuple[int, ...]
    closer: int | None


class Match(NamedTuple):
    """A match in play. Audience: the referee alone.

    Attributes:
        rules: Rule set of the table.
        dealing: Where the cards come from.
        round: The round in play, or the last one.
        history: Rounds played, oldest first.
        totals: Totals, per seat.
        over: The end of the match, None while it goes on.
    """

    rules: RuleSet
    dealing: Dealing
    round: Round
    history: tuple[PlayedRound, ...]
    totals: tuple[int, ...]
    over: MatchOver | None

    @property
    def public(self) -> PublicRound:
        """What anybody may know of the round."""
        return self.round.public

    @property
    def turn(self) -> int | None:
        """Seat to act, None once the match is over."""
        return None if self.over else self.round.public.turn


def start(rules: RuleSet, dealing: Dealing) -> tuple[Match, list[Event]]:
    """Begin a match: find the first dealer and deal the first round."""
    events: list[Event] = []
    dealer = 0
    if rules.deal.dealer_by_draw:
        drawn = draw_dealer(dealing.dealer_deck(rules.deck), rules.players)
        dealer = drawn.dealer
        events.append(drawn)
    first, dealt = deal(rules, dealing, 0, dealer)
    return Match(rules, dealing, first, (), (0,) * rules.players, None), events + dealt


def draw_dealer(deck: tuple[Card, ...], players: int) -> DealerDrawn:
    """Draw for the first dealer: joker highest, then A K … 2; the tied highest draw again."""
    draws: list[tuple[int, Card]] = []
    tied = list(range(players))
    cards = iter(deck)
    while len(tied) > 1:
        again = [(seat, next(cards)) for seat in tied]
        draws += again
        best = max(_height(card) for _, card in again)
        tied = [seat for seat, card in again if _height(card) == best]
    return DealerDrawn(tuple(draws), tied[0])


def _height(card: Card) -> int:
    return 14 if card.is_joker else "23456789TJQKA".index(card.rank)


def apply(match: Match, seat: int, play: Play, *, stand_in: bool = False) -> tuple[Match, list[Event]]:
    """Return the match after *play* of *seat*, and what is told of it.

    When the play ends the round it is scored and the next one dealt.

    Raises:
        RuleViolation: The play is refused; *match* is as before.
    """
    after, events = play_in(match.round, match.dealing, seat, play, stand_in=stand_in)
    if after.public.end is None:
        return Match(match.rules, match.dealing, after, match.history, match.totals, None), events
    return _book(match._replace(round=after), events)


def _book(match: Match, events: list[Event]) -> tuple[Match, list[Event]]:
    rules, public = match.rules, match.round.public
    points = rules.scoring.points(rules, match.round.ended())
    totals = tuple(total + gain for total, gain in zip(match.totals, points, strict=True))
    history = (*match.history, PlayedRound(points, totals, public.closer))
    if public.end is None:
        raise AssertionError("only an ended round is booked")
    events = [*events, RoundOver(public.index, public.end, public.closer, points, totals)]
    if rules.options["show_hands"]:
        events += [HandShown(seat, hand) for seat, hand in enumerate(match.round.hands)]
    match = match._replace(history=history, totals=totals)
    if rules.length.is_over(tuple(played.totals for played in history), tied=len(rules.leaders(totals)) > 1):
        over = MatchOver(MatchCause.PLAYED_OUT, totals, rules.leaders(totals))
        return match._replace(over=over), [*events, over]
    dealer = rules.dealers.next_dealer(DealerFacts(public.dealer, public.closer, points, totals))
    following, dealt = deal(rules, match.dealing, public.index + 1, dealer)
    return match._replace(round=following), events + dealt
