"""The bots that come with rummyref, by the names that `rummyref bot run` takes."""

from functools import partial
from typing import Final

from clients.bots.cautious import CautiousBot
from clients.bots.dial import DialBot
from clients.bots.faulty.catalogue import FAULTY
from clients.bots.greedy import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.bots.remembering import RememberingBot
from clients.bots.runner import MakeBot, Runner
from clients.session import RawSession

BOTS: Final[dict[str, MakeBot]] = {
    "random": RandomBot,
    "dial-25": partial(DialBot, 25),
    "dial-50": partial(DialBot, 50),
    "dial-75": partial(DialBot, 75),
    "greedy": GreedyBot,
    "cautious": CautiousBot,
    "remembering": RememberingBot,
}
"""The bots that play fair, by name."""


def run_bot(name: str, session: RawSession, seed: int | None) -> int:
    """Run the bot *name* in *session* until it is stopped; return the number of matches.

    Without a token it registers as a guest of its name.

    Raises:
        SessionError: The referee refuses it or cannot be reached.
    """
    if not session.token:
        session.register(name)
    runner = FAULTY[name].runner if name in FAULTY else Runner
    return runner(session, BOTS.get(name, GreedyBot), seed).run()
