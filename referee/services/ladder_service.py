"""LadderService: ladders between bots that attend by themselves."""

import re
from typing import Any

import grpc

from referee.errors import ApiError
from referee.hall import Hall
from referee.ladder.open_ladder import LiveLadder
from referee.ladder.open_ladders import OpenLadders
from referee.ladder.open_results import OpenResults
from referee.services.calls import caller, refusing, to_the_end, until_ended
from referee.services.ladder_messages import (
    entrant_message,
    fixture_message,
    ladder_message,
    spec_of,
    standings_message,
)  # fmt: skip
from referee.services.turns import Turns
from referee.store.models import Player
from rummyref.v1 import ladder_service_pb2 as pb
from rummyref.v1 import ladder_service_pb2_grpc

_PAGE = 100
_Context = grpc.aio.ServicerContext[Any, Any]


class LadderService(ladder_service_pb2_grpc.LadderServiceServicer):
    """Serves the open ladders of one hall."""

    def __init__(self, hall: Hall, ladders: OpenLadders) -> None:
        """Serve *ladders*, which are played in *hall*."""
        self._hall = hall
        self._ladders = ladders
        self._results = OpenResults(hall.store)
        self._reads = Turns()

    @refusing
    @to_the_end
    async def CreateLadder(  # noqa: N802 - the RPC's name
        self, request: pb.CreateLadderRequest, context: _Context
    ) -> pb.CreateLadderResponse:
        """Make a ladder. Raises `TOKEN_INVALID`, `NOT_PERMITTED`, `NAME_INVALID`, `NAME_TAKEN`, `OPTION_INVALID`."""
        self._hall.accounts.need_organiser(caller(self._hall, context))
        ladder = await self._ladders.create(spec_of(request.name, request.settings))
        return pb.CreateLadderResponse(ladder=ladder_message(self._hall, ladder))

    @refusing
    @to_the_end
    async def CloseLadder(  # noqa: N802 - the RPC's name
        self, request: pb.CloseLadderRequest, context: _Context
    ) -> pb.CloseLadderResponse:
        """Let a ladder begin no more seasons. Raises `TOKEN_INVALID`, `NOT_PERMITTED`, `LADDER_UNKNOWN`."""
        self._hall.accounts.need_organiser(caller(self._hall, context))
        await self._ladders.close_ladder(request.ladder)
        return pb.CloseLadderResponse()

    @refusing
    async def ListLadders(  # noqa: N802 - the RPC's name
        self, request: pb.ListLaddersRequest, context: _Context
    ) -> pb.ListLaddersResponse:
        """Return every ladder, by name. Raises `TOKEN_INVALID`."""
        caller(self._hall, context)
        return pb.ListLaddersResponse(ladders=[ladder_message(self._hall, each) for each in self._ladders.all()])

    @refusing
    @to_the_end
    async def EnterLadder(  # noqa: N802 - the RPC's name
        self, request: pb.EnterLadderRequest, context: _Context
    ) -> pb.EnterLadderResponse:
        """Enter a version of a bot. Raises `TOKEN_INVALID`, `NOT_PERMITTED`, and as `OpenLadders.enter`."""
        owner = self._hall.accounts.need_owner(caller(self._hall, context))
        entrant, token = await self._ladders.enter(owner, request.ladder, request.bot, request.version)
        message = entrant_message(self._hall, self._ladders.need(request.ladder), entrant)
        return pb.EnterLadderResponse(entrant=message, token=token)

    @refusing
    @to_the_end
    async def WithdrawEntrant(  # noqa: N802 - the RPC's name
        self, request: pb.WithdrawEntrantRequest, context: _Context
    ) -> pb.WithdrawEntrantResponse:
        """Withdraw an entrant. Raises `TOKEN_INVALID`, and as `OpenLadders.withdraw`."""
        await self._ladders.withdraw(caller(self._hall, context), request.ladder, request.entrant)
        return pb.WithdrawEntrantResponse()

    @refusing
    async def GetStandings(  # noqa: N802 - the RPC's name
        self, request: pb.GetStandingsRequest, context: _Context
    ) -> pb.GetStandingsResponse:
        """Return the standings by the sets that are over. Raises `TOKEN_INVALID`, `LADDER_UNKNOWN`."""
        player, ladder = caller(self._hall, context), self._ladders.need(request.ladder)
        return pb.GetStandingsResponse(standings=await self._standings(player, ladder))

    @refusing
    async def WatchStandings(  # type: ignore[override]  # noqa: N802 - written to the context, as aio allows
        self, request: pb.WatchStandingsRequest, context: _Context
    ) -> None:
        """Send the standings whenever a set is over. Raises `TOKEN_INVALID`, `LADDER_UNKNOWN`, `TOKEN_REVOKED`."""
        player, ladder = caller(self._hall, context), self._ladders.need(request.ladder)
        await until_ended(self._hall, player, context, self._watch(player, ladder, context))

    @refusing
    async def ListFixtures(  # noqa: N802 - the RPC's name
        self, request: pb.ListFixturesRequest, context: _Context
    ) -> pb.ListFixturesResponse:
        """Return the tables of the sets that are over. Raises `TOKEN_INVALID`, `LADDER_UNKNOWN`, `OPTION_INVALID`."""
        player, ladder = caller(self._hall, context), self._ladders.need(request.ladder)
        played = await self._reads.take(player.id, lambda: self._results.played(ladder))
        after, size = _place(request.page_token), min(request.page_size or _PAGE, _PAGE)
        left = [each for each in played if each.place > after]
        token = ".".join(map(str, left[size - 1].place)) if len(left) > size else ""
        return pb.ListFixturesResponse(fixtures=list(map(fixture_message, left[:size])), next_page_token=token)

    async def _watch(self, player: Player, ladder: LiveLadder, context: _Context) -> None:
        while True:
            news, is_over = ladder.news, ladder.is_over
            await context.write(pb.WatchStandingsResponse(standings=await self._standings(player, ladder)))
            if is_over:
                return
            await news.wait()

    async def _standings(self, player: Player, ladder: LiveLadder) -> pb.Standings:
        standings = await self._reads.take(player.id, lambda: self._results.standings(ladder))
        return standings_message(ladder, standings)


def _place(token: str) -> tuple[int, ...]:
    """Return the place of the last fixture of the page before."""
    if not token:
        return ()
    place = token.split(".")
    if len(place) != 3 or not all(re.fullmatch("[0-9]{1,18}", part) for part in place):
        raise ApiError("OPTION_INVALID", "page_token is not from a page before", option="page_token")
    return tuple(map(int, place))
