"""What the bots share that speak to the stream themselves."""

from clients.bots.runner import MakeBot, Runner
from clients.messages import Asked
from clients.session import RawSession
from engine.moves import Draw, Play

TWO_DRAWS = Play((Draw(), Draw()))
"""`draw` is alone in its play, in every family and phase: no rules allow this."""


class RawRunner(Runner):
    """A runner with a raw session."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Keep the raw session."""
        super().__init__(session, make_bot, seed)
        self._raw = session


def submission(asked: Asked, attempt: int, play: dict[str, object], **other: object) -> dict[str, object]:
    """Return the JSON form of a `submit` of *play*, with *other* fields in the place of the right ones."""
    return {
        "submit": {
            "tableId": asked.seat.table_id,
            "seat": asked.seat.seat,
            "decisionId": asked.decision_id,
            "attempt": attempt,
            "play": play,
            **other,
        }
    }


DRAW: dict[str, object] = {"moves": [{"draw": {}}]}
"""JSON form of the play `draw`."""
