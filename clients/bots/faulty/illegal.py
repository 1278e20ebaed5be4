"""Answers every decision, and every refusal, with a play that no rules allow.

In a ladder: once it has been refused as often as one decision bears, the stand-in
finishes the turn (`illegal`); three of these are a forfeit of the match (`strikes`).
"""

from typing import Final

from clients.bots.runner import Runner
from clients.messages import Asked
from engine.moves import Draw, Play

_TWO_DRAWS: Final = Play((Draw(), Draw()))
"""`draw` is alone in its play, in every family and phase."""


class IllegalRunner(Runner):
    """Learns nothing from being refused."""

    def _play(self, asked: Asked, attempt: int) -> None:
        self._session.submit(asked, _TWO_DRAWS, attempt)
