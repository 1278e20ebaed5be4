"""ReplayService: the records of matches whose deal is revealed."""

import asyncio
from itertools import islice
from typing import Any

import grpc
from grpc_status import rpc_status

from referee.errors import ApiError
from referee.hall import Hall
from referee.services.calls import caller, refusing, status_of
from referee.store.models import GameTable
from referee.store.rows import VOID
from rummyref.v1 import replay_service_pb2 as pb
from rummyref.v1 import replay_service_pb2_grpc

_PAGE = 100
_LINES = 256


class ReplayService(replay_service_pb2_grpc.ReplayServiceServicer):
    """Serves the replays of one hall."""

    def __init__(self, hall: Hall) -> None:
        """Serve *hall*."""
        self._hall = hall

    @refusing
    async def ListReplays(  # noqa: N802 - the RPC's name
        self, request: pb.ListReplaysRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListReplaysResponse:
        """Return replays in the order of their ids. Raises `TOKEN_INVALID`."""
        caller(self._hall, context)
        size = min(request.page_size or _PAGE, _PAGE)
        rows = self._hall.store.revealed_tables(request.page_token, size + 1)
        token = rows[size - 1].id if len(rows) > size else ""
        held = self._hall.store.seats_of([row.id for row in rows[:size]])
        replays = [self._summary(row, held[row.id]) for row in rows[:size]]
        return pb.ListReplaysResponse(replays=replays, next_page_token=token)

    async def GetReplay(  # type: ignore[override]  # noqa: N802 - written to the context, as aio allows
        self, request: pb.GetReplayRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        """Send a replay line by line. Raises `TOKEN_INVALID`, `REPLAY_UNKNOWN`, `TABLE_EMBARGOED`."""
        try:
            caller(self._hall, context)
            row = self._hall.store.table(request.match_id)
            if row is None:
                raise ApiError("REPLAY_UNKNOWN", f"there is no match {request.match_id[:40]}")
            if not row.revealed:
                raise ApiError("TABLE_EMBARGOED", "the deal of this match is not revealed yet; ask when it is over")
        except ApiError as error:
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        lines = await asyncio.to_thread(self._hall.replays.lines, request.match_id)
        while part := await asyncio.to_thread(lambda: list(islice(lines, _LINES))):
            await context.write(pb.GetReplayResponse(lines=part))

    def _summary(self, row: GameTable, seats: dict[int, str]) -> pb.ReplaySummary:
        summary = pb.ReplaySummary(
            match_id=row.id,
            preset=row.preset,
            players=[self._hall.players.name_of(seats[seat]) for seat in sorted(seats)],
            is_void=row.state == VOID,
        )
        summary.created_time.FromMicroseconds(row.created_us)
        return summary
