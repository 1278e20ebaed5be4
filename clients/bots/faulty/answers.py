"""Bots whose answers are wrong, or are not the only ones they give."""

from typing import Final

from clients.bots.faulty.expected import CRASHES_TWICE, ILLEGAL, PLAYS, TOO_LATE, Faulty
from clients.bots.faulty.raw import DRAW, TWO_DRAWS, RawRunner, submission
from clients.bots.runner import Runner
from clients.messages import Asked

_CHECKS: Final = 20
_USELESS: Final = 10
_FLOOD: Final = 2_000
_REFUSALS: Final = 19
_NO_SUCH_CARD: Final = 9_999


class Illegal(Runner):
    """Answers every decision, and every refusal, with a play that no rules allow."""

    def _play(self, asked: Asked, attempt: int) -> None:
        self._session.submit(asked, TWO_DRAWS, attempt)


class _Malformed(RawRunner):
    """Answers with a play that cannot even be read, and learns nothing from being refused."""

    moves: tuple[dict[str, object], ...] = ()

    def _play(self, asked: Asked, attempt: int) -> None:
        self._raw.say(submission(asked, attempt, {"moves": list(self.moves)}))


class NoMoves(_Malformed):
    """Submits a play without a move."""


class NoCard(_Malformed):
    """Discards a card that is not set."""

    moves = ({"discard": {}},)


class UnknownCard(_Malformed):
    """Discards a card whose number no card has."""

    moves = ({"discard": {"card": _NO_SUCH_CARD}},)


class UnknownMove(_Malformed):
    """Makes a move whose kind is not set."""

    moves = ({},)


class NineteenRefusals(Runner):
    """Is refused as often as a decision bears, and then answers it."""

    def _play(self, asked: Asked, attempt: int) -> None:
        if attempt <= _REFUSALS:
            self._session.submit(asked, TWO_DRAWS, attempt)
        else:
            super()._play(asked, attempt)


class Stale(RawRunner):
    """Answers decisions that are over or have not come, beside the one that is open."""

    def _play(self, asked: Asked, attempt: int) -> None:
        for beside in (asked.decision_id - 1, asked.decision_id + 1):
            self._raw.say(submission(asked, attempt, DRAW, decisionId=beside))
        super()._play(asked, attempt)


class Duplicate(Runner):
    """Sends each answer twice, and a third time as another try."""

    def _play(self, asked: Asked, attempt: int) -> None:
        super()._play(asked, attempt)
        super()._play(asked, attempt)
        self._session.submit(asked, TWO_DRAWS, attempt + 1)


class Checker(Runner):
    """Has plays checked again and again before it sends one."""

    def _play(self, asked: Asked, attempt: int) -> None:
        for _ in range(_CHECKS):
            self._session.submit(asked, TWO_DRAWS, attempt, validate_only=True)
        super()._play(asked, attempt)


class OtherSeat(RawRunner):
    """Answers for the other seats of its table, for seats that do not exist, and at tables that do not."""

    def _play(self, asked: Asked, attempt: int) -> None:
        seats = len(asked.seat.players)
        for seat in (*range(seats), seats, 4_000_000_000):
            if seat != asked.seat.seat:
                self._raw.say(submission(asked, attempt, DRAW, seat=seat))
        self._raw.say(submission(asked, attempt, DRAW, tableId="t_there_is_none"))
        super()._play(asked, attempt)


class Chatter(RawRunner):
    """Says things that mean nothing: no kind, a second hello, a part of a deal that takes none."""

    def _play(self, asked: Asked, attempt: int) -> None:
        for _ in range(_USELESS):
            self._raw.say({})
            self._raw.say({"hello": {"protocol": 1, "capacity": 1000}})
            self._raw.say({"contribute": {"tableId": asked.seat.table_id, "nonce": ""}})
        super()._play(asked, attempt)


class Flood(RawRunner):
    """Buries each answer under submissions for a table that does not exist: it is too late by its own doing."""

    def _play(self, asked: Asked, attempt: int) -> None:
        useless = submission(asked, attempt, DRAW, tableId="t_there_is_none")
        for _ in range(_FLOOD):
            self._raw.say(useless)
        super()._play(asked, attempt)


class Oversize(RawRunner):
    """Answers with a message beyond the limit, which ends its stream, and comes back to do it again."""

    def _play(self, asked: Asked, attempt: int) -> None:
        self._raw.say(submission(asked, attempt, DRAW, tableId="t" * 100_000))


class Unreadable(RawRunner):
    """Answers with bytes that are no message; what it hears of that is no error it expects, and ends it."""

    def _play(self, asked: Asked, attempt: int) -> None:  # noqa: ARG002 - any will do
        self._raw.say_bytes(b"\xff\xff\xff\xff")


BOTS: Final = {
    "illegal": Faulty(Illegal, ILLEGAL),
    "no-moves": Faulty(NoMoves, ILLEGAL),
    "no-card": Faulty(NoCard, ILLEGAL),
    "unknown-card": Faulty(UnknownCard, ILLEGAL),
    "unknown-move": Faulty(UnknownMove, ILLEGAL),
    "nineteen-refusals": Faulty(NineteenRefusals, PLAYS),
    "stale": Faulty(Stale, PLAYS),
    "duplicate": Faulty(Duplicate, PLAYS),
    "checker": Faulty(Checker, PLAYS),
    "other-seat": Faulty(OtherSeat, PLAYS),
    "chatter": Faulty(Chatter, PLAYS),
    "flood": Faulty(Flood, TOO_LATE),
    "oversize": Faulty(Oversize, TOO_LATE),
    "unreadable": Faulty(Unreadable, CRASHES_TWICE),
}
