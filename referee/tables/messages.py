"""What goes into a table's inbox and out to seats, as values without protobuf."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from engine.clock import ClockProfile
from engine.events import Event, MatchOver
from engine.moves import Play
from engine.reasons import Violation
from engine.record.entries import Cause, Void
from engine.rules.ruleset import RuleSet
from engine.views import PublicView, SeatView


class Told(NamedTuple):
    """An event with its place in the public chain.

    Attributes:
        event: The event.
        public_head: Head of the public chain after its entry; empty for private events.
        encoded: Room for its bytes, shared by everybody who is told of it.
    """

    event: Event
    public_head: bytes
    encoded: list[Any]


@dataclass(frozen=True, slots=True)
class SendSeated:
    """Tell a stream that it carries a seat."""

    table_id: str
    seat: int
    rules: RuleSet
    clock: ClockProfile
    commitment: bytes
    bot_seed: int
    view: SeatView
    players: tuple[str, ...]
    last_sequence: int


@dataclass(frozen=True, slots=True)
class SendEvent:
    """Tell of one event as it happens."""

    table_id: str
    seat: int
    sequence: int
    told: Told


@dataclass(frozen=True, slots=True)
class SendDecision:
    """Ask a seat for a play.

    Attributes:
        first_sequence: Sequence of the first of *events*.
        events: Events since the last message, where delivery is gathered.
        public_head: Head of the public chain.
        bank_us: Time in the bank; None where clocks do not run.
        allowance_us: Time for this decision; None likewise.
    """

    table_id: str
    seat: int
    decision_id: int
    view: SeatView
    first_sequence: int
    events: tuple[Told, ...]
    public_head: bytes
    bank_us: int | None
    allowance_us: int | None


@dataclass(frozen=True, slots=True)
class SendAnswer:
    """Answer a submission.

    Attributes:
        refused: Why it was refused, None if it was accepted.
        open_debts: What a checked play still owes.
    """

    table_id: str
    seat: int
    decision_id: int
    attempt: int
    refused: Violation | None
    open_debts: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class SendTableOver:
    """Tell a seat that its match is over."""

    table_id: str
    seat: int
    result: MatchOver
    first_sequence: int
    events: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class SendNotice:
    """Tell a stream something that is no answer.

    Attributes:
        reason: Name of a reason of the API.
        message: One line for people.
        table_id: Table meant, empty for none.
        seat: Seat meant, None for none.
    """

    reason: str
    message: str
    table_id: str = ""
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class SendHashCall:
    """Ask for the hash of a nonce.

    Attributes:
        table_id: The table, or the batch of sets, that is to be dealt.
        seat: The seat; None for a batch.
        commitment: What the referee has bound itself to.
    """

    table_id: str
    seat: int | None
    commitment: bytes


@dataclass(frozen=True, slots=True)
class SendNonceCall:
    """Ask for the nonce: the hashes are complete.

    Attributes:
        table_id: The table, or the batch of sets, that is to be dealt.
        seat: The seat; None for a batch.
        hashes: Of every party, in the order of the deal; empty for one without.
    """

    table_id: str
    seat: int | None
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SendTableVoid:
    """Tell a seat that its match does not count and has ended."""

    table_id: str
    seat: int
    void: Void


Outgoing = (
    SendSeated | SendEvent | SendDecision | SendAnswer | SendTableOver | SendNotice
    | SendHashCall | SendNonceCall | SendTableVoid
)  # fmt: skip


class Stream(Protocol):
    """What a table needs of a player's stream."""

    @property
    def gathered(self) -> bool:
        """Whether events wait for the next decision."""

    @property
    def contributes(self) -> bool:
        """Whether it takes part in the randomness of deals."""

    def send(self, message: Outgoing, on_taken: Callable[[], None] | None = None) -> None:
        """Queue *message*; *on_taken* is called when the transport has taken it."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A play submitted, or checked, by a seat.

    Attributes:
        stream: Where the answer goes.
        play: The play, or why it could not be read.
        received_ns: Monotonic time at which it was read.
    """

    stream: Stream
    seat: int
    decision_id: int
    attempt: int
    play: Play | Violation
    validate_only: bool
    received_ns: int

    def reply(self, table_id: str, refused: Violation | None, debts: tuple[Violation, ...] = ()) -> None:
        """Answer it: accepted unless it is *refused*, with what a checked play still owes."""
        self.stream.send(SendAnswer(table_id, self.seat, self.decision_id, self.attempt, refused, debts))


@dataclass(frozen=True, slots=True)
class Contributed:
    """A seat's part of the randomness of the deal.

    Attributes:
        stream: Where a refusal goes.
        part: The nonce, or its hash.
        is_nonce: Which of the two.
    """

    stream: Stream
    seat: int
    part: bytes
    is_nonce: bool


@dataclass(frozen=True, slots=True)
class ExchangeOver:
    """The time for hashes, or once these are bound for nonces, has run out."""

    bound: bool


@dataclass(frozen=True, slots=True)
class Attach:
    """A stream now carries a seat; events after *last_sequence* are wanted again."""

    seat: int
    stream: Stream
    last_sequence: int | None


@dataclass(frozen=True, slots=True)
class Detach:
    """A stream has ended."""

    stream: Stream


@dataclass(frozen=True, slots=True)
class ClockRan:
    """The time for a decision has run out."""

    decision_id: int


@dataclass(frozen=True, slots=True)
class EnterOver:
    """The time to enter has run out."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """A seat forfeits the round, on the word of whoever runs its bot."""

    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves a seat of a running match: the stand-in plays its turns."""

    seat: int


@dataclass(frozen=True, slots=True)
class WatchFrom:
    """Somebody watches from after a public sequence on."""

    after: int
    watcher: "Watcher"


@dataclass(frozen=True, slots=True)
class Unwatch:
    """A watcher has gone."""

    watcher: "Watcher"


@dataclass(slots=True, eq=False)
class Watcher:
    """A watcher: public events only.

    Attributes:
        send: Called with (sequence, told) for every public event.
        close: Called when the match is over.
    """

    send: Callable[[int, Told], None]
    close: Callable[[], None]


@dataclass(slots=True)
class Look:
    """Somebody asks for the public view; *reply* is called with it."""

    reply: Callable[["Sight"], None] = field(repr=False)


class Sight(NamedTuple):
    """What anybody may see of a table.

    Attributes:
        view: The public view, None before the match.
        present: Whether each seat has a live stream.
        commitment: Of the deal.
    """

    view: PublicView | None
    present: tuple[bool, ...]
    commitment: bytes


Incoming = (
    Submission | Contributed | Attach | Detach | ClockRan | EnterOver | ExchangeOver | GiveUp | Leave
    | WatchFrom | Unwatch | Look
)  # fmt: skip
