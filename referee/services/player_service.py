"""PlayerService: who plays, who owns entrants, and whose token is worth what."""

from typing import Any

import grpc

from referee.errors import ApiError
from referee.hall import Hall
from referee.ladder.open_ladders import OpenLadders
from referee.services.calls import caller, refusing, to_the_end
from referee.store.models import Player
from rummyref.v1 import player_service_pb2 as pb
from rummyref.v1 import player_service_pb2_grpc

_Context = grpc.aio.ServicerContext[Any, Any]


class PlayerService(player_service_pb2_grpc.PlayerServiceServicer):
    """Registers guests, makes owners, renews and revokes tokens."""

    def __init__(self, hall: Hall, ladders: OpenLadders) -> None:
        """Serve *hall*, in which *ladders* are played."""
        self._hall = hall
        self._ladders = ladders

    @refusing
    @to_the_end
    async def Register(  # noqa: N802 - the RPC's name
        self, request: pb.RegisterRequest, context: _Context
    ) -> pb.RegisterResponse:
        """Make a player. Raises `NAME_INVALID`."""
        player, token = await self._hall.players.register(request.name)
        return pb.RegisterResponse(player_id=player.id, token=token)

    @refusing
    @to_the_end
    async def CreateOwner(  # noqa: N802 - the RPC's name
        self, request: pb.CreateOwnerRequest, context: _Context
    ) -> pb.CreateOwnerResponse:
        """Make an owner. Raises `TOKEN_INVALID`, `NOT_PERMITTED`, `NAME_INVALID`, `NAME_TAKEN`, `OPTION_INVALID`."""
        self._hall.accounts.need_organiser(caller(self._hall, context))
        player, token = await self._hall.accounts.add_owner(request.name, request.quota)
        return pb.CreateOwnerResponse(player_id=player.id, token=token)

    @refusing
    async def ListOwners(  # noqa: N802 - the RPC's name
        self, request: pb.ListOwnersRequest, context: _Context
    ) -> pb.ListOwnersResponse:
        """Return every owner, by name. Raises `TOKEN_INVALID`, `NOT_PERMITTED`."""
        self._hall.accounts.need_organiser(caller(self._hall, context))
        return pb.ListOwnersResponse(
            owners=[
                pb.Owner(player_id=owner.player.id, name=owner.player.name, quota=owner.quota)
                for owner in self._hall.accounts.owners()
            ]
        )

    @refusing
    @to_the_end
    async def RenewToken(  # noqa: N802 - the RPC's name
        self, request: pb.RenewTokenRequest, context: _Context
    ) -> pb.RenewTokenResponse:
        """Give a player a fresh token. Raises `TOKEN_INVALID`, `NOT_PERMITTED`, `PLAYER_UNKNOWN`."""
        whose = self._managed(caller(self._hall, context), request.player_id)
        return pb.RenewTokenResponse(token=await self._hall.players.renew_token(whose.id))

    @refusing
    @to_the_end
    async def RevokeToken(  # noqa: N802 - the RPC's name
        self, request: pb.RevokeTokenRequest, context: _Context
    ) -> pb.RevokeTokenResponse:
        """Make a player's token worth nothing. Raises as `RenewToken`."""
        whose = self._managed(caller(self._hall, context), request.player_id)
        await self._hall.players.renew_token(whose.id)
        return pb.RevokeTokenResponse()

    def _managed(self, player: Player, player_id: str) -> Player:
        """Return whose token *player* means, if it is one that it may renew."""
        accounts = self._hall.accounts
        is_own = player_id in ("", player.id)
        if not (is_own or accounts.is_organiser(player) or self._ladders.owner_of(player_id) == player.id):
            raise ApiError("NOT_PERMITTED", "you may renew your own token and those of your entrants")
        whose = player if is_own else self._hall.players.need(player_id)
        if accounts.is_organiser(whose):
            raise ApiError(
                "NOT_PERMITTED", "to renew the organiser's token remove its file and start the referee again"
            )
        return whose
