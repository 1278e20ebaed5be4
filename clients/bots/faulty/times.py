"""Bots that are silent, slow or late. Where clocks do not run, only the silent ones are missed."""

import threading
import time
from typing import Final

from clients.bots.faulty.expected import PLAYS, TOO_LATE, Faulty
from clients.bots.runner import Runner
from clients.messages import Asked
from engine.offers import offered

_TOO_LATE_S: Final = 0.1
_IN_TIME_S: Final = 0.8
"""How long before its time is over the bot that is just in time answers: the network and a busy machine take some."""

_SLOW_EVERY, _SLOW_SHARE = 4, 0.3


class Silent(Runner):
    """Takes its seats, reads everything, and never answers."""

    def _play(self, asked: Asked, attempt: int) -> None:
        """Say nothing."""


class Late(Runner):
    """Answers every decision with a legal play, a moment after its time is over, while it goes on reading."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if asked.allowance_s is None:
            super()._play(asked, attempt)
            return
        play = offered(asked.view.position)[0]
        timer = threading.Timer(asked.allowance_s + _TOO_LATE_S, self._session.submit, (asked, play, attempt))
        timer.daemon = True  # a process that is told to stop does not wait for it
        timer.start()


class Slow(Runner):
    """Thinks for a good part of its time at every fourth decision."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if asked.allowance_s is not None and asked.decision_id % _SLOW_EVERY == 0:
            time.sleep(_SLOW_SHARE * asked.allowance_s)
        super()._play(asked, attempt)


class JustInTime(Runner):
    """Answers the first decision of each match when its time is all but over."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if asked.allowance_s is not None and asked.decision_id <= len(asked.seat.players):
            time.sleep(max(asked.allowance_s - _IN_TIME_S, 0))
        super()._play(asked, attempt)


class SlowReader(Runner):
    """Reads nothing any more from its first decision on; its stream stays open."""

    def _play(self, asked: Asked, attempt: int) -> None:  # noqa: ARG002 - any will do
        threading.Event().wait()


BOTS: Final = {
    "silent": Faulty(Silent, TOO_LATE),
    "late": Faulty(Late, TOO_LATE),
    "slow": Faulty(Slow, PLAYS),
    "just-in-time": Faulty(JustInTime, PLAYS),
    "slow-reader": Faulty(SlowReader, TOO_LATE),
}
