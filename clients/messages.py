"""What a session tells its user: engine values only, no protobuf."""

from dataclasses import dataclass
from typing import Final

from engine.events import Event
from engine.moves import Play
from engine.reasons import Reason, Violation
from engine.rules.ruleset import RuleSet
from engine.views import SeatView

TOO_LATE: Final = frozenset({Reason.DECISION_STALE, Reason.MATCH_OVER, Reason.NOT_YOUR_TURN})
"""Reasons for which there is no other try at a decision: it has been answered, or its time has run out."""


@dataclass(slots=True)
class SeatInfo:
    """A seat that this session holds.

    Attributes:
        table_id: Table.
        seat: Seat at it.
        rules: Rules of the table.
        bot_seed: Number handed to the bot in this seat for this deal.
        view: What the seat knew when the seat was bound.
        players: Names by seat.
        last_sequence: Sequence of the last event received.
        over: Whether the match has ended.
    """

    table_id: str
    seat: int
    rules: RuleSet
    bot_seed: int
    view: SeatView
    players: tuple[str, ...]
    last_sequence: int
    over: bool = False


@dataclass(frozen=True, slots=True)
class Seated:
    """The referee has bound a seat to this session."""

    seat: SeatInfo


@dataclass(frozen=True, slots=True)
class Told:
    """An event of a seat."""

    seat: SeatInfo
    event: Event


@dataclass(frozen=True, slots=True)
class Asked:
    """A play is due.

    Attributes:
        decision_id: What to answer.
        view: What the seat knows.
        offers: Offered plays, empty unless asked for.
        allowance_s: Time for this decision; None where clocks do not run.
    """

    seat: SeatInfo
    decision_id: int
    view: SeatView
    offers: tuple[Play, ...]
    allowance_s: float | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A submission was accepted, refused or checked."""

    seat: SeatInfo
    decision_id: int
    attempt: int
    refused: Violation | None
    message: str
    open_debts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """A match has ended."""

    seat: SeatInfo
    totals: tuple[int, ...]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Voided:
    """A match does not count and has ended.

    Attributes:
        table_id: Table.
        seat: Seat at it.
        cause: Why, such as `nonce_not_opened`.
        culprit: Seat that is to blame, None where the referee is.
    """

    table_id: str
    seat: int
    cause: str
    culprit: int | None


@dataclass(frozen=True, slots=True)
class Noticed:
    """The referee says something that is no answer."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The connection broke and is being mended."""

    message: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a table stands.

    Attributes:
        state: seating, running, ended or void.
        players: Names by seat; empty for a free one.
        totals: Totals by seat; empty where there is no view of it.
    """

    state: str
    players: tuple[str, ...]
    totals: tuple[int, ...]


Incoming = Seated | Told | Asked | Answered | Over | Voided | Noticed | Broken
