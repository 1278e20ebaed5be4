"""Bots that are wrong about their stream: who they are, what comes first, how many there are, how it ends."""

import threading
from dataclasses import replace
from typing import Final

from clients.bots.faulty.expected import NEVER_COMES, PLAYS, Faulty
from clients.bots.faulty.raw import RawRunner
from clients.bots.runner import MakeBot
from clients.messages import Asked, SeatInfo
from clients.session import RawSession

_BREAKS: Final = 2
_EVERY: Final = 4
_NO_SUCH_PROTOCOL: Final = 99


class WrongToken(RawRunner):
    """Comes with a token that nobody has."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Lose the token."""
        session.token = "nobody-has-this-token"  # noqa: S105 - that is the point
        super().__init__(session, make_bot, seed)


class WrongVersion(RawRunner):
    """Speaks a version of the protocol that the referee does not."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Claim it."""
        session.wishes = replace(session.wishes, protocol=_NO_SUCH_PROTOCOL)
        super().__init__(session, make_bot, seed)


class NoHello(RawRunner):
    """Begins with a submission."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Skip the hello."""
        session.opening = {"submit": {"tableId": "t_there_is_none"}}
        super().__init__(session, make_bot, seed)


class SecondStream(RawRunner):
    """Opens a second stream that claims its first seat, and plays on with both."""

    _second: threading.Thread | None = None

    def _sit(self, seat: SeatInfo) -> None:
        super()._sit(seat)
        if self._second is None:
            session = RawSession(self._raw.address, self._raw.token, self._raw.wishes, self._raw.ca)
            session.adopt(replace(seat))
            runner = RawRunner(session, self._make_bot, self._seed)
            self._second = threading.Thread(target=runner.run, daemon=True)
            self._second.start()


class ReconnectStorm(RawRunner):
    """Cuts its stream again and again before it answers every fourth decision."""

    def __init__(self, session: RawSession, make_bot: MakeBot, seed: int | None = None) -> None:
        """Cut nothing yet."""
        super().__init__(session, make_bot, seed)
        self._cuts: dict[str, tuple[int, int]] = {}

    def _play(self, asked: Asked, attempt: int) -> None:
        table_id = asked.seat.table_id
        decision, cuts = self._cuts.get(table_id, (0, 0))
        cuts = cuts if decision == asked.decision_id else 0
        if asked.decision_id % _EVERY == 0 and cuts < _BREAKS:
            # For each table by itself: two of them would else begin anew with each other's cuts, and never answer.
            self._cuts[table_id] = (asked.decision_id, cuts + 1)
            self._raw.break_stream()
        else:
            super()._play(asked, attempt)


class HalfClose(RawRunner):
    """Closes its side of the stream behind every fourth answer, and comes back."""

    def _play(self, asked: Asked, attempt: int) -> None:
        super()._play(asked, attempt)
        if asked.decision_id % _EVERY == 0:
            self._raw.half_close()


BOTS: Final = {
    "wrong-token": Faulty(WrongToken, NEVER_COMES),
    "wrong-version": Faulty(WrongVersion, NEVER_COMES),
    "no-hello": Faulty(NoHello, NEVER_COMES),
    "second-stream": Faulty(SecondStream, PLAYS),
    "reconnect-storm": Faulty(ReconnectStorm, PLAYS),
    "half-close": Faulty(HalfClose, PLAYS),
}
