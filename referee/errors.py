"""The one table from reasons to gRPC codes, and the error every service raises."""

from typing import Final

import grpc

from engine.reasons import Reason, Violation

DOMAIN: Final = "rummyref.v1"

_FORM: Final = {Reason.CARD_MALFORMED, Reason.PLAY_EMPTY, Reason.MOVE_MALFORMED}

CODES: Final[dict[str, grpc.StatusCode]] = {
    **dict.fromkeys((reason.name for reason in Reason), grpc.StatusCode.FAILED_PRECONDITION),
    **dict.fromkeys((reason.name for reason in _FORM), grpc.StatusCode.INVALID_ARGUMENT),
    "DECISION_STALE": grpc.StatusCode.ABORTED,
    "OPTION_INVALID": grpc.StatusCode.INVALID_ARGUMENT,
    "NAME_INVALID": grpc.StatusCode.INVALID_ARGUMENT,
    "MESSAGE_MALFORMED": grpc.StatusCode.INVALID_ARGUMENT,
    "HELLO_EXPECTED": grpc.StatusCode.INVALID_ARGUMENT,
    "MESSAGE_TOO_LARGE": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "PROTOCOL_UNSUPPORTED": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_SEATED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_SEATED": grpc.StatusCode.FAILED_PRECONDITION,
    "TABLE_FULL": grpc.StatusCode.FAILED_PRECONDITION,
    "TABLE_EMBARGOED": grpc.StatusCode.FAILED_PRECONDITION,
    "DECISION_UNKNOWN": grpc.StatusCode.ABORTED,
    "SEAT_TAKEN": grpc.StatusCode.ALREADY_EXISTS,
    "SEAT_MOVED": grpc.StatusCode.ABORTED,
    "SEAT_NOT_YOURS": grpc.StatusCode.PERMISSION_DENIED,
    "TOKEN_INVALID": grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_REVOKED": grpc.StatusCode.UNAUTHENTICATED,
    "NOT_PERMITTED": grpc.StatusCode.PERMISSION_DENIED,
    "PLAYER_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "NAME_TAKEN": grpc.StatusCode.ALREADY_EXISTS,
    "QUOTA_EXCEEDED": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "LADDER_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "LADDER_CLOSED": grpc.StatusCode.FAILED_PRECONDITION,
    "ENTRANT_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "TABLE_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "TOO_MANY_REFUSALS": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "TOO_MANY_STREAMS": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "SLOW_READER": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "SHUTTING_DOWN": grpc.StatusCode.UNAVAILABLE,
    "NONCE_REFUSED": grpc.StatusCode.FAILED_PRECONDITION,
    "REPLAY_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "INTERNAL": grpc.StatusCode.INTERNAL,
}
"""Code of every reason of the API, by its name without prefix."""


class ApiError(Exception):
    """A request that is refused.

    Attributes:
        reason: Name of the reason, a key of `CODES`.
        facts: Variables of the message.
    """

    def __init__(self, reason: str, message: str, **facts: str | int) -> None:
        """Refuse for *reason* with *message*, one line that says what to do."""
        super().__init__(message)
        self.reason: Final = reason
        self.facts: Final = facts

    @classmethod
    def of(cls, violation: Violation) -> "ApiError":
        """Return the error for a broken rule."""
        return cls(violation.reason.name, str(violation), **violation.facts)

    @property
    def code(self) -> grpc.StatusCode:
        """The gRPC code."""
        return CODES[self.reason]
