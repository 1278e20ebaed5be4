"""As greedy as it is told to be: a bot of known strength between random and greedy."""

from clients.bots.random_bot import RandomBot
from clients.bots.suits import evenly
from engine.moves import Play
from engine.rules.ruleset import RuleSet
from engine.shuffle import ByteStream
from engine.stand_in import greedy
from engine.views import SeatView


class DialBot(RandomBot):
    """Plays as greedy does in so many of a hundred decisions, else at random."""

    def __init__(self, percent: int, rules: RuleSet, seed: int) -> None:
        """Sit down, greedy in *percent* (0 to 100) of a hundred decisions."""
        super().__init__(rules, seed)
        self._percent = percent

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the greedy play or one of *offers*."""
        if ByteStream(self.key(view, "dial")).below(100) < self._percent:
            return evenly(greedy, view.position)
        return super().play(view, offers)
