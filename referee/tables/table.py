"""A live table: one coroutine reads one inbox and is the only one to change the match.

Nothing awaits between verifying a play and appending its entry, and nothing
that follows from an entry is sent before the entry is durable.
"""

import asyncio
from typing import Final

import structlog

from engine.clock import PROFILES
from engine.events import Event
from engine.reasons import Reason, RuleViolation, Violation
from engine.record.deal import NO_SET, nonces_of
from engine.record.entries import (
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    StoodIn,
    Void,
)  # fmt: skip
from engine.record.fold import REFUSALS_A_DECISION, TableState, begin, finish_turn, fold
from engine.views import public_view
from referee.tables.asking import decision_message, seated_message
from referee.tables.broadcast import Broadcast
from referee.tables.desk import Desk
from referee.tables.judging import absence, checked, is_late, overdue, remember, settled_answer
from referee.tables.messages import (
    Attach,
    ClockRan,
    Contributed,
    Detach,
    EnterOver,
    ExchangeOver,
    GiveUp,
    Incoming,
    Leave,
    Look,
    Sight,
    Stream,
    Submission,
    Unwatch,
    WatchFrom,
)  # fmt: skip
from referee.tables.opening import Append, Opening
from referee.tables.setup import TableSetup
from referee.tables.timer import DecisionTimer

_log = structlog.get_logger()


class Table:
    """A table whose seats are all taken.

    Attributes:
        setup: What it was made from.
        desks: One a seat.
        inbox: Where everything reaches it.
        result: Done when the match has ended, with the result, or with why it is void.
        forfeits_on: Faults that forfeit the round at once; set by whoever opened the table, before anybody acts.
    """

    def __init__(self, setup: TableSetup, desks: list[Desk], append: Append) -> None:
        """Make the table; `run` brings it to life. *append* makes entries durable."""
        self.setup: Final = setup
        self.desks: Final = desks
        self.inbox: asyncio.Queue[Incoming] = asyncio.Queue()
        self.result: asyncio.Future[Result | Void] = asyncio.get_running_loop().create_future()
        self.forfeits_on: frozenset[Cause] = frozenset()
        self._append = append
        self._state: TableState | None = None
        self._nonces: tuple[bytes, ...] = ()
        # Not the table's own `post`: without a cycle an ended table is no garbage to be collected.
        post = self.inbox.put_nowait
        self._opening = Opening(setup.header, setup.secret, desks, post)
        self._broadcast = Broadcast(desks, setup.watch_delay_us or 0)
        self._timer = DecisionTimer(PROFILES[setup.header.clock], lambda decision: post(ClockRan(decision)))

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
            if isinstance(entry, Header | Hashes):
                self._opening.restore(entry)
            elif isinstance(entry, Dealt):
                self._begin(entry)
            elif self._state is not None and not isinstance(entry, Result | Void | Reveal):
                remember(entry, self._state, self.desks)
                self._state, events = fold(self._state, entry)
                self._broadcast.tell(events)
        for desk in self.desks:
            desk.sent, desk.away = len(desk.log), self._state is not None and not self._state.present[desk.seat]

    async def run(self) -> None:
        """Live until the match has ended."""
        self._opening.wait_for_players(self._timer.profile)
        while not self.result.done():
            await self._handle(await self.inbox.get())

    # -- opening ------------------------------------------------------------------

    async def _enter(self) -> None:
        """Wait for players no longer: deal, or go on after a restart."""
        if self._state is None:
            await self._opening.enter(self._append)
            await self._deal_if_ready()
        else:
            self._opening.skip()
            await self._start(None)

    async def _deal_if_ready(self) -> None:
        """Deal as soon as all that the deal depends on is there; end a match whose deal cannot be."""
        outcome = self._opening.outcome()
        if outcome is None or self._state is not None or self.result.done():
            return
        self._opening.stop()
        if isinstance(outcome, Void):
            await self.end_void(outcome)
            return
        await self._append([outcome])
        _log.info("match_started", table_id=self.table_id, preset=self.setup.header.preset)
        await self._start(outcome)

    async def _start(self, dealt: Dealt | None) -> None:
        streams = [desk.let_go() for desk in self.desks]
        if dealt is not None:
            self._begin(dealt)
        for desk, stream in zip(self.desks, streams, strict=True):
            if stream is not None:
                await self._greet(desk, stream, desk.resume_from)
            elif self.setup.ranked:
                await self._forfeit(desk.seat, Cause.NEVER_CAME)
        for desk in [desk for desk in self.desks if desk.has_left_early]:
            await self._leave(desk)
        await self._go_on()

    def _begin(self, dealt: Dealt) -> None:
        self._nonces = nonces_of(dealt.nonces)
        self._state, events = begin(self.setup.header, self.setup.secret.dealing(self.table_id, self._nonces))
        self._broadcast.tell(events)

    async def end_void(self, void: Void) -> None:
        """End the match as one that does not count; called by the table itself, or once it runs no more."""
        if self.result.done():
            return
        shown = [self.setup.secret.reveal()] if self.setup.secret.table == NO_SET else []
        if self._state is None or self._state.match.over is None:  # else its result is on the way into the record
            await self._append([*([] if self._opening.recorded else [self.setup.header]), void, *shown])
        self._timer.close()
        for desk in self.desks:
            desk.tell_void(void)
        self._broadcast.close(self.inbox)
        _log.info("match_void", table_id=self.table_id, cause=void.cause.value, culprit=void.culprit)
        self.result.set_result(void)

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
            case EnterOver() if not self._opening.entered:
                await self._enter()
            case Contributed() | ExchangeOver():
                await self._opening.take(message, self._append)
                await self._deal_if_ready()
            case GiveUp(seat, cause):
                await self._give_up(seat, cause)
            case Leave(seat):
                await self._leave(self.desks[seat])
            case WatchFrom() | Unwatch():
                self._broadcast.serve(message)
            case Look():
                message.reply(self.sight())

    def sight(self) -> Sight:
        """Return what anybody may see now. Called by the table's own coroutine, or before it runs."""
        view = None if self._state is None else public_view(self._state.match)
        return Sight(view, tuple(map(Desk.is_carried, self.desks)), bytes.fromhex(self.setup.header.commitment))

    # -- streams ------------------------------------------------------------------

    async def _attach(self, desk: Desk, stream: Stream, last_sequence: int | None) -> None:
        desk.stream, desk.resume_from, desk.has_left_early = stream, last_sequence, False
        if not self._opening.entered:
            if all(map(Desk.is_carried, self.desks)):
                await self._enter()
            return
        if self._state is None:
            self._opening.call(desk)
            return
        await self._greet(desk, stream, last_sequence)
        if self._timer.decision is None:
            await self._go_on()
        elif self._state.turn == desk.seat:
            self._ask(desk)

    async def _greet(self, desk: Desk, stream: Stream, last_sequence: int | None) -> None:
        """Tell *stream* that it carries the seat, whose player is back, and what it has missed."""
        desk.let_go()
        if desk.away:
            desk.away = False
            self._broadcast.tell(await self._make(Presence(desk.seat, present=True)))
        desk.stream = stream
        stream.send(seated_message(self._live, self.setup.secret, self._nonces, desk))
        desk.catch_up(last_sequence)

    async def _leave(self, desk: Desk) -> None:
        desk.has_left_early = self._state is None
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
            # Nobody is left at a table of people: it waits instead of playing itself out.
            paused = not self.setup.ranked and all(desk.away for desk in self.desks)
            if seat is None or paused:
                self._timer.close()
                return
            cause = absence(self._live, self.desks[seat])
            if cause is None:
                self._open(self.desks[seat])
                return
            await self._stand_in(cause, 0)

    def _open(self, desk: Desk) -> None:
        self._timer.open(self._live.decision)
        desk.forget_all_but(self._live.decision)
        if desk.stream is None:
            self._timer.absent(self._live.banks_us[desk.seat])
        else:
            self._ask(desk)

    def _ask(self, desk: Desk) -> None:
        """Send the open decision to the seat's stream; its clock starts as the transport takes it."""
        state, decision = self._live, self._live.decision
        if desk.stream is None:
            return
        bank, timer = state.banks_us[desk.seat], self._timer
        message = decision_message(state, desk, self._broadcast.head)
        timer.present()
        desk.stream.send(message, lambda: timer.taken(decision, bank))  # which holds no table, however long it waits

    async def _clock_ran(self, decision: int) -> None:
        state = self._live
        seat = state.turn
        if decision != self._timer.decision or seat is None:
            return
        desk = self.desks[seat]
        if not state.clock.timed and desk.stream is not None:
            return
        used, cause = overdue(state, seat, self._timer.used_us())
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
        if self._state is None or self._state.turn is None:
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
        settled = settled_answer(message, desk, self._state, self._timer.decision)
        if settled is not None:
            message.reply(self.table_id, *settled)
            return
        used = self._timer.used_us(message.received_ns)
        if is_late(self._live, message.seat, used):
            message.reply(self.table_id, Violation(Reason.DECISION_STALE))
            await self._clock_ran(message.decision_id)
        elif message.validate_only:
            message.reply(self.table_id, *checked(message, self._live))
        elif isinstance(message.play, Violation):
            await self._refuse(desk, message, message.play)
        else:
            played = Played(message.seat, message.play, used, message.attempt)
            try:
                after, events = fold(self._live, played)
            except RuleViolation as refused:
                await self._refuse(desk, message, refused.violation)
            else:
                await self._accept(desk, message, played, after, events)

    async def _accept(
        self, desk: Desk, message: Submission, played: Played, after: TableState, events: list[Event]
    ) -> None:
        self._timer.close()
        desk.accepted[message.decision_id] = message.attempt
        await self._keep(played, after)
        if not message.stream.gathered:
            message.reply(self.table_id, None)
        self._broadcast.tell(events)
        self._finish_if_over()
        await self._go_on()

    async def _refuse(self, desk: Desk, message: Submission, violation: Violation) -> None:
        play = None if isinstance(message.play, Violation) else message.play
        desk.answers[message.decision_id, message.attempt] = (violation, ())
        await self._make(Refusal(message.seat, play, violation.reason, message.attempt))
        message.reply(self.table_id, violation)
        if self._live.refusals >= REFUSALS_A_DECISION:
            await self._stand_in(Cause.ILLEGAL, self._timer.used_us())
            await self._go_on()

    # -- record -------------------------------------------------------------------

    async def _make(self, entry: Entry) -> list[Event]:
        """Fold *entry*, make it durable, and return what is now to be told."""
        after, events = fold(self._live, entry)
        await self._keep(entry, after)
        return events

    async def _keep(self, entry: Entry, after: TableState) -> None:
        """Make *entry*, which led to *after*, durable, with the end of the match if it brought that."""
        self._state = after
        entries, secret = [entry], self.setup.secret
        if after.match.over is not None and not isinstance(entry, Presence | Forfeit):
            entries += [after.result(), *([secret.reveal()] if secret.table == NO_SET else [])]
        await self._append(entries)

    def _finish_if_over(self) -> None:
        if (over := self._live.match.over) is None or self.result.done():
            return
        self._timer.close()
        for desk in self.desks:
            desk.tell_over(over)
        self._broadcast.close(self.inbox)
        _log.info("match_ended", table_id=self.table_id, totals=over.totals)
        self.result.set_result(self._live.result())

    @property
    def _live(self) -> TableState:
        if self._state is None:
            raise RuntimeError("the match has not begun")
        return self._state
