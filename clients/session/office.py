"""What organisers and owners do at a referee: ladders, entrants, owners, tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple, Self

import grpc

from clients.session.channel import SessionError, open_channel, session_error
from engine.rules.options import Options
from rummyref.v1 import ladder_service_pb2 as pb
from rummyref.v1 import player_service_pb2
from rummyref.v1.ladder_service_pb2_grpc import LadderServiceStub
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from wire.rules import settings_to_messages

DESIGNS: Final = {"bridge": pb.LADDER_DESIGN_BRIDGE, "rotation": pb.LADDER_DESIGN_ROTATION}
"""Ways to make the tables of a set, by name."""

_STATES: Final = {
    pb.LADDER_STATE_WAITING: "waiting",
    pb.LADDER_STATE_RUNNING: "running",
    pb.LADDER_STATE_CLOSED: "closed",
}
_TRIALS: Final = {
    pb.TRIAL_STATE_UNSPECIFIED: "",
    pb.TRIAL_STATE_DUE: "due",
    pb.TRIAL_STATE_PASSED: "passed",
    pb.TRIAL_STATE_FAILED: "failed",
}
_CALL_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class LadderWish:
    """What ladder an organiser wants; 0, empty and None leave the choice to the referee.

    Attributes:
        design: A key of `DESIGNS`.
        tables: Tables that play one deal in a bridge.
        sets: Sets of a season.
        parallel_tables: Tables open at once.
        field: Entrants that attend when a season begins, at least.
        patience_s: Seconds for which an entrant that has gone away is waited for.
        skip_trial: Whether entrants are ranked without a trial.
    """

    preset: str
    options: Options
    clock: str = ""
    design: str = "bridge"
    tables: int = 0
    sets: int = 0
    parallel_tables: int = 0
    field: int = 0
    patience_s: int = 0
    skip_trial: bool = False


class EntrantLine(NamedTuple):
    """An entrant as a ladder lists it; `trial` is empty where none is asked for."""

    name: str
    owner: str
    attending: bool
    withdrawn: bool
    player_id: str
    trial: str
    trial_problem: str


class LadderLine(NamedTuple):
    """A ladder as the referee lists it."""

    name: str
    preset: str
    design: str
    state: str
    season: int
    sets: int
    entrants: tuple[EntrantLine, ...]


class StandingLine(NamedTuple):
    """A line of the standings; points: more is better."""

    rank: int
    entrant: str
    points_per_round: float
    interval: tuple[float, float] | None
    first_chance: float
    rounds: int
    sets: int
    causes: dict[str, int]


class Standings(NamedTuple):
    """Standings by the sets that are over, best first."""

    ladder: str
    sets: int
    lines: tuple[StandingLine, ...]
    notes: tuple[str, ...]


class OwnerLine(NamedTuple):
    """An owner as the organiser sees it."""

    name: str
    quota: int
    player_id: str


class Office:
    """A connection of an organiser or an owner; every method raises `SessionError`."""

    def __init__(self, address: str, token: str, ca: str) -> None:
        """Connect to *address* with *token*, trusting *ca*."""
        self._address = address
        self._ca = ca
        self._channel = open_channel(address, ca)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._ladders: Any = LadderServiceStub(self._channel)
        self._players: Any = PlayerServiceStub(self._channel)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._channel.close()

    # -- the organiser ------------------------------------------------------------

    def create_ladder(self, name: str, wish: LadderWish) -> LadderLine:
        """Make a ladder."""
        settings = pb.LadderSettings(
            preset=wish.preset,
            options=settings_to_messages(wish.options),
            clock=wish.clock,
            design=DESIGNS[wish.design],
            tables=wish.tables,
            sets=wish.sets,
            parallel_tables=wish.parallel_tables,
            field=wish.field,
            skip_trial=wish.skip_trial,
        )
        if wish.patience_s:
            settings.patience.FromTimedelta(timedelta(seconds=wish.patience_s))
        request = pb.CreateLadderRequest(name=name, settings=settings)
        return _ladder(self._call(self._ladders.CreateLadder, request).ladder)

    def close_ladder(self, name: str) -> None:
        """Let a ladder take no more entrants and begin no more seasons."""
        self._call(self._ladders.CloseLadder, pb.CloseLadderRequest(ladder=name))

    def create_owner(self, name: str, quota: int) -> str:
        """Make an owner, with the usual quota where that is 0; return the token."""
        request = player_service_pb2.CreateOwnerRequest(name=name, quota=quota)
        return str(self._call(self._players.CreateOwner, request).token)

    def owners(self) -> list[OwnerLine]:
        """Return every owner, by name."""
        answer = self._call(self._players.ListOwners, player_service_pb2.ListOwnersRequest())
        return [OwnerLine(owner.name, owner.quota, owner.player_id) for owner in answer.owners]

    # -- owners -------------------------------------------------------------------

    def enter(self, ladder: str, bot: str, version: str) -> tuple[str, str]:
        """Enter a version of a bot; return the entrant's name and token."""
        request = pb.EnterLadderRequest(ladder=ladder, bot=bot, version=version)
        answer = self._call(self._ladders.EnterLadder, request)
        return answer.entrant.name, answer.token

    def withdraw(self, ladder: str, entrant: str) -> None:
        """Withdraw an entrant."""
        self._call(self._ladders.WithdrawEntrant, pb.WithdrawEntrantRequest(ladder=ladder, entrant=entrant))

    def renew_token(self, player_id: str) -> str:
        """Give a player, the caller if none is named, a fresh token and return it."""
        request = player_service_pb2.RenewTokenRequest(player_id=player_id)
        return str(self._call(self._players.RenewToken, request).token)

    def revoke_token(self, player_id: str) -> None:
        """Make the token of a player, the caller if none is named, worth nothing."""
        self._call(self._players.RevokeToken, player_service_pb2.RevokeTokenRequest(player_id=player_id))

    # -- everybody ----------------------------------------------------------------

    def ladders(self) -> list[LadderLine]:
        """Return every ladder, by name."""
        return list(map(_ladder, self._call(self._ladders.ListLadders, pb.ListLaddersRequest()).ladders))

    def standings(self, ladder: str) -> Standings:
        """Return the standings by the sets that are over."""
        return _standings(self._call(self._ladders.GetStandings, pb.GetStandingsRequest(ladder=ladder)).standings)

    def watch_standings(self, ladder: str) -> Iterator[Standings]:
        """Yield the standings now and whenever a set is over, until the ladder is."""
        try:
            request = pb.WatchStandingsRequest(ladder=ladder)
            for message in self._ladders.WatchStandings(request, metadata=self._metadata):
                yield _standings(message.standings)
        except grpc.RpcError as error:
            raise self._error(error) from error

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=_CALL_S, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._error(error) from error

    def _error(self, error: grpc.RpcError) -> SessionError:
        return session_error(error, self._address, self._ca)


def _ladder(message: pb.Ladder) -> LadderLine:
    settings = message.settings
    design = next((name for name, value in DESIGNS.items() if value == settings.design), "unknown")
    entrants = tuple(
        EntrantLine(
            entrant.name,
            entrant.owner,
            entrant.attending,
            entrant.withdrawn,
            entrant.player_id,
            _TRIALS.get(entrant.trial, "unknown"),
            entrant.trial_problem,
        )
        for entrant in message.entrants
    )
    state = _STATES.get(message.state, "unknown")
    return LadderLine(message.name, settings.preset, design, state, message.season, settings.sets, entrants)


def _standings(message: pb.Standings) -> Standings:
    lines = (
        StandingLine(
            line.rank,
            line.entrant,
            line.points_per_round,
            (line.interval.low, line.interval.high) if line.HasField("interval") else None,
            line.first_chance,
            line.rounds,
            line.sets,
            dict(line.causes),
        )
        for line in message.standings
    )
    return Standings(message.ladder, message.sets, tuple(lines), tuple(message.notes))
