"""Runs a bot: one session, as many tables at once as it is told."""

import sys
from collections.abc import Callable
from typing import Final

from clients.bots.base import Bot
from clients.bots.cautious import CautiousBot
from clients.bots.greedy import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.messages import Answered, Asked, Noticed, Over, Seated
from clients.session import Session, Wishes
from engine.offers import offered
from engine.rules.ruleset import RuleSet

MakeBot = Callable[[RuleSet, int], Bot]

BOTS: Final[dict[str, MakeBot]] = {"random": RandomBot, "greedy": GreedyBot, "cautious": CautiousBot}
"""The bots that play fair, by name."""

_TRIES: Final = 3


class Runner:
    """Plays every table that the referee seats its session at."""

    def __init__(self, session: Session, make_bot: MakeBot, seed: int | None = None) -> None:
        """Play with bots made by *make_bot*; *seed* replaces the seed of every deal."""
        self._session = session
        self._make_bot = make_bot
        self._seed = seed
        self._bots: dict[tuple[str, int], Bot] = {}
        self._open: dict[tuple[str, int], tuple[Asked, int]] = {}

    def run(self, *, matches: int | None = None) -> int:
        """Play until the session is closed, or *matches* have ended; return how many did.

        Raises:
            SessionError: The session cannot go on.
        """
        ended = 0
        for message in self._session.messages():
            match message:
                case Seated(seat):
                    seed = seat.bot_seed if self._seed is None else self._seed
                    self._bots.setdefault((seat.table_id, seat.seat), self._make_bot(seat.rules, seed))
                case Asked():
                    self._open[message.seat.table_id, message.seat.seat] = (message, 1)
                    self._play(message, 1)
                case Answered() if message.refused is not None:
                    self._try_again(message)
                case Over(seat):
                    ended += 1
                    self._bots.pop((seat.table_id, seat.seat), None)
                    self._open.pop((seat.table_id, seat.seat), None)
                    if ended == matches:
                        self._session.close()
                case Noticed(reason, text):
                    sys.stderr.write(f"referee: {reason}: {text}\n")
                case _:
                    pass
        return ended

    def _play(self, asked: Asked, attempt: int) -> None:
        bot = self._bots[asked.seat.table_id, asked.seat.seat]
        offers = asked.offers or offered(asked.view.position)
        play = bot.play(asked.view, offers) if attempt <= _TRIES else offers[0]
        self._session.submit(asked, play, attempt)

    def _try_again(self, answer: Answered) -> None:
        key = (answer.seat.table_id, answer.seat.seat)
        asked, attempt = self._open.get(key, (None, 0))
        if asked is None or asked.decision_id != answer.decision_id or answer.attempt != attempt:
            return
        if answer.refused is not None:
            self._bots[key].refused(answer.refused, answer.message)
        self._open[key] = (asked, attempt + 1)
        self._play(asked, attempt + 1)


def run_bot(name: str, address: str, token: str, capacity: int, seed: int | None) -> int:
    """Run the bot *name* until it is stopped; return the number of matches.

    Without a *token* it registers as a guest of its name.

    Raises:
        SessionError: The referee refuses it or cannot be reached.
    """
    session = Session(address, token, Wishes(capacity=capacity, name=f"rummyref-{name}"))
    if not token:
        session.register(name)
    return Runner(session, BOTS[name], seed).run()
