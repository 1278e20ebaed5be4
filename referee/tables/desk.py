"""A desk: what a table keeps for one seat: its events, its stream, its answers."""

from dataclasses import dataclass, field

from engine.events import MatchOver
from engine.reasons import Violation
from engine.record.entries import Void
from referee.tables.messages import SendEvent, SendTableOver, SendTableVoid, Stream, Told

Answered = tuple[Violation | None, tuple[Violation, ...]]


@dataclass(slots=True)
class Desk:
    """One seat of a live table.

    Attributes:
        table_id: The table.
        seat: The seat.
        player_id: Who it is held for.
        name: The player's name.
        log: Events told to this seat; sequence *n* is at place *n* - 1.
        sent: Sequence of the last event its stream was sent.
        stream: Stream that carries it, None while there is none.
        away: Whether the stand-in plays its turns until the player comes back.
        has_left_early: Whether its player has left before the deal; the stand-in plays from that on.
        answers: First answers by decision and attempt, of the open decision.
        accepted: Attempt that was accepted, by decision.
        resume_from: Sequence after which its stream wants events again; None for from now on.
    """

    table_id: str
    seat: int
    player_id: str
    name: str
    log: list[Told] = field(default_factory=list)
    sent: int = 0
    stream: Stream | None = None
    away: bool = False
    has_left_early: bool = False
    answers: dict[tuple[int, int], Answered] = field(default_factory=dict)
    accepted: dict[int, int] = field(default_factory=dict)
    resume_from: int | None = None

    def is_carried(self) -> bool:
        """Return whether a stream carries the seat."""
        return self.stream is not None

    def let_go(self) -> Stream | None:
        """Return its stream, which is told nothing any more: nothing comes before `seated`."""
        stream, self.stream = self.stream, None
        return stream

    def tell(self, told: Told) -> None:
        """Remember an event, and send it where it is wanted as it happens."""
        self.log.append(told)
        if self.stream is not None and not self.stream.gathered:
            self.sent = len(self.log)
            self.stream.send(SendEvent(self.table_id, self.seat, self.sent, told))

    def gather(self) -> tuple[int, tuple[Told, ...]]:
        """Return the events not yet sent and the sequence of the first, as sent now."""
        first = self.sent + 1
        events = tuple(self.log[self.sent :])
        self.sent = len(self.log)
        return first, events

    def catch_up(self, last_sequence: int | None) -> None:
        """Begin after *last_sequence*, or with what comes next where that is None."""
        known = len(self.log)
        self.sent = known if last_sequence is None else min(max(last_sequence, 0), known)
        if self.stream is not None and not self.stream.gathered:
            while self.sent < known:
                self.sent += 1
                self.stream.send(SendEvent(self.table_id, self.seat, self.sent, self.log[self.sent - 1]))

    def tell_over(self, over: MatchOver) -> None:
        """Tell its stream that the match is over, and what of it was not yet sent."""
        if self.stream is not None:
            first, events = self.gather() if self.stream.gathered else (0, ())
            self.stream.send(SendTableOver(self.table_id, self.seat, over, first, events))

    def tell_void(self, void: Void) -> None:
        """Tell its stream that the match does not count."""
        if self.stream is not None:
            self.stream.send(SendTableVoid(self.table_id, self.seat, void))

    def forget_all_but(self, decision: int) -> None:
        """Forget the answers to decisions that are open no more; those to *decision*, opened again, hold."""
        self.answers = {known: answer for known, answer in self.answers.items() if known[0] == decision}

    def answer_to(self, decision: int, attempt: int) -> Answered | None:
        """Return the first answer to an attempt, None if there was none."""
        if self.accepted.get(decision) == attempt:
            return None, ()
        return self.answers.get((decision, attempt))
