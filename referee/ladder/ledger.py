"""What a ladder remembers beside its results: sets that became void, entrants that were withdrawn."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, delete, insert
from sqlmodel import col

from engine.record.ladder import Absence, EntrantReturned, EntrantTried, EntrantWithdrawn
from referee.hall import Hall
from referee.ladder.conduct import Conduct, Counted
from referee.ladder.margins import TableResult
from referee.ladder.plan import Change
from referee.ladder.policy import Policy
from referee.ladder.record import LadderRecord
from referee.store.models import EntrantEvent, Fixture, VoidSet
from referee.store.rows import SET_STATE, VOID, now_us
from referee.store.writer import Write

WITHDRAWN, RETURNED = "withdrawn", "returned"
"""Kinds of an entrant's events."""

_ADD_VOID: Final = insert(VoidSet)
_ADD_EVENT: Final = insert(EntrantEvent)
_TAKE_BACK: Final = delete(Fixture).where(
    col(Fixture.ladder) == bindparam("of_ladder"), col(Fixture.set_number) == bindparam("of_set")
)


class Ledger:
    """Void sets and withdrawals of one ladder, each durable before anything follows from it.

    Attributes:
        changes: Withdrawals and returns that the record has, oldest first.
    """

    def __init__(self, hall: Hall, ladder: str, policy: Policy, record: LadderRecord) -> None:
        """Read what the store of *hall* has of *ladder*; withdrawals and returns are entered in its *record* too."""
        self._hall = hall
        self._ladder = ladder
        self._policy = policy
        self._record = record
        self._voids = Counter(row.set_number for row in hall.store.void_sets(ladder))
        self._events = 0
        withdrawn: set[str] = set()
        since: dict[str, int] = {}
        self._last: Final[dict[str, int]] = {}
        self.changes: Final[list[Change]] = []
        for event in hall.store.entrant_events(ladder):
            self._events += 1
            self._last[event.entrant] = event.set_number
            self.changes.append(Change(event.set_number, event.entrant, event.kind == WITHDRAWN))
            if event.kind == WITHDRAWN:
                withdrawn.add(event.entrant)
            else:
                withdrawn.discard(event.entrant)
                since[event.entrant] = event.set_number
        self._conduct = Conduct(policy, withdrawn, since)

    @property
    def withdrawn(self) -> frozenset[str]:
        """Entrants that are withdrawn now."""
        return frozenset(self._conduct.withdrawn)

    @property
    def voids(self) -> int:
        """Times that a set has become void so far."""
        return self._voids.total()

    def last_change(self, entrant: str) -> int:
        """Return the first set that the last withdrawal or return of *entrant* changes, 0 if there was none."""
        return self._last.get(entrant, 0)

    def attempt(self, number: int) -> int:
        """Return how often set *number* has become void so far."""
        return self._voids[number]

    async def void(self, number: int, tables: list[str], cause: str, closed: Write) -> bool:
        """Let set *number* not count, with its *tables*; return whether it may be played again.

        *closed* makes it durable in the ladder's record at the same time.
        """
        row = VoidSet(
            ladder=self._ladder, set_number=number, attempt=self._voids[number], cause=cause,
            tables=json.dumps(tables), at_us=now_us(),
        )  # fmt: skip
        self._voids[number] += 1
        await self._hall.append(
            [
                Write(_ADD_VOID, [row.model_dump()]),
                Write(_TAKE_BACK, [{"of_ladder": self._ladder, "of_set": number}]),
                Write(SET_STATE, [{"row_id": table_id, "new_state": VOID} for table_id in tables]),
                closed,
            ]
        )
        return self._voids[number] <= self._policy.void_again

    def count(self, number: int, tables: Sequence[TableResult], from_set: int) -> list[tuple[str, Counted]]:
        """Count set *number*, in order; return who is withdrawn, *from_set* on, for its rounds since let in."""
        gone = self._conduct.count(number, tables)
        for entrant in gone:
            self._withdraw(entrant, Absence.MISCONDUCT, from_set)
        return [(entrant, self._conduct.counted(entrant)) for entrant in gone]

    def withdraw(self, entrant: str, cause: Absence, from_set: int) -> bool:
        """Withdraw an entrant *from_set* on, whatever its conduct; return whether it was in."""
        if entrant in self._conduct.withdrawn:
            return False
        self._conduct.withdrawn.add(entrant)
        self._withdraw(entrant, cause, from_set)
        return True

    def readmit(self, entrant: str, from_set: int) -> bool:
        """Let a withdrawn entrant in again *from_set* on, its past forgotten; return whether it was withdrawn."""
        if entrant not in self._conduct.withdrawn:
            return False
        self._append(entrant, RETURNED, EntrantReturned(entrant, from_set))
        self._conduct.readmit(entrant, from_set)
        return True

    async def enter_trials(self) -> None:
        """Enter in the record how the trials of the ladder's entrants ended, where it does not say so yet."""
        known = {entry.entrant: entry for entry in self._record.entries() if isinstance(entry, EntrantTried)}
        for entrant, trial in self._hall.store.trials(self._ladder).items():
            entry = EntrantTried(entrant, trial.problem, tuple(json.loads(trial.tables)))
            if known.get(entrant) != entry:
                await self._hall.append(self._record.further(entry))

    async def settle(self) -> None:
        """Wait until all of it is durable."""
        await self._hall.append([])

    def _withdraw(self, entrant: str, cause: Absence, from_set: int) -> None:
        counted = self._conduct.counted(entrant)
        self._append(entrant, WITHDRAWN, EntrantWithdrawn(entrant, cause, from_set, counted.rounds, counted.bad))

    def _append(self, entrant: str, kind: str, entry: EntrantWithdrawn | EntrantReturned) -> None:
        counted, from_set = self._conduct.counted(entrant), entry.set_number
        row = EntrantEvent(
            ladder=self._ladder, number=self._events, set_number=from_set, entrant=entrant, kind=kind,
            rounds=counted.rounds, bad=counted.bad, at_us=now_us(),
        )  # fmt: skip
        self._events += 1
        self._last[entrant] = from_set
        self._hall.append([Write(_ADD_EVENT, [row.model_dump()]), *self._record.further(entry)])
