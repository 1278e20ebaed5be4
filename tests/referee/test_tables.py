"""TableService and RulesService: tables, seats, and what a hand is worth."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from sqlalchemy import event

from engine.notation import parse_cards
from engine.record.entries import Reveal
from engine.rules.ruleset import RuleSet
from referee.services import rules_service
from referee.services.replay_service import ReplayService
from referee.services.table_service import TableService
from referee.store.rows import entry_writes
from referee.tables.messages import EnterOver
from rummyref.v1 import (
    player_service_pb2,
    player_service_pb2_grpc,
    replay_service_pb2,
    rules_pb2,
    rules_service_pb2,
    table_service_pb2,
)
from rummyref.v1.rules_service_pb2_grpc import RulesServiceStub
from tests.referee.conftest import House, Stream, bearer
from tests.referee.in_process import Call
from wire.cards import values_of_cards


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason in the only ErrorInfo of a refusal."""
    status = rpc_status.from_call(error)
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert len(status.details) == 1
    assert status.details[0].Unpack(info)
    assert info.domain == "rummyref.v1"
    return str(info.reason)


async def refused(call: Any) -> str:
    """Return the reason for which *call* is refused."""
    with pytest.raises(grpc.RpcError) as caught:
        await call
    return reason_of(caught.value)


async def test_seats_are_taken_left_and_named(house: House) -> None:
    """The first free seat, a chosen one, one's own again, and refusals for the rest."""
    anna, ben, eve = [await house.register(name) for name in ("anna", "ben", "eve")]
    table_id = await house.table(anna, players=3)
    assert await house.take(anna, table_id, 1) == 1
    assert await house.take(anna, table_id) == 1
    assert await refused(house.take(anna, table_id, 2)) == "ALREADY_SEATED"
    assert await refused(house.take(ben, table_id, 1)) == "SEAT_TAKEN"
    assert await refused(house.take(ben, table_id, 7)) == "OPTION_INVALID"
    assert await refused(house.take(ben, "nonsense")) == "TABLE_UNKNOWN"
    assert await house.take(ben, table_id) == 0
    leave = table_service_pb2.LeaveSeatRequest(table_id=table_id, seat=0)
    assert await refused(house.tables().LeaveSeat(leave, metadata=bearer(eve))) == "NOT_SEATED"
    await house.tables().LeaveSeat(leave, metadata=bearer(ben))
    assert await house.take(eve, table_id) == 0
    assert await house.take(ben, table_id) == 2
    dave = await house.register("dave")
    assert await refused(house.take(dave, table_id)) == "TABLE_FULL"
    request = table_service_pb2.GetTableRequest(table_id=table_id)
    table = (await house.tables().GetTable(request, metadata=bearer(dave))).table
    assert [seat.player_name for seat in table.seats] == ["eve", "anna", "ben"]
    assert len(table.commitment) == 32


@pytest.mark.parametrize("comes_back", [False, True])
async def test_a_seat_left_before_the_deal_is_played_for_from_the_deal_on(house: House, comes_back: bool) -> None:
    """Its player has left a match that has all its players; unless it is back before the cards are."""
    anna, ben = await house.register("anna"), await house.register("ben")
    stream = Stream(house.channel, ben)
    await stream.hello()
    table_id = await house.table(anna)
    seat = await house.take(anna, table_id)
    await house.take(ben, table_id)
    leave = table_service_pb2.LeaveSeatRequest(table_id=table_id, seat=seat)
    await house.tables().LeaveSeat(leave, metadata=bearer(anna))
    if comes_back:
        await Stream(house.channel, anna).hello()
    else:
        house.referee.hall.tables[table_id].post(EnterOver())
    await stream.read("seated")
    request = table_service_pb2.GetTableRequest(table_id=table_id)
    await house.tables().GetTable(request, metadata=bearer(anna))  # behind the deal in the table's inbox
    assert house.referee.hall.tables[table_id]._live.present[seat] is comes_back


@pytest.mark.parametrize(
    ("field", "value", "part"),
    [
        ("preset", "nonsense", "unknown preset"),
        ("clock", "nonsense", "unknown clock"),
        ("stand_in", "nonsense", "unknown stand_in"),
        ("options", [rules_pb2.OptionSetting(name="nonsense", value="1")], "unknown option"),
        ("options", [rules_pb2.OptionSetting(name="rounds", value="many")], "option rounds"),
    ],
)
async def test_a_table_with_a_bad_setting_is_not_made(house: House, field: str, value: Any, part: str) -> None:
    """The refusal names what is wrong."""
    token = await house.register()
    request = table_service_pb2.CreateTableRequest(**{"preset": "remi", field: value})
    with pytest.raises(grpc.RpcError) as caught:
        await house.tables().CreateTable(request, metadata=bearer(token))
    assert reason_of(caught.value) == "OPTION_INVALID"
    assert part in (caught.value.details() or "")


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\U0001f0a1"])
@pytest.mark.parametrize("field", ["preset", "clock", "stand_in", "option", "value"])
async def test_a_refusal_arrives_however_long_that_is_which_it_is_about(house: House, field: str, letter: str) -> None:
    """It travels in a header, which has its limits; what does not fit is left out."""
    token, long = await house.register(), letter * 10_000
    options = {"option": {long: "1"}, "value": {"players": long}}.get(field, {})
    request = table_service_pb2.CreateTableRequest(
        **{"preset": "remi", **({} if options else {field: long})},  # type: ignore[arg-type]
        options=[rules_pb2.OptionSetting(name=name, value=value) for name, value in options.items()],
    )
    assert await refused(house.tables().CreateTable(request, metadata=bearer(token))) == "OPTION_INVALID"


async def test_calls_without_a_token_are_refused(house: House) -> None:
    """Before anything is said about what exists."""
    request = table_service_pb2.GetTableRequest(table_id="nonsense")
    assert await refused(house.tables().GetTable(request)) == "TOKEN_INVALID"


@pytest.mark.parametrize("name", ["", " x", "x" * 33, "a\nb", "ä"])
async def test_a_name_has_its_characters(house: House, name: str) -> None:
    """Names appear in logs and standings and are plain."""
    stub: Any = player_service_pb2_grpc.PlayerServiceStub(house.channel)
    assert await refused(stub.Register(player_service_pb2.RegisterRequest(name=name))) == "NAME_INVALID"


async def test_tables_are_listed_in_pages(house: House) -> None:
    """Every table once, in the order of the ids."""
    token = await house.register()
    made = {await house.table(token) for _ in range(5)}
    found: list[str] = []
    page = ""
    while True:
        request = table_service_pb2.ListTablesRequest(page_size=2, page_token=page)
        answer = await house.tables().ListTables(request, metadata=bearer(token))
        found += [table.table_id for table in answer.tables]
        page = answer.next_page_token
        if not page:
            break
    assert found == sorted(made)


@pytest.mark.parametrize("service", [TableService, ReplayService])
async def test_a_page_asks_the_database_as_often_as_a_line(house: House, service: type[Any]) -> None:
    """Nobody's clock stands still for a list, however long it is."""
    token, hall = await house.register(), house.referee.hall
    for _ in range(5):
        table_id = await house.table(token)
        await house.take(token, table_id)
        await hall.append(entry_writes(table_id, 0, [Reveal("00")]))
    hall.lobbies.clear()  # as if all of it were past
    statements = list[str]()
    event.listen(hall.store.engine, "before_cursor_execute", lambda *told: statements.append(told[2]))
    context: Any = Call(token)
    asked = []
    for size in (1, 5):
        statements.clear()
        if service is TableService:
            tables = await TableService(hall).ListTables(table_service_pb2.ListTablesRequest(page_size=size), context)
            players = [[seat.player_name for seat in table.seats] for table in tables.tables]
        else:
            replays = await ReplayService(hall).ListReplays(
                replay_service_pb2.ListReplaysRequest(page_size=size), context
            )
            players = [list(replay.players) for replay in replays.replays]
        assert players == [["guest", ""] if service is TableService else ["guest"]] * size
        asked.append(len(statements))
    assert asked[0] == asked[1]


async def test_a_hand_is_arranged_for_bots_in_any_language(house: House) -> None:
    """Melds, what is left, and every way out with the closer's points."""
    stub: Any = RulesServiceStub(house.channel)
    cards = values_of_cards(parse_cards("3C 4C 5C 6C QS QH QD QC"))
    answer = await stub.Arrange(rules_service_pb2.ArrangeRequest(preset="remi", cards=cards))
    assert answer.left_points == 0
    assert sorted(way.points for way in answer.going_out) == [105, 105, 150, 150, 150, 150]
    twice = rules_service_pb2.ArrangeRequest(preset="remi", cards=cards[:1] * 2)
    assert await refused(stub.Arrange(twice)) == "CARD_MALFORMED"
    listed = await stub.ListRuleSets(rules_service_pb2.ListRuleSetsRequest())
    assert "remi" in [rules.preset for rules in listed.rule_sets]
    unknown = rules_service_pb2.GetRuleSetRequest(preset="nonsense")
    assert await refused(stub.GetRuleSet(unknown)) == "OPTION_INVALID"


async def test_a_long_search_keeps_nobody_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a hand is arranged, however long that takes, everything else goes on; a second search waits for it."""
    searching, done, searches = threading.Event(), threading.Event(), []

    def search(rules: RuleSet, asked: object) -> rules_service_pb2.ArrangeResponse:
        searches.append(asked)
        searching.set()
        assert done.wait(60)
        return rules_service_pb2.ArrangeResponse()

    monkeypatch.setattr(rules_service, "answer", search)
    stub: Any = RulesServiceStub(house.channel)
    request = rules_service_pb2.ArrangeRequest(preset="remi", cards=values_of_cards(parse_cards("3C 4C 5C")))
    calls = [asyncio.ensure_future(stub.Arrange(request)) for _ in range(2)]
    assert await asyncio.to_thread(searching.wait, 60)
    await house.table(await house.register())
    assert len(searches) == 1
    done.set()
    await asyncio.gather(*calls)
    assert len(searches) == 2


async def test_many_searches_of_one_peer_keep_another_waiting_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peers take turns: what comes behind twenty calls of somebody else is searched second."""
    searched = list[str]()

    def search(rules: RuleSet, asked: object) -> rules_service_pb2.ArrangeResponse:
        searched.append(rules.preset)
        return rules_service_pb2.ArrangeResponse()

    monkeypatch.setattr(rules_service, "answer", search)
    service, cards = rules_service.RulesService(), values_of_cards(parse_cards("3C 4C 5C"))

    def asking(preset: str, peer: str) -> Any:
        context: Any = SimpleNamespace(peer=lambda: peer)
        return service.Arrange(rules_service_pb2.ArrangeRequest(preset=preset, cards=cards), context)

    calls = [asking("remi", "ipv4:127.0.0.1:1") for _ in range(20)]
    calls.append(asking("remik", "ipv4:127.0.0.1:2"))
    await asyncio.gather(*calls)
    assert searched == ["remi", "remik", *["remi"] * 19]
