"""A live table: one coroutine reads one inbox and is the only one to change the match.

Nothing awaits between verifying a play and appending its entry, and nothing
that follows from an entry is sent before the entry is durable.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from engine.clock import PROFILES, SECOND_US
from engine.events import Event
from engine.reasons import Reason, RuleViolation, Violation
from engine.record.deal import NO_SET, Secret
from engine.record.entries import Cause, Entry, Forfeit, Header, Played, Presence, Refusal, Result, Reveal, StoodIn
from engine.record.fold import REFUSALS_A_DECISION, TableState, begin, finish_turn, fold
from engine.views import public_view
from referee.tables.asking import decision_message, seated_message
from referee.tables.broadcast import Broadcast
from referee.tables.desk import Desk
from referee.tables.judging import checked, remember, untimely_for
from referee.tables.messages import (
    Attach,
    ClockRan,
    Detach,
    EnterOver,
    GiveUp,
    Incoming,
    Leave,
    Look,
    SendAnswer,
    SendTableOver,
    Sight,
    Stream,
    Submission,
    Unwatch,
    Watcher,
    WatchFrom,
)  # fmt: skip
from referee.tables.timer import ABSENT_US, DecisionTimer

Append = Callable[[list[Entry]], Awaitable[None]]
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TableSetup:
    """What a table is made from.

    Attributes:
        header: The first entry.
        secret: Where the cards come from.
        ranked: Ladder table: a missing player forfeits, nobody is waited for.
    """

    header: Header
    secret: Secret
    ranked: bool


class Table:
    """A table whose seats are all taken.

    Attributes:
        setup: What it was made from.
        desks: One a seat.
        inbox: Where everything reaches it.
        result: Done when the match has ended, with the result; cancelled if it became void.
        forfeits_on: Faults that forfeit the round at once; set by whoever opened the table, before anybody acts.
    """

    def __init__(self, setup: TableSetup, desks: list[Desk], append: Append) -> None:
        """Make the table; `run` brings it to life. *append* makes entries durable."""
        self.setup: Final = setup
        self.desks: Final = desks
        self.inbox: asyncio.Queue[Incoming] = asyncio.Queue()
        self.result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.forfeits_on: frozenset[Cause] = frozenset()
        self._append = append
        self._state: TableState | None = None
        self._entered = False
        self._entering: asyncio.TimerHandle | None = None
        self._broadcast = Broadcast(desks)
        self._timer = DecisionTimer(PROFILES[setup.header.clock], lambda decision: self.post(ClockRan(decision)))

    @property
    def table_id(self) -> str:
        """Id of the table and its match."""
        return self.setup.header.match_id

    def post(self, message: Incoming) -> None:
        """Put *message* into the inbox."""
        self.inbox.put_nowait(message)

    def restore(self, entries: list[Entry]) -> None:
        """Fold what the record already holds; called before `run`."""
        for entry in entries:
            if isinstance(entry, Header):
                self._begin()
            elif self._state is not None and not isinstance(entry, Result | Reveal):
                remember(entry, self._state, self.desks)
                self._state, events = fold(self._state, entry)
                self._broadcast.tell(events)
        for desk in self.desks:
            desk.sent = len(desk.log)

    async def run(self) -> None:
        """Live until the match has ended."""
        self._wait_for_players()
        while not self.result.done():
            await self._handle(await self.inbox.get())

    # -- entering -----------------------------------------------------------------

    def _wait_for_players(self) -> None:
        clock = self._timer.profile
        wait_us = clock.to_enter_us if clock.timed else ABSENT_US
        self._entering = asyncio.get_running_loop().call_later(wait_us / SECOND_US, self.post, EnterOver())

    async def _enter(self) -> None:
        """Begin the match, or go on after a restart."""
        if self._entering is not None:
            self._entering.cancel()
        self._entered = True
        if self._state is None:
            await self._append([self.setup.header])
            self._begin()
            _log.info("match_started", table_id=self.table_id, preset=self.setup.header.preset)
        for desk in self.desks:
            if desk.stream is not None:
                self._greet(desk, desk.stream, desk.resume_from)
        if self.setup.ranked:
            for desk in self.desks:
                if desk.stream is None:
                    await self._forfeit(desk.seat, Cause.NEVER_CAME)
        await self._go_on()

    def _begin(self) -> None:
        header = self.setup.header
        dealing = self.setup.secret.dealing(header.match_id, len(header.seats))
        self._state, events = begin(header, dealing)
        self._broadcast.tell(events)

    # -- inbox --------------------------------------------------------------------

    async def _handle(self, message: Incoming) -> None:
        match message:
            case Submission():
                await self._submitted(message)
            case Attach(seat, stream, last_sequence):
                await self._attach(self.desks[seat], stream, last_sequence)
            case Detach(stream):
                self._detach(stream)
            case ClockRan(decision_id):
                await self._clock_ran(decision_id)
            case EnterOver():
                if not self._entered:
                    await self._enter()
            case GiveUp(seat, cause):
                await self._give_up(seat, cause)
            case Leave(seat):
                await self._leave(self.desks[seat])
            case WatchFrom(after, watcher):
                self._broadcast.watch(after, watcher)
            case Unwatch(watcher):
                self._broadcast.unwatch(watcher)
            case Look():
                message.reply(self.sight())

    def sight(self) -> Sight:
        """Return what anybody may see now. Called by the table's own coroutine, or before it runs."""
        view = None if self._state is None else public_view(self._state.match)
        present = tuple(desk.stream is not None for desk in self.desks)
        return Sight(view, present, bytes.fromhex(self.setup.header.commitment))

    def watch_past(self, after: int, watcher: Watcher) -> None:
        """Send *watcher* the public events after *after* of a table that has ended."""
        self._broadcast.watch(after, watcher)
        self._broadcast.close()

    # -- streams ------------------------------------------------------------------

    async def _attach(self, desk: Desk, stream: Stream, last_sequence: int | None) -> None:
        desk.stream, desk.resume_from = stream, last_sequence
        if not self._entered:
            if all(other.stream is not None for other in self.desks):
                await self._enter()
            return
        if self._state is None:
            return
        if desk.away:
            desk.away = False
            self._broadcast.tell(await self._make(Presence(desk.seat, present=True)))
        self._greet(desk, stream, last_sequence)
        if self._timer.decision is None:
            await self._go_on()
        elif self._state.turn == desk.seat:
            self._ask(desk)

    def _greet(self, desk: Desk, stream: Stream, last_sequence: int | None) -> None:
        """Tell *stream* that it carries the seat, and what it has missed."""
        stream.send(seated_message(self._live, self.setup.secret, desk))
        desk.catch_up(last_sequence)

    async def _leave(self, desk: Desk) -> None:
        if self._state is None or desk.away:
            return
        desk.away = True
        self._broadcast.tell(await self._make(Presence(desk.seat, present=False)))
        if self._state.turn == desk.seat and self._timer.decision is not None:
            self._timer.close()
            await self._go_on()

    def _detach(self, stream: Stream) -> None:
        for desk in self.desks:
            if desk.stream is stream:
                desk.stream = None
                if self._timer.decision is not None and self._live.turn == desk.seat:
                    self._timer.absent(self._live.banks_us[desk.seat])

    # -- decisions ----------------------------------------------------------------

    async def _go_on(self) -> None:
        """Play what stand-ins play, then ask the seat whose turn it is."""
        while self._live.match.over is None:
            seat = self._live.turn
            if seat is None or self._is_paused():
                self._timer.close()
                return
            cause = self._absence(seat)
            if cause is None:
                self._open(self.desks[seat])
                return
            await self._stand_in(cause, 0)

    def _is_paused(self) -> bool:
        """Whether nobody is left at a table of people: it waits instead of playing itself out."""
        return not self.setup.ranked and all(desk.away for desk in self.desks)

    def _absence(self, seat: int) -> Cause | None:
        if self._live.forfeited(seat):
            return next(lost.cause for lost in self._live.forfeits if lost.seat == seat)
        return Cause.LEFT if self.desks[seat].away else None

    def _open(self, desk: Desk) -> None:
        self._timer.open(self._live.decision)
        desk.answers.clear()
        if desk.stream is None:
            self._timer.absent(self._live.banks_us[desk.seat])
        else:
            self._ask(desk)

    def _ask(self, desk: Desk) -> None:
        """Send the open decision to the seat's stream; its clock starts as the transport takes it."""
        state, decision = self._live, self._live.decision
        if desk.stream is None:
            return
        bank = state.banks_us[desk.seat]
        message = decision_message(state, desk)
        self._timer.present()
        desk.stream.send(message, lambda: self._timer.taken(decision, bank))

    async def _clock_ran(self, decision: int) -> None:
        state = self._live
        seat = state.turn
        if decision != self._timer.decision or seat is None:
            return
        desk = self.desks[seat]
        if not state.clock.timed and desk.stream is not None:
            return
        used, cause = 0, Cause.LEFT
        if state.clock.timed:
            allowance = state.clock.allowance_us(state.banks_us[seat])
            used, cause = max(self._timer.used_us(), allowance + 1), Cause.TIME_OUT
        if desk.stream is None and not self.setup.ranked:
            desk.away = True
            self._broadcast.tell(await self._make(Presence(seat, present=False)))
        await self._stand_in(cause, used)
        await self._go_on()

    async def _stand_in(self, cause: Cause, used_us: int) -> None:
        seat = self._live.turn
        if seat is None:
            return
        self._timer.close()
        if cause in self.forfeits_on:
            await self._forfeit(seat, cause)
        plays = finish_turn(self._live)
        events = await self._make(StoodIn(seat, plays, cause, used_us))
        _log.info("stand_in_played", table_id=self.table_id, seat=seat, cause=cause.value)
        self._broadcast.tell(events)
        self._finish_if_over()

    async def _give_up(self, seat: int, cause: Cause) -> None:
        if self._state is None or self._state.match.over is not None:
            return
        await self._forfeit(seat, cause)
        if self._state.turn == seat and self._timer.decision is not None:
            self._timer.close()
            await self._go_on()

    async def _forfeit(self, seat: int, cause: Cause) -> None:
        if not self._live.forfeited(seat):
            _log.info("round_forfeited", table_id=self.table_id, seat=seat, cause=cause.value)
            self._broadcast.tell(await self._make(Forfeit(seat, cause)))

    # -- submissions --------------------------------------------------------------

    async def _submitted(self, message: Submission) -> None:
        desk = self.desks[message.seat]
        known = desk.answer_to(message.decision_id, message.attempt)
        if known is not None and not message.validate_only:
            self._answer(message, *known)
            return
        untimely = untimely_for(message, self._state, self._timer.decision)
        if untimely is not None:
            self._answer(message, untimely)
            return
        used = self._timer.used_us(message.received_ns)
        state = self._live
        if state.clock.timed and used > state.clock.allowance_us(state.banks_us[message.seat]):
            self._answer(message, Violation(Reason.DECISION_STALE))
            await self._clock_ran(message.decision_id)
        elif message.validate_only:
            self._answer(message, *checked(message, self._live))
        elif isinstance(message.play, RuleViolation):
            await self._refuse(desk, message, message.play.violation)
        else:
            try:
                after, events = fold(state, Played(message.seat, message.play, used, message.attempt))
            except RuleViolation as refused:
                await self._refuse(desk, message, refused.violation)
            else:
                await self._accept(desk, message, after, events, used)

    async def _accept(self, desk: Desk, message: Submission, after: TableState, events: list[Event], used: int) -> None:
        if isinstance(message.play, RuleViolation):
            raise TypeError("an accepted play was read")
        self._timer.close()
        desk.accepted[message.decision_id] = message.attempt
        await self._keep(Played(message.seat, message.play, used, message.attempt), after)
        if not message.stream.gathered:
            self._answer(message, None)
        self._broadcast.tell(events)
        self._finish_if_over()
        await self._go_on()

    async def _refuse(self, desk: Desk, message: Submission, violation: Violation) -> None:
        play = None if isinstance(message.play, RuleViolation) else message.play
        desk.answers[message.decision_id, message.attempt] = (violation, ())
        await self._make(Refusal(message.seat, play, violation.reason, message.attempt))
        self._answer(message, violation)
        if self._live.refusals >= REFUSALS_A_DECISION:
            await self._stand_in(Cause.ILLEGAL, self._timer.used_us())
            await self._go_on()

    def _answer(self, message: Submission, refused: Violation | None, debts: tuple[Violation, ...] = ()) -> None:
        message.stream.send(
            SendAnswer(self.table_id, message.seat, message.decision_id, message.attempt, refused, debts)
        )

    # -- record -------------------------------------------------------------------

    async def _make(self, entry: Entry) -> list[Event]:
        """Fold *entry*, make it durable, and return what is now to be told."""
        after, events = fold(self._live, entry)
        await self._keep(entry, after)
        return events

    async def _keep(self, entry: Entry, after: TableState) -> None:
        """Make *entry*, which led to *after*, durable, with the end of the match if it brought that."""
        self._state = after
        entries = [entry]
        if after.match.over is not None and not isinstance(entry, Presence | Forfeit):
            entries.append(after.result())
            if self.setup.secret.table == NO_SET:
                entries.append(self.setup.secret.reveal())
        await self._append(entries)

    def _finish_if_over(self) -> None:
        over = self._live.match.over
        if over is None or self.result.done():
            return
        self._timer.close()
        for desk in self.desks:
            if desk.stream is not None:
                first, events = desk.gather() if desk.stream.gathered else (0, ())
                desk.stream.send(SendTableOver(self.table_id, desk.seat, over, first, events))
        self._broadcast.close()
        _log.info("match_ended", table_id=self.table_id, totals=over.totals)
        self.result.set_result(self._live.result())

    @property
    def _live(self) -> TableState:
        if self._state is None:
            raise RuntimeError("the match has not begun")
        return self._state
