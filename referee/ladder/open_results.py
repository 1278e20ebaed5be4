"""What may be told of an open ladder: only of sets whose last table has ended."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.record.entries import Result
from referee.ladder.margins import TableResult
from referee.ladder.open_ladder import LiveLadder
from referee.ladder.results import NoResultError, result_of
from referee.store.models import Fixture
from referee.store.queries import Store

if TYPE_CHECKING:
    from referee.ladder.lines import Standings  # needs numpy, which tables of people do not


class Played(NamedTuple):
    """A table of a set that is over.

    Attributes:
        season: Number of the season, from 1.
        fixture: Which table of which set.
        result: How its match ended.
    """

    season: int
    fixture: Fixture
    result: Result

    @property
    def place(self) -> tuple[int, int, int]:
        """Season, set and table."""
        return self.season, self.fixture.set_number, self.fixture.table_number


class OpenResults:
    """Results of the open ladders of one store; those once read are kept. A thread may call all of it."""

    def __init__(self, store: Store) -> None:
        """Read from *store*."""
        self._store: Final = store
        self._results: Final[dict[str, Result]] = {}

    def standings(self, ladder: LiveLadder) -> "Standings":
        """Return the standings of *ladder*; every entrant has a line."""
        from referee.ladder.lines import Standings, unranked  # noqa: PLC0415 - likewise
        from referee.ladder.standings import standings  # noqa: PLC0415 - likewise

        if not ladder.entrants:
            return Standings((), 0, (), {}, ())
        manifest = ladder.spec.season(ladder.row.name, {})
        tables = [
            TableResult(
                (played.season - 1) * ladder.spec.ladder.sets + played.fixture.set_number,
                tuple(json.loads(played.fixture.seats)),
                played.result,
            )
            for played in self.played(ladder)
        ]
        found = standings(tables, tuple(ladder.entrants), manifest.rules().sense, manifest.shape)
        trials = ((name, ladder.trial_of(entrant)) for name, entrant in ladder.entrants.items())
        unfit = tuple(unranked(name, trial.problem) for name, trial in trials if trial is not None and not trial.fit)
        return replace(found, notes=(*unfit, *found.notes))

    def played(self, ladder: LiveLadder) -> list[Played]:
        """Return the tables of the sets that are over, by season, set and table."""
        tables = ladder.spec.season(ladder.row.name, {}).shape.tables
        found = []
        for season in list(ladder.seasons):
            by_set: dict[int, list[Played]] = {}
            for fixture in self._store.fixtures(season.name):
                result = self._result(fixture.table_id)
                if result is not None:
                    by_set.setdefault(fixture.set_number, []).append(Played(season.number, fixture, result))
            found += [played for number in sorted(by_set) if len(by_set[number]) == tables for played in by_set[number]]
        return found

    def _result(self, table_id: str) -> Result | None:
        if table_id not in self._results:
            try:
                self._results[table_id] = result_of(self._store, table_id)
            except NoResultError:
                return None
        return self._results[table_id]
