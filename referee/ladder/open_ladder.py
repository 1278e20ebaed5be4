"""One open ladder: its entrants, and its seasons one after another."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy import bindparam, insert, update
from sqlmodel import col

from engine.record.ladder import Absence
from referee.hall import Hall
from referee.ladder.begin import begin_season, resume_season
from referee.ladder.open_spec import OpenSpec
from referee.ladder.scheduler import Scheduler
from referee.ladder.trial import Trials
from referee.ladder.under_way import Progress
from referee.store.models import OpenEntrant, OpenLadder, Season, Trial
from referee.store.writer import Write

_LOOK_AGAIN_S: Final = 0.25
"""How soon it is noticed that enough entrants attend."""

_ADD_SEASON: Final = insert(Season)
_SEASON_OVER: Final = (
    update(Season)
    .where(col(Season.ladder) == bindparam("of_ladder"), col(Season.number) == bindparam("of_number"))
    .values(over=True)
)
_log = structlog.get_logger()


class LiveLadder:
    """An open ladder that lives in a hall.

    Attributes:
        row: As stored.
        spec: What it plays.
        entrants: Entrants by name, in the order in which they entered.
        seasons: Its seasons, in order.
        on_withdrawn: Called with an entrant that is withdrawn for its conduct.
    """

    def __init__(self, hall: Hall, row: OpenLadder, entrants: list[OpenEntrant], seasons: list[Season]) -> None:
        """Take up the ladder of *row*, as the store of *hall* has it."""
        self.row: Final = row
        self.spec: Final = OpenSpec.model_validate_json(row.spec)
        self.entrants: Final = {entrant.entrant: entrant for entrant in entrants}
        self.seasons: Final = seasons
        self.on_withdrawn: Callable[[OpenEntrant], None] = lambda _entrant: None
        self._hall = hall
        self._trials = Trials(hall, self.spec.ladder, self.spec.season(row.name, {}).rules())
        self._trying: dict[str, asyncio.Task[None]] = {}
        self._scheduler: Scheduler | None = None
        self._field: frozenset[str] = frozenset()
        self._returned: set[str] = set()
        self._sets_over = 0
        self._news = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether it is closed and its last season has ended."""
        return self.row.closed and not self._under_way()

    @property
    def is_running(self) -> bool:
        """Whether a season is under way."""
        return self._under_way() is not None

    def attends(self, entrant: OpenEntrant) -> bool:
        """Whether *entrant* has a stream."""
        return self._hall.is_there(entrant.player_id)

    def close(self) -> None:
        """Begin no more seasons."""
        self.row.closed = True
        self._tell()

    def withdraw(self, entrant: OpenEntrant) -> None:
        """Play the sets that are not planned yet without *entrant*, and wait for it at the others no more."""
        entrant.withdrawn = True
        self._returned.discard(entrant.entrant)
        self._leave_out(entrant.entrant)

    def readmit(self, entrant: OpenEntrant) -> None:
        """Play the sets to come with *entrant* again, in this season if it was in its field."""
        entrant.withdrawn = False
        if self._scheduler is None:
            self._returned.add(entrant.entrant)  # a season may be under way that is still read back
        else:
            self._let_in(entrant.entrant)

    @property
    def news(self) -> asyncio.Event:
        """Set when a season begins, a set is over, or the ladder is; another one from then on."""
        return self._news

    def trial_of(self, entrant: OpenEntrant) -> Trial | None:
        """Return how the trial of *entrant* ended; None if it had none, or none is asked for."""
        return self._trials.verdict(entrant.player_id) if self.spec.ladder.trial else None

    async def try_again(self, entrant: OpenEntrant) -> None:
        """Let *entrant* be tried again if it has failed."""
        trial = self.trial_of(entrant)
        if trial is not None and not trial.fit:
            await self._trials.forget(entrant.player_id)

    async def run(self) -> None:
        """Play season after season until the ladder is closed."""
        try:
            while (season := self._under_way() or await self._next_season()) is not None:
                await self._play(season)
        finally:
            await self._end_trials()
        self._tell()

    def _under_way(self) -> Season | None:
        return next((season for season in self.seasons if not season.over), None)

    # -- between seasons ----------------------------------------------------------

    async def _next_season(self) -> Season | None:
        """Wait until enough entrants attend and begin a season with them; None if the ladder is closed first."""
        while not self.row.closed:
            there = [entrant for entrant in self.entrants.values() if not entrant.withdrawn and self.attends(entrant)]
            field = [entrant for entrant in there if self._is_tried(entrant)]
            if len({entrant.owner_id for entrant in field}) >= self.spec.field:
                return await self._begin(field)
            await asyncio.sleep(_LOOK_AGAIN_S)
        return None

    def _is_tried(self, entrant: OpenEntrant) -> bool:
        """Return whether *entrant* may be ranked; one that has not been tried is, from now on."""
        if not self.spec.ladder.trial:
            return True
        trial = self.trial_of(entrant)
        if trial is None and entrant.player_id not in self._trying:
            task = asyncio.get_running_loop().create_task(self._try_out(entrant))
            self._trying[entrant.player_id] = task
            task.add_done_callback(lambda _task: self._trying.pop(entrant.player_id, None))
        return trial is not None and trial.fit

    async def _try_out(self, entrant: OpenEntrant) -> None:
        await self._trials.hold(entrant.entrant, entrant.player_id)
        self._tell()

    async def _end_trials(self) -> None:
        tasks = list(self._trying.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _begin(self, field: list[OpenEntrant]) -> Season:
        number = len(self.seasons) + 1
        season = Season(ladder=self.row.name, number=number, name=f"{self.row.name} {number}", over=False)
        manifest = self.spec.season(season.name, {entrant.entrant: entrant.owner_id for entrant in field})
        players = {entrant.entrant: entrant.player_id for entrant in field}
        await begin_season(self._hall, manifest, players, [Write(_ADD_SEASON, [season.model_dump()])])
        self.seasons.append(season)
        _log.info("season_begun", ladder=self.row.name, season=number, entrants=len(field))
        self._tell()
        return season

    # -- a season -----------------------------------------------------------------

    async def _play(self, season: Season) -> None:
        begun = resume_season(self._hall, season.name)
        owners = {name: self.entrants[name].owner_id for name in begun.players}
        manifest = self.spec.season(season.name, owners)
        scheduler = Scheduler(self._hall, manifest, begun, self._progressed, self._say, self.spec.patience_s)
        scheduler.way_back = lambda _entrant: "its owner enters it again"
        try:
            await scheduler.prepare()
            await scheduler.enter_trials()
            self._scheduler, self._field, self._sets_over = scheduler, frozenset(owners), 0
            for name in owners:
                if self.entrants[name].withdrawn:
                    self._leave_out(name)
                elif name in self._returned:
                    self._let_in(name)
            self._returned.clear()
            await scheduler.run()
        finally:
            self._scheduler = None
            await scheduler.close()
        season.over = True
        await self._hall.append([Write(_SEASON_OVER, [{"of_ladder": season.ladder, "of_number": season.number}])])
        _log.info("season_over", ladder=self.row.name, season=season.number)
        self._tell()

    def _leave_out(self, name: str) -> None:
        if self._scheduler is not None and name in self._field:
            self._scheduler.attendance.dead.add(name)
            self._scheduler.withdraw(name, Absence.REQUEST)

    def _let_in(self, name: str) -> None:
        if self._scheduler is not None and name in self._field:
            self._scheduler.attendance.dead.discard(name)
            self._scheduler.readmit(name)

    def _progressed(self, progress: Progress) -> None:
        if progress.sets_done != self._sets_over:
            self._sets_over = progress.sets_done
            self._tell()
        for name in self._scheduler.withdrawn if self._scheduler is not None else ():
            if not self.entrants[name].withdrawn:
                self.withdraw(self.entrants[name])
                self.on_withdrawn(self.entrants[name])

    def _say(self, line: str) -> None:
        _log.info("ladder_says", ladder=self.row.name, line=line)

    def _tell(self) -> None:
        """Wake whoever waits for news."""
        self._news.set()
        self._news = asyncio.Event()
