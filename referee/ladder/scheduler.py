"""Plays a ladder: opens tables as their entrants have room, set by set, and resumes.

It asks a plan which sets there are and the attendance who is there; it does not know
who starts the bots.
"""

import asyncio
import contextlib
import json
import shlex
from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy import insert

from engine.clock import PROFILES, SECOND_US
from engine.record.deal import Secret
from engine.record.entries import Cause, Result, Void
from engine.record.ladder import Absence, LadderTable
from engine.rules.ruleset import RuleSet
from referee.hall import Hall
from referee.ladder.attendance import Attendance
from referee.ladder.begin import Begun, LadderError
from referee.ladder.conduct import misconduct
from referee.ladder.deals import REFEREE_FAULT, Deals
from referee.ladder.fixtures import seated
from referee.ladder.ledger import Ledger
from referee.ladder.manifest import Manifest
from referee.ladder.margins import TableResult, results_of_set
from referee.ladder.plan import Change, Plan
from referee.ladder.results import NoResultError, result_of
from referee.ladder.under_way import Place, Progress, SetUnderWay
from referee.store.models import Fixture
from referee.store.rows import RUNNING, seat_row, table_row, table_write
from referee.store.writer import Write
from referee.tables.messages import EnterOver, GiveUp
from referee.tables.timer import ABSENT_US

_LOOK_AGAIN_S: Final = 0.05
"""How soon a bot that has connected is noticed."""

_ADD_FIXTURE: Final = insert(Fixture)
_log = structlog.get_logger()


class TableFailedError(Exception):
    """A set has become void by faults of the referee itself, again and again."""


class Scheduler:
    """Plays the fixtures of one ladder in one hall.

    Attributes:
        progress: How far it is.
        attendance: Who is there; whoever starts the bots tells it who cannot come.
        on_stood_up: Called with the entrants of each table as it ends.
        on_misconduct: Called with an entrant and a line for its owner that says what it did wrong at a table.
        way_back: Says how an entrant that is withdrawn returns.
    """

    def __init__(
        self,
        hall: Hall,
        manifest: Manifest,
        begun: Begun,
        on_progress: Callable[[Progress], None],
        say: Callable[[str], None],
        patience_s: float | None = None,
    ) -> None:
        """Prepare to play *manifest* as it was *begun*; *say* tells people a line.

        Whoever has no stream is waited for *patience_s*, unless that is said as long as a table waits for a player.
        """
        spec, clock = manifest.ladder, PROFILES[manifest.ladder.clock]
        patience_s = patience_s or (clock.to_enter_us if clock.timed else ABSENT_US) / SECOND_US
        self.progress: Final = Progress(spec.sets)
        self.attendance: Final = Attendance(hall, begun.players, patience_s, say, 1 if spec.isolate else None)
        self.on_stood_up: Callable[[tuple[str, ...]], None] = lambda _entrants: None
        self.on_misconduct: Callable[[str, str], None] = lambda _entrant, _line: None
        self.way_back: Callable[[str], str] = lambda name: f"the ladder is resumed with --readmit {shlex.quote(name)}"
        self._hall = hall
        self._spec = spec
        self._shape = manifest.shape
        self._rules: RuleSet = manifest.rules()
        self._begun = begun
        self._on_progress = on_progress
        self._say = say
        # A seed makes a ladder repeatable, which nonces would not be.
        parties = None if spec.seed else begun.players
        self._deals = Deals(hall, spec.name, begun.secret, spec.sets, parties, say)
        self._deals.is_missed = self.attendance.is_missed
        self._ledger = Ledger(hall, spec.name, spec.policy, self._deals.record)
        self._plan = Plan(manifest.outline(begun.lag), begun.secret, self._ledger.changes)
        self._changed = asyncio.Event()
        self._recorded: dict[tuple[int, int], Fixture] = {}
        self._first_free = 0
        self._pending: list[Place] = []
        self._open: dict[str, Place] = {}
        self._waiting: set[str] = set()
        self._sets: dict[int, SetUnderWay] = {}
        self._failed: set[int] = set()
        self._unjudged: dict[int, list[TableResult]] = {}
        self._next_judged = 0
        self._revealing: set[asyncio.Task[None]] = set()
        hall.on_ended.append(self._table_ended)
        hall.on_failed.append(self._table_failed)

    async def prepare(self) -> None:
        """Plan again what the record already holds, and count it.

        Raises:
            LadderError: The record has other fixtures than the plan.
        """
        rows = self._hall.store.fixtures(self._spec.name)
        self._recorded = {(row.set_number, row.table_number): row for row in rows}
        self.progress.voids = self._ledger.voids
        self._first_free = max((row.set_number + 1 for row in rows), default=0)
        await self._deals.begin(self._begun.record)
        while self._recorded:
            if not await self._plan_one():
                raise self._unplanned(min(self._recorded)[0])

    @property
    def withdrawn(self) -> frozenset[str]:
        """Entrants that are left out of the sets that are not planned yet."""
        return self._ledger.withdrawn

    async def enter_trials(self) -> None:
        """Let the ladder's record say how the trials of its entrants ended. Called after `prepare`."""
        await self._ledger.enter_trials()

    def withdraw(self, entrant: str, cause: Absence) -> bool:
        """Leave *entrant* out of what is not planned yet; return whether it was in. Called after `prepare`."""
        from_set = self._next_change(entrant)
        if is_new := self._ledger.withdraw(entrant, cause, from_set):
            self._plan.change(Change(from_set, entrant, withdrawn=True))
        return is_new

    def readmit(self, entrant: str) -> bool:
        """Let a withdrawn entrant play again; return whether it was withdrawn. Called after `prepare`."""
        from_set = self._next_change(entrant)
        if is_new := self._ledger.readmit(entrant, from_set):
            self._plan.change(Change(from_set, entrant, withdrawn=False))
        return is_new

    async def run(self) -> None:
        """Play until every set that is not left out is done.

        Raises:
            TableFailedError: A set could not be played for faults of the referee.
        """
        self.attendance.begin()
        await self._plan_ahead()
        self._on_progress(self.progress)
        while self._pending or self._open or self._failed or self._revealing or not self._plan.over:
            for task in [task for task in self._revealing if task.done()]:
                task.result()  # raises: only those are still there that have failed
            for number in sorted(self._failed):
                await self._play_again(number)
            self._begin_without_the_missed()
            if not await self._open_one():
                await self._wait()
            await self._plan_ahead()
        await self._ledger.settle()
        if not self.progress.sets_aside:  # else those who return play them, on deals that nobody has seen
            await self._deals.end(self.progress.sets_done)

    async def close(self) -> None:
        """Leave what is being revealed as it is, and write the ladder's record; it has all that is needed to go on."""
        self._hall.on_ended.remove(self._table_ended)
        self._hall.on_failed.remove(self._table_failed)
        for task in self._revealing:
            task.cancel()
        await asyncio.gather(*self._revealing, return_exceptions=True)
        await asyncio.to_thread(self._hall.replays.export_ladder, self._spec.name)

    def crashed(self, entrant: str) -> None:
        """Forfeit the rounds that *entrant* is playing: its process has ended."""
        for table_id, place in self._open.items():
            table = self._hall.tables.get(table_id)
            if entrant in place.entrants and table is not None:
                table.post(GiveUp(place.entrants.index(entrant), Cause.CRASHED))

    # -- what is to be played -----------------------------------------------------

    async def _plan_ahead(self) -> None:
        """Plan sets until there are tables for every one that may be open, each with its deal bound before."""
        while len(self._open) + len(self._pending) < self._spec.parallel_tables and not self._plan.over:
            if not await self._plan_one():
                break
        planned_all = not self._plan.over or self._plan.next_number >= self._spec.sets
        self.progress.sets_aside = 0 if planned_all or self._plan.decided else self._spec.sets - self._plan.next_number

    async def _plan_one(self) -> bool:
        """Plan a set, its deal bound before, and count what the record has of it; return whether there was one."""
        if self._plan.next_number < self._spec.sets:
            await self._deals.ready(self._plan.next_number)
        planned = self._plan.next()
        if planned is not None:
            self._begin_set(*planned)
        return planned is not None

    def _begin_set(self, number: int, members: tuple[str, ...]) -> None:
        planned = seated(number, members, self._shape, self._deals.seed(number))
        self._sets[number] = SetUnderWay(members, set(range(len(planned.tables))))
        for place in (Place(planned, table) for table in range(len(planned.tables))):
            row = self._recorded.pop((number, place.number), None)
            if row is None:
                self._pending.append(place)
            elif tuple(json.loads(row.seats)) != place.entrants:
                raise self._unplanned(number)
            else:
                self._resume(place, row.table_id)

    def _resume(self, place: Place, table_id: str) -> None:
        """Go on with a table of the record; one without a result could not be read back."""
        number = place.planned.number
        self._sets[number].tables[place] = table_id
        table = self._hall.tables.get(table_id)
        if table is not None:
            table.forfeits_on = self._spec.policy.forfeits()
            self._open[table_id] = place
            self._waiting.add(table_id)
            self.attendance.sat_down(place.entrants)
            return
        try:
            self._count(place, result_of(self._hall.store, table_id))
        except NoResultError:
            self._failed.add(number)

    def _unplanned(self, number: int) -> LadderError:
        return LadderError(
            f"set {number} of ladder {self._spec.name} has other entrants than are planned: another version of "
            "rummyref began it; continue it with that one, or begin it in another --data"
        )

    def _next_change(self, entrant: str) -> int:
        """Return the first set that is not planned, not in the record, and not before a change of *entrant*."""
        return max(self._plan.next_number, self._first_free, self._ledger.last_change(entrant))

    # -- opening ------------------------------------------------------------------

    async def _open_one(self) -> bool:
        """Open the first table whose entrants are ready and not wanted at an earlier one; return whether one was."""
        if len(self._open) >= self._spec.parallel_tables:
            return False
        wanted: set[str] = set()
        for place in self._pending:
            if wanted.isdisjoint(place.entrants) and all(map(self.attendance.is_ready, place.entrants)):
                self._pending.remove(place)
                await self._open_table(place)
                return True
            wanted.update(place.entrants)
        return False

    async def _open_table(self, place: Place) -> None:
        spec, (planned, number) = self._spec, place
        secret = Secret(self._deals.seed(planned.number), number, spec.relabel_suits)
        row = table_row(self._rules, spec.clock, "minimal", secret, spec.policy.strikes, None)
        row.state = RUNNING
        players = {seat: self._begun.players[entrant] for seat, entrant in enumerate(place.entrants)}
        fixture = {
            "ladder": spec.name, "set_number": planned.number, "table_number": number, "table_id": row.id,
            "seats": json.dumps(place.entrants),
        }  # fmt: skip
        sealed = self._deals.opening(planned.number, LadderTable(number, row.id, place.entrants, ""))
        rows = table_write(row, [seat_row(row.id, *item) for item in players.items()])
        await self._hall.append([*rows, Write(_ADD_FIXTURE, [fixture]), sealed])
        self._open[row.id] = place
        self._waiting.add(row.id)
        self._sets[planned.number].tables[place] = row.id
        self.attendance.sat_down(place.entrants)
        table = self._hall.open_ranked(row, players)
        table.forfeits_on = spec.policy.forfeits()

    def _begin_without_the_missed(self) -> None:
        """Let tables begin that wait for nobody any more but entrants that do not come."""
        for table_id in list(self._waiting):
            place, table = self._open.get(table_id), self._hall.tables.get(table_id)
            if place is None or table is None:
                self._waiting.discard(table_id)
                continue
            missed = {desk.seat for desk in table.desks if self.attendance.is_missed(place.entrants[desk.seat])}
            if all(desk.is_carried() or desk.seat in missed for desk in table.desks):
                self._waiting.discard(table_id)
                if missed:
                    table.post(EnterOver())

    async def _wait(self) -> None:
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), _LOOK_AGAIN_S)

    # -- ending -------------------------------------------------------------------

    def _close_table(self, table_id: str) -> Place | None:
        """Return the place of a table that is open no longer, None if it is none of this ladder's."""
        place = self._open.pop(table_id, None)
        if place is not None:
            self.attendance.stood_up(place.entrants)
            self.on_stood_up(place.entrants)
            self._changed.set()
        return place

    def _table_ended(self, table_id: str, result: Result | Void) -> None:
        place = self._close_table(table_id)
        if place is not None and isinstance(result, Result):
            for seat, entrant in enumerate(place.entrants):
                for wrong in misconduct(result, seat):
                    self.on_misconduct(entrant, f"table {table_id}: {wrong}")
            self._count(place, result)
            self.progress.tables_done += 1
            self._on_progress(self.progress)

    def _table_failed(self, table_id: str) -> None:
        place = self._close_table(table_id)
        if place is not None:
            self._failed.add(place.planned.number)

    async def _play_again(self, number: int) -> None:
        """Let a set that the referee has failed at not count, and play it first, on a fresh deal.

        Raises:
            TableFailedError: It has become void too often.
        """
        self._failed.discard(number)
        failed, proof = self._sets[number], self._deals.proof(number)
        for table_id in failed.tables.values():
            await self._hall.discard(table_id)
            self._close_table(table_id)
        for table_id in failed.tables.values():  # shown first: nothing remembers them once the set is void
            await self._hall.reveal(table_id, proof)
        tables = [LadderTable(place.number, table_id, place.entrants, "") for place, table_id in failed.tables.items()]
        closed = self._deals.void(number, tables)
        again = await self._ledger.void(number, list(failed.tables.values()), REFEREE_FAULT, closed)
        self.progress.voids = self._ledger.voids
        _log.error("set_void", ladder=self._spec.name, set_number=number, cause=REFEREE_FAULT)
        if not again:
            raise TableFailedError(f"set {number} fails again and again, which is a fault of rummyref and no bot's")
        self._say(f"set {number} is void by a fault of rummyref, of no bot; it is played again on a fresh deal")
        await self._deals.ready(number)
        later = [place for place in self._pending if place.planned.number != number]
        self._pending.clear()
        self._begin_set(number, failed.members)
        self._pending.extend(later)

    def _count(self, place: Place, result: Result) -> None:
        number = place.planned.number
        under_way = self._sets[number]
        under_way.ended.append(TableResult(number, place.entrants, result))
        under_way.left.discard(place.number)
        if not under_way.left:
            self._set_ended(number, self._sets.pop(number))

    def _set_ended(self, number: int, ended: SetUnderWay) -> None:
        results = results_of_set(ended.ended, self._rules.sense, self._shape)
        self._plan.done(number, results)
        self.progress.tally.add(results)
        self.progress.sets_done += 1
        for table in ended.ended:
            self.progress.faults += len(table.result.faults) + len(table.result.forfeits)
        self._unjudged[number] = ended.ended
        while (tables := self._unjudged.pop(self._next_judged, None)) is not None:
            self._judge(self._next_judged, tables)
            self._next_judged += 1
        task = asyncio.get_running_loop().create_task(self._reveal(number, ended.tables))
        self._revealing.add(task)
        task.add_done_callback(self._revealed)

    def _judge(self, number: int, tables: list[TableResult]) -> None:
        """Count conduct in a set, in order of numbers; say who is withdrawn, and from which set on."""
        from_set = number + self._begun.lag
        for entrant, counted in self._ledger.count(number, tables, from_set):
            self._plan.change(Change(from_set, entrant, withdrawn=True))
            self._say(
                f"entrant {entrant} is withdrawn: {counted.bad} of its {counted.rounds} rounds were bad; from set "
                f"{from_set} on it is left out until {self.way_back(entrant)}"
            )

    async def _reveal(self, number: int, tables: dict[Place, str]) -> None:
        """Show the secret of a set, whose last table has ended, and enter it into the ladder's record."""
        if self._deals.is_closed(number):
            return
        proof, shown = self._deals.proof(number), []
        for place, table_id in sorted(tables.items(), key=lambda item: item[0].number):
            head = await self._hall.reveal(table_id, proof)
            shown.append(LadderTable(place.number, table_id, place.entrants, head))
        await self._deals.played(number, shown)

    def _revealed(self, task: asyncio.Task[None]) -> None:
        """Let go of *task*, unless it has failed: `run` raises what it did."""
        if task.cancelled() or task.exception() is None:
            self._revealing.discard(task)
        self._changed.set()
