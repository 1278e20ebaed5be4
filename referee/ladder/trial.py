"""Trials: a new entrant shows at tables that do not count that it can play, before it is ranked.

It sits in every seat of two tables. At the second its stream is ended in the middle
of the match, and it has to come back. What it did is judged by the same fold over the
record that the doctor uses.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from typing import Final

import structlog
from sqlalchemy import bindparam, delete, insert
from sqlmodel import col

from engine.record.conduct import Conduct, conduct
from engine.record.deal import Secret
from engine.record.entries import Cause, Result
from engine.record.entry_json import from_json
from engine.rules.ruleset import RuleSet
from referee.hall import Hall
from referee.identity import new_secret
from referee.ladder.attendance import Attendance
from referee.ladder.manifest import LadderSpec
from referee.store.models import Trial
from referee.store.rows import RUNNING, now_us, seat_row, table_row, table_write
from referee.store.writer import Write
from referee.tables.messages import EnterOver, Told, Watcher, WatchFrom
from referee.tables.table import Table

_CUT_AFTER: Final = 6
"""Public events of a table after which its stream is ended, where that is to be tried."""

_LOOK_AGAIN_S: Final = 0.25
_STAND_IN: Final = "stand-in"
_REFEREE_FAULT: Final = "referee_fault"
"""What is wrong where tables of a trial fail again and again: nobody but the referee is to blame."""

_ADD: Final = insert(Trial)
_REMOVE: Final = delete(Trial).where(col(Trial.player_id) == bindparam("of_player"))
_log = structlog.get_logger()


def problem_of(seen: Conduct) -> str:
    """Return what keeps an entrant of this conduct from being ranked, in words; empty for nothing."""
    if seen.is_clean:
        return ""
    faults = Counter(cause.value for cause in seen.faults)
    return ", ".join(f"{cause} {count}" for cause, count in sorted(faults.items())) or "it made no play"


class Trials:
    """The trials of one ladder's entrants."""

    def __init__(self, hall: Hall, spec: LadderSpec, rules: RuleSet) -> None:
        """Hold them in *hall*, with the clock, the strikes and the *rules* of the ladder."""
        self._hall = hall
        self._spec = spec
        self._rules = rules
        self._nobody = ""
        self._verdicts: dict[str, Trial | None] = {}

    def verdict(self, player_id: str) -> Trial | None:
        """Return how the trial of an entrant ended, None if it had none."""
        if player_id not in self._verdicts:
            self._verdicts[player_id] = self._hall.store.trial(player_id)
        return self._verdicts[player_id]

    async def hold(self, entrant: str, player_id: str) -> Trial:
        """Try *entrant*, which is there, unless that has been done; return how it ended."""
        return self.verdict(player_id) or await self._hold(entrant, player_id)

    async def hold_all(self, players: Mapping[str, str], attendance: Attendance) -> dict[str, str]:
        """Try *players*, ids by entrant, as they come; return by entrant what is wrong with those that are not fit."""
        room = asyncio.Semaphore(self._spec.parallel_tables)

        async def tried(entrant: str) -> str:
            while not attendance.is_ready(entrant):  # noqa: ASYNC110 - nobody tells who has come
                await asyncio.sleep(_LOOK_AGAIN_S)
            if attendance.is_missed(entrant) and self.verdict(players[entrant]) is None:
                return (await self._record(entrant, players[entrant], [], Cause.NEVER_CAME.value)).problem
            async with room:
                return (await self.hold(entrant, players[entrant])).problem

        problems = await asyncio.gather(*map(tried, players))
        return {entrant: problem for entrant, problem in zip(players, problems, strict=True) if problem}

    async def forget(self, player_id: str) -> None:
        """Let an entrant that failed be tried again."""
        await self._hall.append([Write(_REMOVE, [{"of_player": player_id}])])
        self._verdicts[player_id] = None

    async def _hold(self, entrant: str, player_id: str) -> Trial:
        seen, tables = Conduct(), list[str]()
        for cut in (False, True):
            table = await self._played(player_id, cut=cut)
            if table is None:
                return await self._record(entrant, player_id, tables, _REFEREE_FAULT)
            tables.append(table.table_id)
            seen += self._seen(table, player_id)
            if problem_of(seen):
                break
        return await self._record(entrant, player_id, tables, problem_of(seen))

    async def _played(self, player_id: str, *, cut: bool) -> Table | None:
        """Return a table played to its end, the stream *cut* in its middle; None if the referee fails at all."""
        for _ in range(1 + self._spec.policy.void_again):
            table = await self._open(player_id, self._cutter(player_id) if cut else None)
            if await self._ended(table):
                return table
        return None

    async def _record(self, entrant: str, player_id: str, tables: list[str], problem: str) -> Trial:
        trial = Trial(
            player_id=player_id, fit=not problem, problem=problem, tables=json.dumps(tables), at_us=now_us()
        )  # fmt: skip
        await self._hall.append([Write(_REMOVE, [{"of_player": player_id}]), Write(_ADD, [trial.model_dump()])])
        self._verdicts[player_id] = trial
        _log.info("entrant_tried", ladder=self._spec.name, entrant=entrant, fit=trial.fit, problem=problem)
        return trial

    async def _open(self, player_id: str, watcher: Watcher | None) -> Table:
        """Open a table with the entrant in every seat that it has room for, a stand-in in the others."""
        seats = self._rules.players
        own = seats if self._hall.attending(player_id) >= seats else 1
        others = player_id if own == seats else await self._absent()
        players = {seat: player_id if seat < own else others for seat in range(seats)}
        row = table_row(self._rules, self._spec.clock, "minimal", Secret(new_secret()), self._spec.policy.strikes, None)
        row.state = RUNNING
        await self._hall.append(table_write(row, [seat_row(row.id, *seat) for seat in players.items()]))
        table = self._hall.open_ranked(row, players)
        if watcher is not None:
            table.post(WatchFrom(0, watcher))
        table.post(EnterOver())
        return table

    async def _absent(self) -> str:
        """Return the id of a player who never comes, so that the stand-in plays for it."""
        self._nobody = self._nobody or (await self._hall.players.register(_STAND_IN)).player.id
        return self._nobody

    def _cutter(self, player_id: str) -> Watcher:
        """Return a watcher that ends the streams of a player in the middle of a match."""

        def see(sequence: int, _told: Told) -> None:
            if sequence == _CUT_AFTER:
                for stream in self._hall.streams():
                    if stream.player_id == player_id:
                        stream.close("SHUTTING_DOWN", "this stream ends to see whether you come back and resume")

        return Watcher(see, lambda: None)

    async def _ended(self, table: Table) -> bool:
        """Wait for the end of *table*; return whether it was none by a fault of the referee."""
        while not table.result.done() and table.table_id in self._hall.tables:
            await asyncio.wait([table.result], timeout=_LOOK_AGAIN_S)
        if not table.result.done() or table.result.cancelled():
            return False
        result = table.result.result()
        return isinstance(result, Result) or result.cause is not Cause.REFEREE_FAULT

    def _seen(self, table: Table, player_id: str) -> Conduct:
        entries = [from_json(json.loads(body)) for body in self._hall.store.entries(table.table_id)]
        mine = (desk.seat for desk in table.desks if desk.player_id == player_id)
        return sum((conduct(entries, seat) for seat in mine), Conduct())
