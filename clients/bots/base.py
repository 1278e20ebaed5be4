"""What a bot is: one method."""

from abc import ABC, abstractmethod

from engine.moves import Play
from engine.reasons import Violation
from engine.rules.ruleset import RuleSet
from engine.views import SeatView


class Bot(ABC):
    """Plays one seat of one match.

    Attributes:
        rules: Rules of the table.
        seed: Number for this seat and deal; a bot that draws its randomness from
            it and from the view plays alike every time.
    """

    def __init__(self, rules: RuleSet, seed: int) -> None:
        """Sit down."""
        self.rules = rules
        self.seed = seed

    @abstractmethod
    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the play for the decision that is due.

        Args:
            view: What the seat knows.
            offers: Plays that would be accepted; never empty.
        """

    def refused(self, violation: Violation, message: str) -> None:  # noqa: B027 - optional to override
        """Learn why the last play was refused; `play` is asked again."""
