"""A position to be asked about, and a session that a test writes the script of."""

from collections.abc import Iterable, Iterator

from clients.bots.base import Bot
from clients.messages import Answered, Asked, Incoming, Over, Seated, SeatInfo
from clients.session import Session
from engine.match import start
from engine.moves import Play
from engine.offers import offered
from engine.reasons import Reason, Violation
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import SeededDealing
from engine.views import SeatView, seat_view

RULES = rule_set("remi", {"players": 2, "rounds": 1})
VIEW = seat_view(start(RULES, SeededDealing(bytes(32)))[0], 0)
SEAT = SeatInfo("table", 0, RULES, 7, VIEW, ("anna", "ben"), 0)
SEATED, OVER = Seated(SEAT), Over(SEAT, (1, 2), (1,))


def asked(decision: int, offers: tuple[Play, ...] = (), allowance_s: float | None = None) -> Asked:
    """Return a decision of the first seat."""
    return Asked(SEAT, decision, VIEW, offers, allowance_s)


def refused(decision: int, attempt: int, reason: Reason = Reason.DRAW_NOT_ALONE) -> Answered:
    """Return the refusal of a try."""
    return Answered(SEAT, decision, attempt, Violation(reason), "no", ())


class Scripted(Session):
    """A session whose messages the test has written; remembers what is submitted."""

    def __init__(self, script: Iterable[Incoming]) -> None:
        """Say *script*, then end."""
        super().__init__("nowhere", "")
        self.script = script
        self.submitted: list[tuple[int, int, Play]] = []
        self.is_closed = False

    def messages(self) -> Iterator[Incoming]:
        """Yield the script."""
        yield from self.script

    def submit(self, asked: Asked, play: Play, attempt: int = 1, *, validate_only: bool = False) -> None:
        """Remember it."""
        self.submitted.append((asked.decision_id, attempt, play))

    def close(self) -> None:
        """Remember that."""
        self.is_closed = True


class LastOffer(Bot):
    """Plays the last offer and remembers what it was told."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        """Remember the seed."""
        super().__init__(rules, seed)
        self.told: list[Violation] = []
        MADE.append(self)

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the last offer."""
        return offers[-1]

    def refused(self, violation: Violation, message: str) -> None:
        """Remember it."""
        self.told.append(violation)


MADE: list[LastOffer] = []
OFFERS = offered(VIEW.position)
