"""LadderService: who may do what, what is told when, and seasons in one process with the hall."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from referee.accounts import TOKEN_FILE
from referee.ladder.open_ladders import OpenLadders
from rummyref.v1 import ladder_service_pb2 as pb
from rummyref.v1 import play_service_pb2, player_service_pb2, rules_pb2
from rummyref.v1.ladder_service_pb2_grpc import LadderServiceStub
from rummyref.v1.player_service_pb2_grpc import PlayerServiceStub
from tests.referee.conftest import WITHIN_S, House, Stream, bearer
from tests.referee.test_tables import refused

Metadata = tuple[tuple[str, str], ...]


class Office:
    """The ladders of a house, its organiser, and owners."""

    def __init__(self, house: House, organiser: str) -> None:
        """Work with the *organiser*'s token."""
        self.house = house
        self.ladders: Any = LadderServiceStub(house.channel)
        self.players: Any = PlayerServiceStub(house.channel)
        self.organiser = bearer(organiser)
        self._bots: list[asyncio.Task[None]] = []

    async def owner(self, name: str, quota: int = 0) -> Metadata:
        """Make an owner and return what it calls with."""
        request = player_service_pb2.CreateOwnerRequest(name=name, quota=quota)
        return bearer((await self.players.CreateOwner(request, metadata=self.organiser)).token)

    async def create(self, name: str = "open", **settings: object) -> pb.Ladder:
        """Make a ladder of two sets of remi for two, without trials."""
        values = {"preset": "remi", "sets": 2, "options": options(players=2), "skip_trial": True, **settings}
        request = pb.CreateLadderRequest(name=name, settings=pb.LadderSettings(**values))  # type: ignore[arg-type]
        answer: pb.CreateLadderResponse = await self.ladders.CreateLadder(request, metadata=self.organiser)
        return answer.ladder

    def enter(self, owner: Metadata, bot: str, version: str = "1", ladder: str = "open") -> Any:
        """Enter a version of a bot."""
        request = pb.EnterLadderRequest(ladder=ladder, bot=bot, version=version)
        return self.ladders.EnterLadder(request, metadata=owner)

    async def attend(self, token: str, capacity: int = 1) -> Stream:
        """Have a bot attend that plays the last offer, until its stream ends."""
        stream = Stream(self.house.channel, token)
        await stream.hello(
            capacity=capacity, want_views=False, want_offers=True, delivery=play_service_pb2.DELIVERY_GATHERED
        )
        self._bots.append(asyncio.create_task(answering(stream)))
        return stream

    async def field(self, names: str, ladder: str = "open") -> dict[str, Stream]:
        """Have each of *names* enter with a bot of its own that attends; return their streams."""
        return {
            name: await self.attend((await self.enter(await self.owner(name), name, ladder=ladder)).token)
            for name in names.split()
        }

    def watch(self, ladder: str = "open") -> Any:
        """Watch the standings."""
        return self.ladders.WatchStandings(pb.WatchStandingsRequest(ladder=ladder), metadata=self.organiser)

    async def close_ladder(self, ladder: str = "open") -> None:
        """Close a ladder."""
        await self.ladders.CloseLadder(pb.CloseLadderRequest(ladder=ladder), metadata=self.organiser)

    async def begun(self, watch: Any) -> None:
        """Return once a season is under way; *watch* was begun before."""
        while (await self.ladder()).state != pb.LADDER_STATE_RUNNING:
            await watch.read()

    async def ladder(self) -> pb.Ladder:
        """Return the only ladder."""
        listed = await self.ladders.ListLadders(pb.ListLaddersRequest(), metadata=self.organiser)
        (ladder,) = listed.ladders
        assert isinstance(ladder, pb.Ladder)
        return ladder

    async def fixtures(self, size: int = 0) -> list[pb.Fixture]:
        """Return every fixture that is told of, page by page."""
        found: list[pb.Fixture] = []
        token = ""
        while True:
            request = pb.ListFixturesRequest(ladder="open", page_size=size, page_token=token)
            answer = await self.ladders.ListFixtures(request, metadata=self.organiser)
            found += answer.fixtures
            token = answer.next_page_token
            if not token:
                return found

    async def end(self) -> None:
        """End the bots."""
        for bot in self._bots:
            bot.cancel()
        await asyncio.gather(*self._bots, return_exceptions=True)


def options(**values: object) -> list[rules_pb2.OptionSetting]:
    """Return options as messages."""
    return [rules_pb2.OptionSetting(name=name, value=str(value)) for name, value in values.items()]


async def answering(stream: Stream) -> None:
    """Play the last offer until the stream ends."""
    while isinstance(message := await stream.call.read(), play_service_pb2.PlayResponse):
        if message.HasField("decision"):
            await stream.submit(message.decision, message.decision.offers[-1])


@pytest.fixture
async def office(house: House, tmp_path: Path) -> AsyncIterator[Office]:
    """A house whose ladders are played."""
    await house.referee.hall.accounts.ensure_organiser(tmp_path)
    house.referee.ladders.run()
    opened = Office(house, (tmp_path / TOKEN_FILE).read_text("ascii").strip())
    yield opened
    await opened.end()


async def last(watch: Any) -> pb.Standings:
    """Return the last standings of a watch, once it has ended."""
    found = None
    async with asyncio.timeout(2 * WITHIN_S):
        while isinstance(message := await watch.read(), pb.WatchStandingsResponse):
            found = message.standings
    assert isinstance(found, pb.Standings)
    return found


async def test_a_bridge_is_played_to_its_end(office: Office) -> None:
    """Four owners at two tables a deal: nobody is at both, standings count whole sets, fixtures come in order."""
    made = await office.create(field=4)
    assert (made.state, made.settings.design, made.settings.tables) == (
        pb.LADDER_STATE_WAITING, pb.LADDER_DESIGN_BRIDGE, 2,
    )  # fmt: skip
    watch = office.watch()
    await office.field("anna ben carl dora")
    await office.begun(watch)
    await office.close_ladder()
    standings = await last(watch)
    assert standings.sets == 2
    assert [line.sets for line in standings.standings] == [2, 2, 2, 2]
    fixtures = await office.fixtures(size=3)
    assert [(each.season, each.set_number, each.table_number) for each in fixtures] == [
        (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1),
    ]  # fmt: skip
    for one, two in (fixtures[:2], fixtures[2:]):
        assert sorted((*one.entrants, *two.entrants)) == ["anna-1", "ben-1", "carl-1", "dora-1"]
    assert (await office.ladder()).state == pb.LADDER_STATE_CLOSED


async def test_entrants_of_one_owner_never_meet(office: Office) -> None:
    """Two versions of one owner take turns against the other owner; a field of one owner begins nothing."""
    await office.create(design=pb.LADDER_DESIGN_ROTATION, sets=4)
    anna = await office.owner("anna")
    for version in ("1", "2"):
        await office.attend((await office.enter(anna, "shark", version)).token)
    assert (await office.ladder()).state == pb.LADDER_STATE_WAITING
    watch = office.watch()
    await office.attend((await office.enter(await office.owner("ben"), "carp")).token, capacity=4)
    await office.begun(watch)
    await office.close_ladder()
    await last(watch)
    met = [set(fixture.entrants) for fixture in await office.fixtures()]
    assert len(met) == 8
    assert all("carp-1" in pair for pair in met)


async def test_an_entrant_that_goes_away_is_waited_for(office: Office) -> None:
    """No table opens without it, and the season goes on when it is back; nobody has forfeited."""
    await office.create(design=pb.LADDER_DESIGN_ROTATION, sets=3, parallel_tables=1, clock="slow")
    ben = await office.owner("ben")
    token = (await office.enter(ben, "carp")).token
    watch = office.watch()
    await office.field("anna")
    stream = await office.attend(token)
    await office.begun(watch)
    await office.close_ladder()
    while not (first := (await watch.read()).standings).sets:
        pass
    stream.call.cancel()
    again = await office.attend(token)
    standings = await last(watch)
    again.call.cancel()
    assert first.sets < standings.sets == 3
    assert not any(line.causes for line in standings.standings)


async def test_a_ladder_that_was_stopped_goes_on(office: Office) -> None:
    """The ladders of a hall taken up anew play the season that was under way to its end, and begin no other."""
    await office.create(design=pb.LADDER_DESIGN_ROTATION, sets=3)
    watch = office.watch()
    await office.field("anna ben")
    await office.begun(watch)
    house = office.house.referee
    await house.ladders.close()
    anew = OpenLadders(house.hall)
    (ladder,) = anew.all()
    assert (ladder.is_running, len(ladder.entrants)) == (True, 2)
    anew.run()
    async with asyncio.timeout(WITHIN_S):
        await anew.close_ladder("open")
        while not ladder.is_over:
            await ladder.news.wait()
    await anew.close()
    assert [(season.number, season.over) for season in house.hall.store.seasons("open")] == [(1, True)]
    assert len(house.hall.store.fixtures("open 1")) == 6


async def test_who_watches_is_told_that_the_referee_goes_down(office: Office) -> None:
    """The watch ends at once with a reason, instead of keeping the referee up."""
    await office.create()
    watch = office.watch()
    await watch.read()
    await office.house.referee.hall.close()
    assert await refused(asyncio.wait_for(watch.read(), WITHIN_S)) == "SHUTTING_DOWN"


async def test_who_enters_late_is_in_the_next_season(office: Office) -> None:
    """The field of a season stays as it is; ended, another begins with whoever attends then."""
    await office.create(design=pb.LADDER_DESIGN_ROTATION, sets=1)
    await office.field("anna ben")
    watch = office.watch()
    while (await watch.read()).standings.sets < 1:
        pass
    await office.field("carl")
    while not any(line.entrant == "carl-1" and line.sets for line in (await watch.read()).standings.standings):
        pass
    assert all(each.season > 1 for each in await office.fixtures() if "carl-1" in each.entrants)
    assert (await office.ladder()).season > 1


async def test_a_withdrawn_entrant_is_left_out_until_it_returns(office: Office) -> None:
    """It frees its place in the quota; entering it again gives it a fresh token, the old one is worth nothing."""
    await office.create()
    anna = await office.owner("anna", quota=1)
    entered = await office.enter(anna, "shark")
    assert await refused(office.enter(anna, "shark", "2")) == "QUOTA_EXCEEDED"
    request = pb.WithdrawEntrantRequest(ladder="open", entrant="shark-1")
    ben = await office.owner("ben")
    assert await refused(office.ladders.WithdrawEntrant(request, metadata=ben)) == "NOT_PERMITTED"
    for _ in range(2):
        await office.ladders.WithdrawEntrant(request, metadata=anna)
    assert [each.withdrawn for each in (await office.ladder()).entrants] == [True]
    again = await office.enter(anna, "shark")
    assert (again.entrant.player_id, again.entrant.withdrawn) == (entered.entrant.player_id, False)
    assert again.token != entered.token
    stale = office.ladders.ListLadders(pb.ListLaddersRequest(), metadata=bearer(entered.token))
    assert await refused(stale) == "TOKEN_INVALID"


async def test_a_season_goes_on_without_whoever_is_withdrawn(office: Office) -> None:
    """Withdrawn and gone, it is waited for no more; who is not in the field is withdrawn without a trace there."""
    await office.create(design=pb.LADDER_DESIGN_ROTATION, sets=8, parallel_tables=2)
    late = await office.owner("late")
    watch = office.watch()
    streams = await office.field("anna ben carl")
    await office.begun(watch)
    await office.enter(late, "late")
    gone = pb.WithdrawEntrantRequest(ladder="open", entrant="late-1")
    await office.ladders.WithdrawEntrant(gone, metadata=late)
    await office.close_ladder()
    carl = pb.WithdrawEntrantRequest(ladder="open", entrant="carl-1")
    await office.ladders.WithdrawEntrant(carl, metadata=office.organiser)
    streams["carl"].call.cancel()
    standings = await last(watch)
    assert standings.sets == 8
    sets = {line.entrant: line.sets for line in standings.standings}
    assert sets["carl-1"] < sets["anna-1"]
    assert sets["late-1"] == 0
    kept = office.house.referee.hall.store.entrant_events("open 1")
    assert {event.entrant for event in kept} == {"carl-1"}


async def test_misconduct_withdraws_from_an_open_ladder_too(office: Office) -> None:
    """Who forfeits round after round is withdrawn, for the season and the ladder, until its owner enters it again."""
    await office.create(
        design=pb.LADDER_DESIGN_ROTATION, sets=10, parallel_tables=2, patience=Duration(seconds=1),
        options=options(players=2, rounds=5),
    )  # fmt: skip
    watch = office.watch()
    streams = await office.field("anna ben carl")
    await office.begun(watch)
    await office.close_ladder()
    streams["carl"].call.cancel()
    standings = await last(watch)
    assert standings.sets == 10
    assert {each.name: each.withdrawn for each in (await office.ladder()).entrants} == {
        "anna-1": False, "ben-1": False, "carl-1": True,
    }  # fmt: skip
    record = [json.loads(entry) for entry in office.house.referee.hall.store.ladder_record("open 1")]
    [withdrawn] = [entry for entry in record if entry["kind"] == "withdrawn"]
    assert (withdrawn["entrant"], withdrawn["cause"], withdrawn["bad"] >= 20) == ("carl-1", "misconduct", True)


async def test_an_owner_renews_and_revokes_the_tokens_of_its_entrants(office: Office) -> None:
    """Not those of others."""
    await office.create()
    anna, ben = await office.owner("anna"), await office.owner("ben")
    entered = await office.enter(anna, "shark")
    renewing = player_service_pb2.RenewTokenRequest(player_id=entered.entrant.player_id)
    assert await refused(office.players.RenewToken(renewing, metadata=ben)) == "NOT_PERMITTED"
    fresh = (await office.players.RenewToken(renewing, metadata=anna)).token
    stream = await office.attend(fresh)
    revoking = player_service_pb2.RevokeTokenRequest(player_id=entered.entrant.player_id)
    await office.players.RevokeToken(revoking, metadata=anna)
    async with asyncio.timeout(WITHIN_S):
        await stream.call.code()
    assert not (await office.ladder()).entrants[0].attending


async def test_what_may_not_be_is_refused_and_leaves_nothing(office: Office) -> None:
    """Each refusal has its reason; afterwards there is one ladder with one entrant."""
    await office.create()
    anna, ben, guest = await office.owner("anna"), await office.owner("ben"), bearer(await office.house.register())
    await office.enter(anna, "shark")
    settings = pb.LadderSettings(preset="remi")
    creating = pb.CreateLadderRequest(name="other", settings=settings)
    assert await refused(office.ladders.CreateLadder(creating, metadata=anna)) == "NOT_PERMITTED"
    assert await refused(office.enter(guest, "eel")) == "NOT_PERMITTED"
    assert await refused(office.enter(office.organiser, "eel")) == "NOT_PERMITTED"
    assert await refused(office.enter(anna, "shark")) == "NAME_TAKEN"
    assert await refused(office.enter(ben, "shark", "2")) == "NAME_TAKEN"
    assert await refused(office.enter(ben, "sh/ark")) == "NAME_INVALID"
    assert await refused(office.enter(ben, "s" * 31, "22")) == "NAME_INVALID"
    assert await refused(office.enter(ben, "eel", ladder="none")) == "LADDER_UNKNOWN"
    unknown = pb.WithdrawEntrantRequest(ladder="open", entrant="eel-1")
    assert await refused(office.ladders.WithdrawEntrant(unknown, metadata=ben)) == "ENTRANT_UNKNOWN"
    for token in ("nonsense", "1.2", "1.2.-3", "1.2.٣", "1.2." + "9" * 5_000, "..", "1.2.3\n"):
        page = pb.ListFixturesRequest(ladder="open", page_token=token)
        assert await refused(office.ladders.ListFixtures(page, metadata=ben)) == "OPTION_INVALID", token[:20]
    assert await refused(office.watch("none").read()) == "LADDER_UNKNOWN"
    await office.close_ladder()
    assert await refused(office.enter(ben, "eel")) == "LADDER_CLOSED"
    assert [each.name for each in (await office.ladder()).entrants] == ["shark-1"]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"name": "a/b"}, "NAME_INVALID"),
        ({"name": "open"}, "NAME_TAKEN"),
        ({"preset": "nonsense"}, "OPTION_INVALID"),
        ({"options": options(players=9)}, "OPTION_INVALID"),
        ({"options": options(nonsense=1)}, "OPTION_INVALID"),
        ({"options": options(show_hands="true")}, "OPTION_INVALID"),
        ({"clock": "untimed"}, "OPTION_INVALID"),
        ({"clock": "sundial"}, "OPTION_INVALID"),
        ({"design": 99}, "OPTION_INVALID"),
        ({"tables": 1}, "OPTION_INVALID"),
        ({"tables": 2, "design": pb.LADDER_DESIGN_ROTATION}, "OPTION_INVALID"),
        ({"sets": 1_000_001}, "OPTION_INVALID"),
        ({"patience": Duration(seconds=10**14)}, "OPTION_INVALID"),
        ({"field": 1_001}, "OPTION_INVALID"),
        ({"parallel_tables": 1_001}, "OPTION_INVALID"),
    ],
)
async def test_settings_out_of_range_make_no_ladder(office: Office, settings: dict[str, Any], reason: str) -> None:
    """The refusal names the option; the ladders are what they were."""
    await office.create()
    assert await refused(office.create(**{"name": "other", **settings})) == reason
    assert (await office.ladder()).name == "open"
