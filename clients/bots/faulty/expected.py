"""What must come of a bot that misbehaves, at each of its tables in a ladder."""

from enum import Enum, unique
from typing import NamedTuple

from clients.bots.runner import Runner


@unique
class Outcome(Enum):
    """How the tables of an entrant end for it."""

    PLAYS = "plays"
    """Nothing comes of it: no fault, no forfeit."""

    STRIKES = "strikes"
    """It answers nothing: each of its turns is a fault, the third forfeits the match."""

    CRASHES = "crashes"
    """Each table is forfeited once: as `crashed` while it lives, as `never_came` from its last end on."""

    NEVER_COMES = "never_comes"
    """Each table is forfeited as `never_came`."""


class Expected(NamedTuple):
    """What must come of a bot.

    Attributes:
        outcome: How its tables end for it. Nobody else at them has a fault or forfeits.
        fault: Cause of every fault of it, empty where it has none.
        crashes: Fewest and most tables forfeited as `crashed` where it is started again once and plays
            one table at a time.
    """

    outcome: Outcome
    fault: str = ""
    crashes: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        """Return it for people: the outcome and what causes it."""
        return f"{self.outcome.value.replace('_', ' ')}{f': {self.fault}' if self.fault else ''}"


class Faulty(NamedTuple):
    """A bot that misbehaves.

    Attributes:
        runner: What runs it.
        expected: What must come of it.
    """

    runner: type[Runner]
    expected: Expected


PLAYS = Expected(Outcome.PLAYS)
TOO_LATE = Expected(Outcome.STRIKES, "time_out")
ILLEGAL = Expected(Outcome.STRIKES, "illegal")
NEVER_COMES = Expected(Outcome.NEVER_COMES)
CRASHES_TWICE = Expected(Outcome.CRASHES, crashes=(2, 2))
"""Once in each of its two lives."""
