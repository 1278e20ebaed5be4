"""Runs a bot: one session, as many tables at once as it is told."""

import sys
from collections.abc import Callable
from typing import Final

from clients.bots.base import Bot
from clients.messages import TOO_LATE, Answered, Asked, Noticed, Over, Seated, SeatInfo, Voided
from clients.session import Session
from engine.offers import offered
from engine.reasons import Violation
from engine.rules.ruleset import RuleSet

MakeBot = Callable[[RuleSet, int], Bot]

_TRIES: Final = 3
"""Plays of the bot's own for one decision; after them an offer is sent."""


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
                    self._sit(seat)
                case Asked():
                    self._open[message.seat.table_id, message.seat.seat] = (message, 1)
                    self._play(message, 1)
                case Answered(refused=Violation() as refused) if refused.reason not in TOO_LATE:
                    self._try_again(message, refused)
                case Over(SeatInfo(table_id, seat_number)) | Voided(table_id, seat_number):
                    ended += 1
                    self._bots.pop((table_id, seat_number), None)
                    self._open.pop((table_id, seat_number), None)
                    if ended == matches:
                        self._session.close()
                case Noticed(reason, text):
                    sys.stderr.write(f"referee: {reason}: {text}\n")
                case _:
                    pass
        return ended

    def _sit(self, seat: SeatInfo) -> None:
        """Make the bot of a seat, once a match."""
        if (seat.table_id, seat.seat) not in self._bots:
            seed = seat.bot_seed if self._seed is None else self._seed
            self._bots[seat.table_id, seat.seat] = self._make_bot(seat.rules, seed)

    def _play(self, asked: Asked, attempt: int) -> None:
        bot = self._bots[asked.seat.table_id, asked.seat.seat]
        offers = asked.offers or offered(asked.view.position)
        play = bot.play(asked.view, offers) if attempt <= _TRIES else offers[0]
        self._session.submit(asked, play, attempt)

    def _try_again(self, answer: Answered, refused: Violation) -> None:
        key = (answer.seat.table_id, answer.seat.seat)
        asked, attempt = self._open.get(key, (None, 0))
        if asked is None or asked.decision_id != answer.decision_id or answer.attempt != attempt:
            return
        self._bots[key].refused(refused, answer.message)
        self._open[key] = (asked, attempt + 1)
        self._play(asked, attempt + 1)
