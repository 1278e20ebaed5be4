"""PlayerService: who plays."""

from typing import Any

import grpc

from referee.hall import Hall
from referee.services.calls import refusing
from rummyref.v1 import player_service_pb2 as pb
from rummyref.v1 import player_service_pb2_grpc


class PlayerService(player_service_pb2_grpc.PlayerServiceServicer):
    """Registers guests."""

    def __init__(self, hall: Hall) -> None:
        """Serve *hall*."""
        self._hall = hall

    @refusing
    async def Register(  # noqa: N802 - the RPC's name
        self,
        request: pb.RegisterRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> pb.RegisterResponse:
        """Make a player. Raises `NAME_INVALID`."""
        player, token = await self._hall.players.register(request.name)
        return pb.RegisterResponse(player_id=player.id, token=token)
