"""What the referee reads back: only at start-up, for lists, and for exports."""

from collections.abc import Iterator, Sequence
from typing import Final

from sqlalchemy import Engine
from sqlmodel import Session, col, func, select

from referee.store.models import (
    Account,
    EntrantEvent,
    EntryRow,
    Fixture,
    GameTable,
    Ladder,
    LadderEntrant,
    LadderEntryRow,
    OpenEntrant,
    OpenLadder,
    Player,
    Season,
    TableSeat,
    Trial,
    VoidSet,
)  # fmt: skip
from referee.store.rows import OPEN

_AT_ONCE: Final = 5_000
"""Rows fetched at once where there may be very many."""


_ZERO: Final = "\0"
"""What PostgreSQL has no room for in text."""


class Store:
    """Queries over one database."""

    def __init__(self, engine: Engine) -> None:
        """Read through *engine*."""
        self.engine = engine

    def players(self) -> list[Player]:
        """Return every player."""
        with Session(self.engine) as session:
            return list(session.exec(select(Player)))

    def accounts(self) -> list[Account]:
        """Return the organiser and every owner."""
        with Session(self.engine) as session:
            return list(session.exec(select(Account)))

    def open_tables(self) -> list[GameTable]:
        """Return the tables that have not ended and are not void, oldest first."""
        with Session(self.engine) as session:
            query = select(GameTable).where(col(GameTable.state).in_(OPEN)).order_by(col(GameTable.created_us))
            return list(session.exec(query))

    def table(self, table_id: str) -> GameTable | None:
        """Return one table; *table_id* is anybody's text."""
        if _ZERO in table_id:
            return None
        with Session(self.engine) as session:
            return session.get(GameTable, table_id)

    def tables(self, after: str, limit: int) -> list[GameTable]:
        """Return up to *limit* tables whose id sorts behind *after*."""
        with Session(self.engine) as session:
            behind = col(GameTable.id) > after.replace(_ZERO, "")
            query = select(GameTable).where(behind).order_by(col(GameTable.id)).limit(limit)
            return list(session.exec(query))

    def revealed_tables(self, after: str, limit: int) -> list[GameTable]:
        """Return up to *limit* tables whose deal is revealed and whose id sorts behind *after*."""
        with Session(self.engine) as session:
            behind = col(GameTable.id) > after.replace(_ZERO, "")
            query = select(GameTable).where(col(GameTable.revealed), behind)
            return list(session.exec(query.order_by(col(GameTable.id)).limit(limit)))

    def revealed_ids(self) -> list[str]:
        """Return the id of every table whose deal is revealed."""
        with Session(self.engine) as session:
            return list(session.exec(select(GameTable.id).where(col(GameTable.revealed))))

    def seats(self, table_id: str) -> dict[int, str]:
        """Return the player ids of a table by seat."""
        with Session(self.engine) as session:
            rows = session.exec(select(TableSeat).where(TableSeat.table_id == table_id))
            return {row.seat: row.player_id for row in rows}

    def seats_of(self, table_ids: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return the player ids of each of some tables by seat."""
        found: dict[str, dict[int, str]] = {table_id: {} for table_id in table_ids}
        with Session(self.engine) as session:
            for row in session.exec(select(TableSeat).where(col(TableSeat.table_id).in_(table_ids))):
                found[row.table_id][row.seat] = row.player_id
        return found

    def entries(self, table_id: str) -> list[bytes]:
        """Return the entries of a table in order: all at once, since who reads them may stop in the middle."""
        with Session(self.engine) as session:
            query = select(EntryRow.body).where(EntryRow.table_id == table_id).order_by(col(EntryRow.number))
            return list(session.exec(query))

    def last_entries(self, table_id: str, count: int) -> list[bytes]:
        """Return the newest *count* entries of a table, the newest first."""
        with Session(self.engine) as session:
            query = select(EntryRow).where(EntryRow.table_id == table_id).order_by(col(EntryRow.number).desc())
            return [row.body for row in session.exec(query.limit(count))]

    def count_entries(self, table_id: str) -> int:
        """Return how many entries a table has."""
        with Session(self.engine) as session:
            return session.exec(select(func.count()).where(EntryRow.table_id == table_id)).one()

    def ladder_record(self, ladder: str) -> Iterator[bytes]:
        """Yield the entries of a ladder's record in order."""
        with Session(self.engine) as session:
            query = select(LadderEntryRow).where(LadderEntryRow.ladder == ladder).order_by(col(LadderEntryRow.number))
            for row in session.exec(query):
                yield row.body

    def count_ladder_record(self, ladder: str) -> int:
        """Return how many entries a ladder's record has."""
        with Session(self.engine) as session:
            return session.exec(select(func.count()).where(LadderEntryRow.ladder == ladder)).one()

    def ladder(self, name: str) -> Ladder | None:
        """Return one ladder."""
        with Session(self.engine) as session:
            return session.get(Ladder, name)

    def ladders(self) -> list[Ladder]:
        """Return every ladder, oldest first."""
        with Session(self.engine) as session:
            return list(session.exec(select(Ladder).order_by(col(Ladder.created_us))))

    def entrants(self, ladder: str) -> dict[str, str]:
        """Return the player ids of a ladder by entrant."""
        with Session(self.engine) as session:
            rows = session.exec(select(LadderEntrant).where(LadderEntrant.ladder == ladder))
            return {row.entrant: row.player_id for row in rows}

    def fixtures(self, ladder: str) -> list[Fixture]:
        """Return the fixtures of a ladder by set and table."""
        with Session(self.engine) as session:
            query = select(Fixture).where(Fixture.ladder == ladder)
            return list(session.exec(query.order_by(col(Fixture.set_number), col(Fixture.table_number))))

    def void_sets(self, ladder: str) -> list[VoidSet]:
        """Return the sets of a ladder that do not count, by set and attempt."""
        with Session(self.engine) as session:
            query = select(VoidSet).where(VoidSet.ladder == ladder)
            return list(session.exec(query.order_by(col(VoidSet.set_number), col(VoidSet.attempt))))

    def entrant_events(self, ladder: str) -> list[EntrantEvent]:
        """Return who was withdrawn from a ladder and who has returned, in order."""
        with Session(self.engine) as session:
            query = select(EntrantEvent).where(EntrantEvent.ladder == ladder)
            return list(session.exec(query.order_by(col(EntrantEvent.number))))

    def trial(self, player_id: str) -> Trial | None:
        """Return how the trial of an entrant ended, None if it had none."""
        with Session(self.engine) as session:
            return session.get(Trial, player_id)

    def trials(self, ladder: str) -> dict[str, Trial]:
        """Return how the trials of a ladder's entrants ended, by entrant, for those that had one."""
        with Session(self.engine) as session:
            query = select(LadderEntrant.entrant, Trial).where(
                LadderEntrant.ladder == ladder, col(LadderEntrant.player_id) == col(Trial.player_id)
            )
            return dict(session.exec(query.order_by(col(LadderEntrant.entrant))).all())

    def ladder_entries(self, ladder: str, before_set: int) -> Iterator[tuple[int, int, str, bytes]]:
        """Yield set number, table number, seats and body of every entry of the sets below *before_set*, in order."""
        query = (
            select(Fixture.set_number, Fixture.table_number, Fixture.seats, EntryRow.body)
            .where(Fixture.ladder == ladder, col(Fixture.set_number) < before_set)
            .where(col(Fixture.table_id) == col(EntryRow.table_id))
            .order_by(col(Fixture.set_number), col(Fixture.table_number), col(EntryRow.number))
        )
        with Session(self.engine) as session:
            for row in session.exec(query.execution_options(yield_per=_AT_ONCE)):
                yield row[0], row[1], row[2], row[3]

    def open_ladders(self) -> list[OpenLadder]:
        """Return every open ladder, by name."""
        with Session(self.engine) as session:
            return list(session.exec(select(OpenLadder).order_by(col(OpenLadder.name))))

    def open_entrants(self, ladder: str) -> list[OpenEntrant]:
        """Return the entrants of an open ladder in the order in which they entered."""
        with Session(self.engine) as session:
            query = select(OpenEntrant).where(OpenEntrant.ladder == ladder)
            return list(session.exec(query.order_by(col(OpenEntrant.entered_us), col(OpenEntrant.entrant))))

    def seasons(self, ladder: str) -> list[Season]:
        """Return the seasons of an open ladder in order."""
        with Session(self.engine) as session:
            return list(session.exec(select(Season).where(Season.ladder == ladder).order_by(col(Season.number))))
