"""Statements that the referee appends with, and the rows they take."""

import json
import time
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, update
from sqlmodel import col

from engine.record.deal import Secret
from engine.rules.ruleset import RuleSet
from referee.identity import new_id
from referee.store.models import Account, EntryRow, GameTable, Player, TableSeat
from referee.store.writer import Write

SEATING, RUNNING, ENDED, VOID = "seating", "running", "ended", "void"
"""States of a table."""

OPEN: Final = (SEATING, RUNNING)
"""States of the tables that a restart brings back."""

ADD_PLAYER: Final = insert(Player)
ADD_ACCOUNT: Final = insert(Account)
ADD_TABLE: Final = insert(GameTable)
ADD_SEAT: Final = insert(TableSeat)
ADD_ENTRY: Final = insert(EntryRow)
SET_STATE: Final = (
    update(GameTable).where(col(GameTable.id) == bindparam("row_id")).values(state=bindparam("new_state"))
)
SET_TOKEN: Final = update(Player).where(col(Player.id) == bindparam("row_id")).values(token_hash=bindparam("new_hash"))
REMOVE_SEAT: Final = delete(TableSeat).where(
    col(TableSeat.table_id) == bindparam("row_table"), col(TableSeat.seat) == bindparam("row_seat")
)


def now_us() -> int:
    """Return the wall-clock time in microseconds since 1970."""
    return time.time_ns() // 1000


def table_write(row: GameTable, seats: list[dict[str, Any]]) -> list[Write]:
    """Return what makes a table with all its seats durable."""
    return [Write(ADD_TABLE, [row.model_dump()]), Write(ADD_SEAT, seats)]


def seat_row(table_id: str, seat: int, player_id: str) -> dict[str, Any]:
    """Return the row of a seat."""
    return {"table_id": table_id, "seat": seat, "player_id": player_id}


def table_row(rules: RuleSet, clock: str, stand_in: str, secret: Secret, strikes: int) -> GameTable:
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
    )
