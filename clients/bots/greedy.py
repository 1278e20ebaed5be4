"""Goes out where it can, else leaves as little deadwood as possible."""

from clients.bots.base import Bot
from clients.bots.suits import evenly
from engine.moves import Play
from engine.stand_in import greedy
from engine.views import SeatView


class GreedyBot(Bot):
    """The published stand-in of the same name, as a bot that treats all suits alike."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:  # noqa: ARG002 - finds its own
        """Return the greedy play."""
        return evenly(greedy, view.position)
