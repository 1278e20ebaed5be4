"""Tokens: who gets which, where they are kept, and that a revoked one is worth nothing."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.accounts import TOKEN_FILE
from rummyref.v1 import player_service_pb2 as pb
from rummyref.v1 import reasons_pb2, table_service_pb2
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from tests.referee.conftest import House, Stream, bearer
from tests.referee.process import RefereeProcess
from tests.referee.test_tables import refused

Stub = Any


@pytest.fixture
async def organiser(house: House, tmp_path: Path) -> str:
    """The organiser's token."""
    await house.referee.hall.accounts.ensure_organiser(tmp_path)
    return (tmp_path / TOKEN_FILE).read_text("ascii").strip()


def players(house: House) -> Stub:
    """Return a stub of the player service."""
    return PlayerServiceStub(house.channel)


def test_the_organisers_token_is_for_its_eyes_alone(tmp_path: Path) -> None:
    """Written at the first start with mode 600, kept at the next; removed, another one is made and the old is void."""
    file = tmp_path / TOKEN_FILE
    tokens = []
    for _ in range(3):
        referee = RefereeProcess(tmp_path)
        tokens.append(file.read_text("ascii").strip())
        assert file.stat().st_mode & 0o777 == 0o600
        assert referee.stop() == 0
        if len(tokens) == 2:
            file.unlink()
    assert tokens[0] == tokens[1] != tokens[2]
    assert tokens[2].encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("rummyref.db*"))


async def test_only_the_organiser_makes_owners(house: House, organiser: str) -> None:
    """An owner is made once by name, with a quota in range; guests and owners make none."""
    request = pb.CreateOwnerRequest(name="acme", quota=2)
    made = await players(house).CreateOwner(request, metadata=bearer(organiser))
    for token in (await house.register(), made.token):
        assert await refused(players(house).CreateOwner(request, metadata=bearer(token))) == "NOT_PERMITTED"
        assert (
            await refused(players(house).ListOwners(pb.ListOwnersRequest(), metadata=bearer(token))) == "NOT_PERMITTED"
        )
    again = [request, pb.CreateOwnerRequest(name="a/b"), pb.CreateOwnerRequest(name="other", quota=1001)]
    reasons = [await refused(players(house).CreateOwner(each, metadata=bearer(organiser))) for each in again]
    assert reasons == ["NAME_TAKEN", "NAME_INVALID", "OPTION_INVALID"]
    listed = await players(house).ListOwners(pb.ListOwnersRequest(), metadata=bearer(organiser))
    assert [(owner.player_id, owner.name, owner.quota) for owner in listed.owners] == [(made.player_id, "acme", 2)]


async def test_a_revoked_token_gets_nothing(house: House, organiser: str) -> None:
    """What is open by it is closed with a reason, its seat is taken from it at once, and nothing else answers to it."""
    table_id, tokens, (thief, _) = await house.two_seated()
    decision = (await thief.read("decision")).decision
    watch = house.tables().Watch(table_service_pb2.WatchRequest(table_id=table_id), metadata=bearer(tokens[0]))
    await watch.read()
    robbed = house.referee.hall.players.authenticate(tokens[0]).id
    await players(house).RevokeToken(pb.RevokeTokenRequest(player_id=robbed), metadata=bearer(organiser))
    notice = (await thief.read("notice")).notice
    assert notice.reason == reasons_pb2.REASON_TOKEN_REVOKED
    assert await thief.ended() is grpc.StatusCode.OK
    assert await watch.code() is grpc.StatusCode.UNAUTHENTICATED
    again = Stream(house.channel, tokens[0])
    assert await again.ended() is grpc.StatusCode.UNAUTHENTICATED
    request = table_service_pb2.GetTableRequest(table_id=table_id)
    assert await refused(house.tables().GetTable(request, metadata=bearer(tokens[0]))) == "TOKEN_INVALID"
    fresh = await players(house).RenewToken(pb.RenewTokenRequest(player_id=robbed), metadata=bearer(organiser))
    owner = Stream(house.channel, fresh.token)
    await owner.hello()
    assert (await owner.read("decision")).decision.decision_id == decision.decision_id


async def test_a_renewed_token_is_ones_own_affair(house: House, organiser: str) -> None:
    """Everybody renews their own; nobody but the organiser that of others; the organiser's is renewed by its file."""
    anna, ben = await house.register("anna"), await house.register("ben")
    other = house.referee.hall.players.authenticate(ben).id
    theirs = pb.RenewTokenRequest(player_id=other)
    assert await refused(players(house).RenewToken(theirs, metadata=bearer(anna))) == "NOT_PERMITTED"
    unknown = pb.RevokeTokenRequest(player_id="p-none")
    assert await refused(players(house).RevokeToken(unknown, metadata=bearer(organiser))) == "PLAYER_UNKNOWN"
    own = pb.RenewTokenRequest()
    assert await refused(players(house).RenewToken(own, metadata=bearer(organiser))) == "NOT_PERMITTED"
    fresh = (await players(house).RenewToken(own, metadata=bearer(anna))).token
    assert await refused(players(house).RenewToken(own, metadata=bearer(anna))) == "TOKEN_INVALID"
    assert house.referee.hall.players.authenticate(fresh).name == "anna"
