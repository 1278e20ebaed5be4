"""Remembers every deal it has seen and looks for it again: what a ladder's design must make worthless.

Where a set is played in rotation, a bot sees one deal from every seat. This one notes what
it was dealt and drew and what the other seat showed, in its process only. At another table
of the deal it then knows the hand across and cards that it will draw itself. It finds the
deal again although suits are relabelled. It knows how to do so at tables of two; at others,
and where it recognises nothing, it plays as greedy does.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from clients.bots.base import Bot
from clients.bots.playing_out import best_of, imagined
from clients.bots.suits import RELABELLINGS, evenly
from engine.cards import (
    EACH,
    EMPTY,
    NATURALS_MASK,
    ONE,
    Card,
    CardBag,
    bag,
    includes,
    less,
    listed,
    overlap,
    relabelled,
    relabelled_bag,
    size,
)
from engine.moves import DRAW, Discard, Play
from engine.offers import offered
from engine.round import Round
from engine.rules.ruleset import RuleSet
from engine.stand_in import greedy
from engine.views import SeatView

_REMEMBERED: Final = 32
"""Deals that are kept, the newest."""

_ALIKE: Final = 0.6
"""Share of the cards seen here that must have been seen on the other side there, for two deals to be the same."""


@dataclass(slots=True)
class SeenDeal:
    """A round of two as one seat saw it.

    Attributes:
        rules: Its rules.
        seat: The seat.
        moment: Number of the round and who dealt it.
        dealt: Cards that were dealt to the seat.
        drawn: Cards that it drew, in order.
        shown: Cards of the other seat that came to the table, in the order in which they were seen.
    """

    rules: RuleSet
    seat: int
    moment: tuple[int, int]
    dealt: CardBag
    drawn: list[Card] = field(default_factory=list)
    shown: list[Card] = field(default_factory=list)

    @property
    def own(self) -> CardBag:
        """All cards that the deal gave this seat so far."""
        return CardBag(self.dealt + bag(self.drawn))

    def see(self, view: SeatView) -> None:
        """Note the cards on the table that the deal has not given this seat."""
        public = view.round
        table = bag(card.held_as for pile in public.piles for card in pile)
        melds = bag(card.held_as for laid in public.melds for card in laid.meld.cards)
        seen = CardBag(table + melds + view.hand + public.known[1 - self.seat])
        others = less(seen, self.own)
        self.shown += listed(less(others, bag(self.shown)))


class Found(NamedTuple):
    """A remembered deal that is the same as another.

    Attributes:
        seen: It.
        suits: Where its suits (S H D C) went.
    """

    seen: SeenDeal
    suits: tuple[int, ...]


class RememberingBot(Bot):
    """Greedy, but where it knows the deal it throws with care.

    Attributes:
        memory: The deals that this process has seen at all its tables, the newest last.
    """

    memory: Final[deque[SeenDeal]] = deque(maxlen=_REMEMBERED)

    def __init__(self, rules: RuleSet, seed: int) -> None:
        """Sit down."""
        super().__init__(rules, seed)
        self._deal: SeenDeal | None = None
        self._before_draw = EMPTY

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:  # noqa: ARG002 - finds its own
        """Return the greedy play, its lone discard chosen by what is known of the deal."""
        play = evenly(greedy, view.position)
        if self.rules.players == 2:
            deal = self._look(view)
            self._before_draw = view.hand if play == DRAW else EMPTY
            if len(play.moves) == 1 and isinstance(play.moves[0], Discard):
                found = recognised(deal, self.memory)
                if found is not None:
                    plays = [other for other in offered(view.position) if len(other.moves) == 1]
                    return best_of([play, *plays], _foreseen(deal, found, view), view.seat)
        return play

    def _look(self, view: SeatView) -> SeenDeal:
        moment = (view.round.index, view.round.dealer)
        deal = self._deal
        if deal is None or deal.moment != moment:
            deal = self._deal = SeenDeal(self.rules, view.seat, moment, view.hand)
            self.memory.append(deal)
        elif self._before_draw != EMPTY:
            deal.drawn += listed(less(view.hand, self._before_draw))
        deal.see(view)
        return deal


def recognised(deal: SeenDeal, memory: Iterable[SeenDeal]) -> Found | None:
    """Return the remembered deal that is most surely the same as *deal*, None if none is."""
    best, best_match = None, _ALIKE
    for seen in memory:
        if (seen.seat, seen.moment, seen.rules) != (1 - deal.seat, deal.moment, deal.rules):
            continue
        shown = bag(seen.shown)
        for suits in RELABELLINGS:
            match = _match(deal, relabelled_bag(seen.own, suits), relabelled_bag(shown, suits))
            if match > best_match:
                best, best_match = Found(seen, suits), match
    return best


def _match(deal: SeenDeal, across: CardBag, shown: CardBag) -> float:
    """Return which share of what *deal* has is as if *across* were the other seat's and *shown* its own; 0 if none."""
    own, others = deal.own, bag(deal.shown)
    if not includes(CardBag(deal.rules.deck.packs * EACH), CardBag(own + across & NATURALS_MASK)):
        return 0.0
    return (size(overlap(own, shown)) + size(overlap(others, across))) / (size(own) + size(others))


def _foreseen(deal: SeenDeal, found: Found, view: SeatView) -> Round:
    """Return the round as it is, hidden cards included, as far as *found* tells."""
    dealt, drawn, shown = (
        relabelled(cards, found.suits) for cards in (listed(found.seen.dealt), found.seen.drawn, found.seen.shown)
    )
    gone = bag(deal.shown)
    across, theirs = less(bag(dealt), gone), list[Card]()
    for card in drawn:
        if size(across) < view.round.hand_sizes[1 - deal.seat]:
            across = CardBag(across + less(ONE[card.index], gone))
        elif not size(overlap(gone, ONE[card.index])):
            theirs.append(card)
    coming = less(bag(shown), deal.own)
    own = [card for card in shown if size(overlap(coming, ONE[card.index]))]
    return imagined(view, across, own, theirs)
