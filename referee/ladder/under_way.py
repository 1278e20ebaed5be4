"""What of a ladder is under way, and how far it is."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.ladder.fixtures import PlannedSet
from referee.ladder.margins import TableResult
from referee.ladder.tally import Tally


@dataclass(slots=True)
class Progress:
    """How far a ladder is.

    Attributes:
        sets: Sets in all, unless it is decided sooner.
        sets_done: Sets whose every table has ended.
        sets_aside: Sets that are left out, since too many entrants are withdrawn.
        tables_done: Tables that have ended in this run.
        started: Monotonic time of the start.
        tally: Set results by entrant, of the sets that are done.
        faults: Faults and forfeits in the sets that are done.
        voids: Times that a set has become void.
    """

    sets: int
    sets_done: int = 0
    sets_aside: int = 0
    tables_done: int = 0
    started: float = field(default_factory=time.monotonic)
    tally: Tally = field(default_factory=Tally)
    faults: int = 0
    voids: int = 0


class Place(NamedTuple):
    """A table of a set.

    Attributes:
        planned: The set.
        number: Number of the table in it, from 0.
    """

    planned: PlannedSet
    number: int

    @property
    def entrants(self) -> tuple[str, ...]:
        """Entrants by seat."""
        return self.planned.tables[self.number]


@dataclass(slots=True)
class SetUnderWay:
    """A set whose tables have not all ended.

    Attributes:
        members: Its entrants.
        left: Numbers of the tables that have not ended.
        tables: Ids of those that were opened, by place.
        ended: Results of those that have ended.
    """

    members: tuple[str, ...]
    left: set[int]
    tables: dict[Place, str] = field(default_factory=dict)
    ended: list[TableResult] = field(default_factory=list)
