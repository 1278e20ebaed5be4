"""The record of one ladder as it is written: its entries, numbered and durable."""

import json
from collections.abc import Iterator
from typing import Final

from sqlalchemy import insert

from engine.record.ladder import LadderEntry, ladder_bytes, ladder_from_json
from referee.hall import Hall
from referee.store.models import LadderEntryRow
from referee.store.writer import Write

_ADD: Final = insert(LadderEntryRow)


class LadderRecord:
    """Appends to the record of one ladder, in the order of the calls.

    Attributes:
        ended: Whether its last entry says that nothing follows.
    """

    def __init__(self, hall: Hall, ladder: str) -> None:
        """Go on behind what the store of *hall* has of *ladder*."""
        self._hall = hall
        self._ladder = ladder
        self._next = hall.store.count_ladder_record(ladder)
        self.ended = False

    def entries(self) -> Iterator[LadderEntry]:
        """Yield what is durable, in order."""
        for body in self._hall.store.ladder_record(self._ladder):
            yield ladder_from_json(json.loads(body))

    def write(self, entry: LadderEntry) -> Write:
        """Return what makes *entry* the next one; it must be appended to the hall before anything else is awaited."""
        row = {"ladder": self._ladder, "number": self._next, "body": ladder_bytes(entry)}
        self._next += 1
        return Write(_ADD, [row])

    def further(self, entry: LadderEntry) -> list[Write]:
        """Return what makes *entry* the next one, as `write` does; nothing where the record has ended."""
        return [] if self.ended else [self.write(entry)]

    async def append(self, entry: LadderEntry) -> None:
        """Make *entry* durable."""
        await self._hall.append([self.write(entry)])
