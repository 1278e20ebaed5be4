"""TableService: tables, seats, and watching."""

import asyncio
import json
from typing import Any

import grpc

from engine.clock import SECOND_US
from engine.rules.options import OptionValue
from referee.errors import ApiError
from referee.hall import Hall
from referee.services.calls import caller, refusing, to_the_end, until_ended
from referee.services.play_messages import public_event_of
from referee.services.turns import Turns
from referee.store.models import GameTable, Player
from referee.store.rows import ENDED, OPEN, RUNNING, SEATING, VOID, is_closed
from referee.tables.messages import Look, Sight, Told, Unwatch, Watcher, WatchFrom
from referee.tables.past import PastTable
from rummyref.v1 import table_service_pb2 as pb
from rummyref.v1 import table_service_pb2_grpc
from wire.rules import settings_from_messages, settings_to_messages
from wire.views import public_view_to_message

_STATES = {
    SEATING: pb.TABLE_STATE_SEATING,
    RUNNING: pb.TABLE_STATE_RUNNING,
    ENDED: pb.TABLE_STATE_ENDED,
    VOID: pb.TABLE_STATE_VOID,
}
_PAGE = 100
_WATCH_LIMIT = 10_000
_LONGEST_DELAY_US = 3_600 * SECOND_US
_UNSEEN = Sight(None, (), b"")


class TableService(table_service_pb2_grpc.TableServiceServicer):
    """Serves the tables of one hall."""

    def __init__(self, hall: Hall) -> None:
        """Serve *hall*."""
        self._hall = hall
        self._folds = Turns()

    @refusing
    @to_the_end
    async def CreateTable(  # noqa: N802 - the RPC's name
        self, request: pb.CreateTableRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.CreateTableResponse:
        """Make a table. Raises `TOKEN_INVALID`, `OPTION_INVALID`."""
        player = caller(self._hall, context)
        lobby = await self._hall.create_table(
            request.preset,
            settings_from_messages(request.options),
            request.clock or "untimed",
            request.stand_in or "greedy",
            _watch_delay_us(request),
        )
        return pb.CreateTableResponse(table=await self._table(player, lobby.row))

    @refusing
    async def GetTable(  # noqa: N802 - the RPC's name
        self, request: pb.GetTableRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetTableResponse:
        """Return a table. Raises `TOKEN_INVALID`, `TABLE_UNKNOWN`."""
        player = caller(self._hall, context)
        return pb.GetTableResponse(table=await self._table(player, self._hall.need_table(request.table_id)))

    @refusing
    async def ListTables(  # noqa: N802 - the RPC's name
        self, request: pb.ListTablesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListTablesResponse:
        """Return tables in the order of their ids, without views. Raises `TOKEN_INVALID`."""
        caller(self._hall, context)
        size = min(request.page_size or _PAGE, _PAGE)
        rows = self._hall.store.tables(request.page_token, size + 1)
        token = rows[size - 1].id if len(rows) > size else ""
        held = self._hall.holders([row.id for row in rows[:size]])
        return pb.ListTablesResponse(
            tables=[self._message(row, held[row.id], _UNSEEN) for row in rows[:size]], next_page_token=token
        )

    @refusing
    @to_the_end
    async def TakeSeat(  # noqa: N802 - the RPC's name
        self, request: pb.TakeSeatRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.TakeSeatResponse:
        """Take a seat, the first free one if none is named. Raises as `Hall.take_seat`."""
        player = caller(self._hall, context)
        wanted = request.seat if request.HasField("seat") else None
        seat = await self._hall.take_seat(player, request.table_id, wanted)
        return pb.TakeSeatResponse(seat=seat, table=await self._table(player, self._hall.need_table(request.table_id)))

    @refusing
    @to_the_end
    async def LeaveSeat(  # noqa: N802 - the RPC's name
        self, request: pb.LeaveSeatRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.LeaveSeatResponse:
        """Give up a seat. Raises as `Hall.leave_seat`."""
        await self._hall.leave_seat(caller(self._hall, context), request.table_id, request.seat)
        return pb.LeaveSeatResponse()

    @refusing
    async def Watch(  # type: ignore[override]  # noqa: N802 - written to the context, as aio allows
        self, request: pb.WatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        """Send public events as they happen.

        Raises `TOKEN_INVALID`, `TABLE_UNKNOWN`, `TABLE_EMBARGOED`, `TOKEN_REVOKED`, `SHUTTING_DOWN`.
        """
        player = caller(self._hall, context)
        row = self._hall.need_table(request.table_id)
        if is_closed(row):
            raise ApiError("TABLE_EMBARGOED", "this table is closed to watchers until its deal is revealed")
        await until_ended(self._hall, player, context, self._watch(player, row, request.after_sequence, context))

    async def _watch(
        self, player: Player, row: GameTable, after: int, context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        table = self._hall.tables.get(row.id)
        if table is None:
            if row.state not in OPEN:
                past = await self._past(player, row)
                for sequence, told in enumerate(past.told[after:], start=after + 1):
                    await context.write(pb.WatchResponse(event=public_event_of(sequence, told)))
            return
        queue: asyncio.Queue[tuple[int, Told] | None] = asyncio.Queue()
        watcher = Watcher(lambda sequence, told: _offer(queue, (sequence, told)), lambda: queue.put_nowait(None))
        table.post(WatchFrom(after, watcher))
        try:
            while (item := await queue.get()) is not None:
                await context.write(pb.WatchResponse(event=public_event_of(*item)))
        finally:
            table.post(Unwatch(watcher))

    async def _past(self, player: Player, row: GameTable) -> PastTable:
        """Return a table that has ended, beside the tables that have not: its match may have been long."""
        return await self._folds.take(player.id, lambda: self._hall.past_table(row))

    async def _table(self, player: Player, row: GameTable) -> pb.Table:
        table, held = self._hall.tables.get(row.id), self._hall.holders([row.id])[row.id]
        if table is not None and row.watch_delay_us == 0:
            sight: asyncio.Future[Sight] = asyncio.get_running_loop().create_future()
            table.post(Look(lambda seen: None if sight.done() else sight.set_result(seen)))
            await asyncio.wait([sight, table.result], return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
            if sight.done():
                return self._message(row, held, sight.result())
            row = self._hall.need_table(row.id)
        if row.state not in OPEN and not is_closed(row):
            return self._message(row, held, (await self._past(player, row)).sight)
        return self._message(row, held, _UNSEEN)

    def _message(self, row: GameTable, held: dict[int, str], sight: Sight) -> pb.Table:
        """Return the message of a table whose seats are *held* by those players."""
        options: dict[str, OptionValue] = json.loads(row.options)
        seats = [
            pb.SeatState(
                seat=seat,
                taken=seat in held,
                player_name=self._hall.players.name_of(held[seat]) if seat in held else "",
                present=bool(sight.present and sight.present[seat]),
            )
            for seat in range(int(options["players"]))
        ]
        message = pb.Table(
            table_id=row.id,
            preset=row.preset,
            options=settings_to_messages(options),
            clock=row.clock,
            state=_STATES[_told_state(row)],
            seats=seats,
            commitment=sight.commitment,
            revealed=row.revealed,
        )
        if not is_closed(row):  # tables of one deal are made in one moment
            message.created_time.FromMicroseconds(row.created_us)
        if sight.view is not None:
            message.view.CopyFrom(public_view_to_message(sight.view))
        return message


def _told_state(row: GameTable) -> str:
    """Return the state that everybody may know: how long a hidden match takes tells of its cards."""
    return RUNNING if is_closed(row) and row.state not in OPEN else row.state


def _watch_delay_us(request: pb.CreateTableRequest) -> int | None:
    if request.watching == pb.WATCHING_CLOSED:
        return None
    if request.watching not in (pb.WATCHING_UNSPECIFIED, pb.WATCHING_LIVE):
        raise ApiError("OPTION_INVALID", f"unknown watching {request.watching}; say live or closed", option="watching")
    delay_us = request.watch_delay.ToMicroseconds()
    if not 0 <= delay_us <= _LONGEST_DELAY_US:
        raise ApiError("OPTION_INVALID", "watchers can be told up to one hour late", option="watch_delay")
    return delay_us


def _offer(queue: asyncio.Queue[tuple[int, Told] | None], item: tuple[int, Told]) -> None:
    """Queue *item* for a watcher; one that is too slow gets no more, and is told behind what it still gets."""
    if queue.qsize() < _WATCH_LIMIT:
        queue.put_nowait(item)
    elif queue.qsize() == _WATCH_LIMIT:
        queue.put_nowait(None)
