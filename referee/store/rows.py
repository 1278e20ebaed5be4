"""Statements that the referee appends with, and the rows they take."""

import json
import time
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, update
from sqlmodel import col

from engine.record.deal import Secret
from engine.record.entries import Entry, Result, Reveal, Void
from engine.record.replay import entry_bytes
from engine.rules.ruleset import RuleSet
from referee.identity import new_id
from referee.store.models import Account, EntryRow, GameTable, Player, TableSeat
from referee.store.writer import Write

SEATING, RUNNING, ENDED, VOID = "seating", "running", "ended", "void"
"""States of a table."""

OPEN: Final = (SEATING, RUNNING)
"""States of a table that can still be played at."""

ADD_PLAYER: Final = insert(Player)
ADD_ACCOUNT: Final = insert(Account)
ADD_TABLE: Final = insert(GameTable)
ADD_SEAT: Final = insert(TableSeat)
ADD_ENTRY: Final = insert(EntryRow)
SET_STATE: Final = (
    update(GameTable).where(col(GameTable.id) == bindparam("row_id")).values(state=bindparam("new_state"))
)
SET_REVEALED: Final = update(GameTable).where(col(GameTable.id) == bindparam("row_id")).values(revealed=True)
SET_TOKEN: Final = update(Player).where(col(Player.id) == bindparam("row_id")).values(token_hash=bindparam("new_hash"))
REMOVE_SEAT: Final = delete(TableSeat).where(
    col(TableSeat.table_id) == bindparam("row_table"), col(TableSeat.seat) == bindparam("row_seat")
)


def entry_writes(table_id: str, first: int, entries: Sequence[Entry]) -> list[Write]:
    """Return what makes *entries*, the first with number *first*, durable with what they change of the table."""
    rows = [
        {"table_id": table_id, "number": number, "body": entry_bytes(entry)}
        for number, entry in enumerate(entries, start=first)
    ]
    writes = [Write(ADD_ENTRY, rows)]
    for entry in entries:
        match entry:
            case Void():
                writes.append(Write(SET_STATE, [{"row_id": table_id, "new_state": VOID}]))
            case Result():
                writes.append(Write(SET_STATE, [{"row_id": table_id, "new_state": ENDED}]))
            case Reveal():
                writes.append(Write(SET_REVEALED, [{"row_id": table_id}]))
            case _:
                pass
    return writes


def is_closed(row: GameTable) -> bool:
    """Return whether only its seats may know what happens at a table; hands and results are shown to nobody else."""
    return row.watch_delay_us is None and not row.revealed


def now_us() -> int:
    """Return the wall-clock time in microseconds since 1970."""
    return time.time_ns() // 1000


def table_write(row: GameTable, seats: list[dict[str, Any]]) -> list[Write]:
    """Return what makes a table with all its seats durable."""
    return [Write(ADD_TABLE, [row.model_dump()]), Write(ADD_SEAT, seats)]


def seat_row(table_id: str, seat: int, player_id: str) -> dict[str, Any]:
    """Return the row of a seat."""
    return {"table_id": table_id, "seat": seat, "player_id": player_id}


def table_row(
    rules: RuleSet, clock: str, stand_in: str, secret: Secret, strikes: int, watch_delay_us: int | None
) -> GameTable:
    """Return a fresh table's row; faults beyond *strikes* forfeit, 0 for a table of people."""
    return GameTable(
        id=new_id("t"),
        preset=rules.preset,
        options=json.dumps(dict(rules.options)),
        clock=clock,
        stand_in=stand_in,
        strikes=strikes,
        state=SEATING,
        secret=secret.secret,
        set_table=secret.table,
        relabelled=secret.relabelled,
        created_us=now_us(),
        watch_delay_us=watch_delay_us,
    )
