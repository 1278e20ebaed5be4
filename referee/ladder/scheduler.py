"""Plays a ladder: opens tables as their entrants have room, set by set, and resumes."""

import asyncio
import contextlib
import json
import shlex
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import structlog
from sqlalchemy import insert

from engine.clock import PROFILES, SECOND_US
from engine.record.deal import Secret
from engine.record.entries import Cause, Result
from engine.rules.ruleset import RuleSet
from referee.hall import Hall
from referee.ladder.fixtures import PlannedSet, plan, set_secret
from referee.ladder.ledger import REFEREE_FAULT, Ledger
from referee.ladder.manifest import Manifest
from referee.ladder.margins import TableResult
from referee.ladder.results import NoResultError, result_of
from referee.store.models import Fixture
from referee.store.rows import RUNNING, seat_row, table_row, table_write
from referee.store.writer import Write
from referee.tables.messages import EnterOver, GiveUp
from referee.tables.timer import ABSENT_US

_LOOK_AGAIN_S: Final = 0.05
"""How soon a bot that has connected is noticed."""

_ADD_FIXTURE: Final = insert(Fixture)
_log = structlog.get_logger()


@dataclass(slots=True)
class Progress:
    """How far a ladder is.

    Attributes:
        sets: Sets in all.
        sets_done: Sets whose every table has ended.
        tables_done: Tables that have ended in this run.
        started: Monotonic time of the start.
        sets_aside: Sets that are left out, since an entrant of theirs is withdrawn.
        results: Results of every ended table.
    """

    sets: int
    sets_done: int = 0
    tables_done: int = 0
    sets_aside: int = 0
    started: float = field(default_factory=time.monotonic)
    results: list[TableResult] = field(default_factory=list)


class TableFailedError(Exception):
    """A set has become void by faults of the referee itself, again and again."""


class Scheduler:
    """Plays the fixtures of one ladder in one hall.

    Attributes:
        progress: How far it is.
        dead: Entrants that cannot come any more; their tables begin without them.
            Those that are late are waited for as long as a table waits for a player.
    """

    def __init__(
        self,
        hall: Hall,
        manifest: Manifest,
        secret: bytes,
        player_ids: dict[str, str],
        on_progress: Callable[[Progress], None],
        say: Callable[[str], None],
    ) -> None:
        """Prepare to play *manifest* with the players *player_ids* by entrant; *say* tells people a line."""
        self.progress: Final = Progress(manifest.ladder.sets)
        self.dead: Final[set[str]] = set()
        self._hall = hall
        self._manifest = manifest
        self._rules: RuleSet = manifest.rules()
        self._secret = secret
        self._players = player_ids
        self._on_progress = on_progress
        self._say = say
        clock = PROFILES[manifest.ladder.clock]
        self._patience_s = (clock.to_enter_us if clock.timed else ABSENT_US) / SECOND_US
        self._absent: set[str] = set()
        self._gone_since: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._open: dict[str, tuple[PlannedSet, tuple[str, ...]]] = {}
        self._left_in_set: dict[int, set[int]] = {}
        self._set_tables: dict[int, list[str]] = {}
        self._revealing: set[asyncio.Task[None]] = set()
        self._ledger = Ledger(hall, manifest.ladder.name, manifest.ladder.policy)
        self._planned: list[PlannedSet] = []
        self._queue: deque[tuple[PlannedSet, int]] = deque()
        self._failed: set[int] = set()
        self._set_results: dict[int, list[TableResult]] = {}
        hall.on_ended = self._table_ended
        hall.on_failed = self._table_failed

    def prepare(self) -> None:
        """Plan every set and count what the record already holds."""
        spec = self._manifest.ladder
        self._planned = plan(self._manifest.names, spec.players, spec.sets, self._secret)
        self._queue.extend(self._still_to_open())

    def readmit(self, entrant: str) -> bool:
        """Let a withdrawn entrant play again; return whether it was withdrawn. Called between `prepare` and `run`."""
        return self._ledger.readmit(entrant)

    async def run(self) -> None:
        """Play until every set that is not left out is done.

        Raises:
            TableFailedError: A set could not be played for faults of the referee.
        """
        self._gone_since = dict.fromkeys(self._players, time.monotonic())
        self._on_progress(self.progress)
        while self._queue or self._open or self._failed or self._revealing:
            for number in sorted(self._failed):
                await self._play_again(number)
            self._put_aside()
            if self._queue and self._has_room(*self._queue[0]):
                await self._open_table(*self._queue.popleft())
            else:
                await self._wait()

    async def close(self) -> None:
        """Leave what is being revealed as it is; the record has all that is needed to do it again."""
        for task in self._revealing:
            task.cancel()
        await asyncio.gather(*self._revealing, return_exceptions=True)

    def crashed(self, entrant: str) -> None:
        """Forfeit the rounds that *entrant* is playing: its process has ended."""
        for table_id, (_, entrants) in self._open.items():
            table = self._hall.tables.get(table_id)
            if entrant in entrants and table is not None:
                table.post(GiveUp(entrants.index(entrant), Cause.CRASHED))

    def _put_aside(self) -> None:
        """Leave out the sets at the head of the queue that have not begun and have an entrant that is withdrawn."""
        while self._queue:
            fixture_set, _ = self._queue[0]
            begun = bool(self._set_tables.get(fixture_set.number))
            if begun or self._ledger.withdrawn.isdisjoint(fixture_set.tables[0]):
                return
            self._queue.popleft()
            if not any(other is fixture_set for other, _ in self._queue):
                self.progress.sets_aside += 1
                self._on_progress(self.progress)

    async def _play_again(self, number: int) -> None:
        """Let a set that the referee has failed at not count, and queue it first, for a fresh deal.

        Raises:
            TableFailedError: It has become void too often.
        """
        self._failed.discard(number)
        fixture_set = self._planned[number]
        for table_id in self._set_tables.get(number, []):
            self._hall.discard(table_id)
            self._open.pop(table_id, None)
        again = await self._ledger.void(number, self._set_tables.pop(number, []), REFEREE_FAULT)
        self.progress.results[:] = [result for result in self.progress.results if result.set_number != number]
        _log.error("set_void", ladder=self._ladder, set_number=number, cause=REFEREE_FAULT)
        if not again:
            raise TableFailedError(f"set {number} fails again and again, which is a fault of rummyref and no bot's")
        self._say(f"set {number} is void by a fault of rummyref, of no bot; it is played again on a fresh deal")
        self._left_in_set[number] = set(range(len(fixture_set.tables)))
        self._set_results.pop(number, None)
        self._queue = deque(item for item in self._queue if item[0] is not fixture_set)
        self._queue.extendleft((fixture_set, table) for table in reversed(range(len(fixture_set.tables))))

    def _still_to_open(self) -> list[tuple[PlannedSet, int]]:
        """Return the tables without a fixture in the record; count those that have one."""
        known = {(row.set_number, row.table_number): row for row in self._hall.store.fixtures(self._ladder)}
        missing = []
        for fixture_set in self._planned:
            self._left_in_set[fixture_set.number] = set(range(len(fixture_set.tables)))
            for number in range(len(fixture_set.tables)):
                row = known.get((fixture_set.number, number))
                if row is None:
                    missing.append((fixture_set, number))
                    continue
                entrants = tuple(json.loads(row.seats))
                self._set_tables.setdefault(row.set_number, []).append(row.table_id)
                if row.table_id in self._hall.tables:
                    self._open[row.table_id] = (fixture_set, entrants)
                    self._hall.tables[row.table_id].forfeits_on = self._manifest.ladder.policy.forfeits()
                else:
                    self._count_past(row.table_id, row.set_number, number, entrants)
        return missing

    def _count_past(self, table_id: str, set_number: int, number: int, entrants: tuple[str, ...]) -> None:
        """Count a table of the record; one without a result could not be read back."""
        try:
            result = result_of(self._hall.store, table_id)
        except NoResultError:
            self._failed.add(set_number)
        else:
            self._count(set_number, number, entrants, result)

    @property
    def _ladder(self) -> str:
        return self._manifest.ladder.name

    def _has_room(self, fixture_set: PlannedSet, number: int) -> bool:
        """Whether another table may be open and every entrant can take it or is not waited for."""
        limit = self._manifest.ladder.parallel_tables
        return len(self._open) < limit and all(map(self._is_ready, fixture_set.tables[number]))

    def _is_ready(self, entrant: str) -> bool:
        """Whether a table with *entrant* may be opened: it has room, or has been without a stream for too long."""
        if entrant in self.dead:
            return True
        player = self._players[entrant]
        if any(stream.player_id == player for stream in self._hall.streams()):
            self._absent.discard(entrant)
            self._gone_since.pop(entrant, None)
            return self._hall.attending(player) > 0
        waited = time.monotonic() - self._gone_since.setdefault(entrant, time.monotonic())
        if waited >= self._patience_s and entrant not in self._absent:
            self._absent.add(entrant)
            self._say(
                f"entrant {entrant} has not been connected for {self._patience_s:.0f} s; "
                "its rounds are forfeited until it is"
            )
        return entrant in self._absent

    async def _wait(self) -> None:
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), _LOOK_AGAIN_S)

    async def _open_table(self, fixture_set: PlannedSet, number: int) -> None:
        spec, entrants = self._manifest.ladder, fixture_set.tables[number]
        deal = set_secret(self._secret, fixture_set.number, self._ledger.attempt(fixture_set.number))
        secret = Secret(deal, number, spec.relabel_suits)
        row = table_row(self._rules, spec.clock, "minimal", secret, spec.policy.strikes)
        row.state = RUNNING
        players = {seat: self._players[entrant] for seat, entrant in enumerate(entrants)}
        fixture = {
            "ladder": self._ladder, "set_number": fixture_set.number, "table_number": number, "table_id": row.id,
            "seats": json.dumps(entrants),
        }  # fmt: skip
        await self._hall.append(
            [*table_write(row, [seat_row(row.id, *item) for item in players.items()]), Write(_ADD_FIXTURE, [fixture])]
        )
        self._open[row.id] = (fixture_set, entrants)
        self._set_tables.setdefault(fixture_set.number, []).append(row.id)
        table = self._hall.open_ranked(row, players)
        table.forfeits_on = spec.policy.forfeits()
        if (self.dead | self._absent).intersection(entrants):
            table.post(EnterOver())

    def _table_ended(self, table_id: str, result: Result) -> None:
        opened = self._open.pop(table_id, None)
        if opened is None:
            return
        fixture_set, entrants = opened
        number = fixture_set.tables.index(entrants)
        self._count(fixture_set.number, number, entrants, result)
        self.progress.tables_done += 1
        self._on_progress(self.progress)
        self._changed.set()

    def _table_failed(self, table_id: str) -> None:
        opened = self._open.pop(table_id, None)
        if opened is not None:
            self._failed.add(opened[0].number)
            self._changed.set()

    def _count(self, set_number: int, table_number: int, entrants: tuple[str, ...], result: Result) -> None:
        played = TableResult(set_number, entrants, result)
        self.progress.results.append(played)
        self._set_results.setdefault(set_number, []).append(played)
        left = self._left_in_set[set_number]
        left.discard(table_number)
        if not left:
            self.progress.sets_done += 1
            for table in self._set_results.pop(set_number):
                self._judge(table)
            task = asyncio.get_running_loop().create_task(self._reveal(self._set_tables[set_number]))
            self._revealing.add(task)
            task.add_done_callback(self._revealed)

    def _judge(self, played: TableResult) -> None:
        """Count the conduct of a table whose set is over, and say who is withdrawn for it."""
        for entrant, tally in self._ledger.count(played.entrants, played.result):
            self._say(
                f"entrant {entrant} is withdrawn: {tally.bad} of its {tally.rounds} rounds were bad; its further sets "
                f"are left out until the ladder is resumed with --readmit {shlex.quote(entrant)}"
            )

    async def _reveal(self, tables: list[str]) -> None:
        """Show the secret of a set: its last table has ended."""
        for table_id in tables:
            await self._hall.reveal(table_id)

    def _revealed(self, task: asyncio.Task[None]) -> None:
        self._revealing.discard(task)
        self._changed.set()
        if not task.cancelled():
            task.result()
