"""Greedy, with an eye on what the next seat collects."""

from clients.bots.base import Bot
from engine.cards import EMPTY, Card, CardBag
from engine.moves import Discard, Play
from engine.rules.position import Phase
from engine.stand_in import greedy
from engine.verify import can
from engine.views import SeatView

_DANGER_POINTS = 3
"""What feeding one known card of the next seat weighs against deadwood."""


class CautiousBot(Bot):
    """Discards what the next seat is least likely to want."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:  # noqa: ARG002 - finds its own
        """Return the greedy play, its last card chosen with care where it goes on."""
        position = view.position
        play = greedy(position)
        last = play.moves[-1]
        if not isinstance(last, Discard) or len(play.moves) > 1 or view.round.phase is not Phase.PLAY:
            return play
        wanted = self._wanted_by_next(view)
        losses = view.rules.arranger.losses(view.hand, has_run=view.round.has_run(view.seat))
        best = min(
            losses,
            key=lambda card: (
                losses[card] + _DANGER_POINTS * self._danger(card, wanted),
                -view.rules.points.cost(card),
                card.index,
            ),
        )
        chosen = Play((Discard(best),))
        return chosen if can(position, chosen) else play

    def _wanted_by_next(self, view: SeatView) -> CardBag:
        """Return what is known to be in the next seat's hand."""
        following = (view.seat + 1) % view.round.players
        return view.round.known[following]

    def _danger(self, card: Card, wanted: CardBag) -> int:
        """Return how many melds of three *card* would make with two cards, one of them known."""
        if wanted == EMPTY or card.is_joker:
            return 0
        partners = self.rules.arranger.partners
        return partners.wanted(wanted, card, 1, 1)
