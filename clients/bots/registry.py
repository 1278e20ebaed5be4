"""The bots that come with rummyref, by the names that `rummyref bot run` takes."""

from typing import Final

from clients.bots.cautious import CautiousBot
from clients.bots.faulty.crash import CrashingRunner
from clients.bots.faulty.illegal import IllegalRunner
from clients.bots.faulty.late import LateRunner
from clients.bots.faulty.silent import SilentRunner
from clients.bots.greedy import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.bots.runner import MakeBot, Runner
from clients.session import Session

BOTS: Final[dict[str, MakeBot]] = {"random": RandomBot, "greedy": GreedyBot, "cautious": CautiousBot}
"""The bots that play fair, by name."""

FAULTY: Final[dict[str, type[Runner]]] = {
    "crash": CrashingRunner,
    "silent": SilentRunner,
    "illegal": IllegalRunner,
    "late": LateRunner,
}
"""The bots that misbehave, by name: what a referee must bear."""


def run_bot(name: str, session: Session, seed: int | None) -> int:
    """Run the bot *name* in *session* until it is stopped; return the number of matches.

    Without a token it registers as a guest of its name.

    Raises:
        SessionError: The referee refuses it or cannot be reached.
    """
    if not session.token:
        session.register(name)
    return FAULTY.get(name, Runner)(session, BOTS.get(name, GreedyBot), seed).run()
