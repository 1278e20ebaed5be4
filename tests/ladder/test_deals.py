"""Deals of a ladder: bound in batches, drawn from the entrants' nonces, and all accounted for in its record."""

import json
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from pathlib import Path

import grpc
import pytest

from engine.record.canonical import Json
from engine.record.chain import write
from engine.record.ladder import (
    Absence,
    EntrantReturned,
    EntrantTried,
    EntrantWithdrawn,
    LadderBegun,
    LadderEntry,
    LadderTable,
    ladder_bytes,
    ladder_from_json,
    ladder_to_json,
)
from engine.record.ladder_audit import LadderVerdict, audit_ladder
from engine.record.terms import MatchFound
from engine.rules.registry import rule_set
from referee.ladder import deals as deals_module
from referee.ladder import nonces
from referee.ladder.deals import Deals
from referee.ladder.fixtures import rotation, seated
from referee.server import Referee, Storage, start
from referee.store.models import Ladder
from referee.store.writer import Write
from rummyref.v1 import play_service_pb2 as pb
from tests.cli.command import rummyref
from tests.ladder.laddering import bot, run_ladder, write_ladder
from tests.referee.conftest import House, Stream

SECRET = bytes(range(32))

_RUN = "import sys; from clients.cli.main import main; sys.exit(main())"
PATIENT = ("-c", f"from referee.ladder import nonces; nonces._ARRIVAL_S = nonces.EXCHANGE_S = 60.0; {_RUN}")
"""The command, with longer for bots to come and take part in a deal: how soon they do depends on the machine."""


def begun(sets: int = 3, **terms: Json) -> LadderBegun:
    """Return the first entry of a ladder of *sets* for the entrants a and b, with other *terms* as they are given."""
    told: dict[str, Json] = {
        "preset": "remi", "options": dict(rule_set("remi", {"players": 2, "rounds": 1}).options), "clock": "standard",
        "design": "rotation", "tables": 2, "sets": sets, "relabel_suits": True, "entrants": ["a", "b"],
        "owners": {"a": "a", "b": "b"}, "policy": {"strikes": 3}, **terms,
    }  # fmt: skip
    return LadderBegun("test", told, "2026-11-30T00:00:00Z", "test")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A referee with a ladder in its store."""
    referee = await start("127.0.0.1:0", Storage(f"sqlite:///{tmp_path / 'rummyref.db'}", tmp_path / "replays"))
    from sqlalchemy import insert

    row = Ladder(name="test", manifest="{}", secret=SECRET, created_us=0)
    await referee.hall.append([Write(insert(Ladder), [row.model_dump()])])
    async with grpc.aio.insecure_channel(referee.address) as channel:
        yield House(referee, channel)
    await referee.stop(0)


def entries_of(referee: Referee) -> list[LadderEntry]:
    """Return the record of the ladder."""
    return [ladder_from_json(json.loads(body)) for body in referee.hall.store.ladder_record("test")]


def audited(entries: list[LadderEntry]) -> LadderVerdict:
    """Return what an audit says of *entries*, chained anew, all matches taken for good."""
    return audit_ladder(write(map(ladder_bytes, entries)), lambda _table, _proof: MatchFound(played=True))


def tables(deals: Deals, number: int) -> list[LadderTable]:
    """Return the two tables of a set that is ready, as they are drawn."""
    planned = seated(number, "ab", rotation(2), deals.seed(number))
    return [LadderTable(table, f"t-{number}-{table}", seats, "00" * 32) for table, seats in enumerate(planned.tables)]


async def play(deals: Deals, referee: Referee, number: int) -> None:
    """Play a set, as far as the record can tell."""
    await deals.ready(number)
    for table in tables(deals, number):
        await referee.hall.append([deals.opening(number, table)])
    await deals.played(number, tables(deals, number))


def fresh(referee: Referee, sets: int = 3, players: dict[str, str] | None = None) -> Deals:
    """Return the deals of the ladder, as a start or a restart of it makes them."""
    return Deals(referee.hall, "test", SECRET, sets, players, lambda _line: None)


async def record_of_a_ladder(referee: Referee) -> list[LadderEntry]:
    """Return a record with a set that was void and played again, one played, and one never played."""
    deals = fresh(referee)
    await deals.begin(begun())
    await play(deals, referee, 0)
    await deals.ready(1)
    await referee.hall.append([deals.opening(1, tables(deals, 1)[0])])
    await referee.hall.append([deals.void(1, tables(deals, 1)[:1])])
    again = fresh(referee)
    await again.begin(begun())
    assert again.number(1) == 3
    assert again.is_closed(0)
    assert not again.is_closed(1)
    await play(again, referee, 1)
    await again.end(2)
    return entries_of(referee)


async def test_every_deal_and_table_is_accounted_for(house: House) -> None:
    """Played, void and unused; a restart goes on where the record ends; a set that was void plays a fresh deal."""
    entries = await record_of_a_ladder(house.referee)
    verdict = audited(entries)
    assert (verdict.problem, verdict.ended) == ("", True)
    assert {outcome.value: count for outcome, count in verdict.outcomes.items()} == {
        "played": 2, "void": 1, "unused": 10,
    }  # fmt: skip
    assert [ladder_from_json(ladder_to_json(entry)) for entry in entries] == entries


async def test_whatever_is_left_out_or_changed_is_found(house: House) -> None:
    """A forger who makes the chain anew and drops, doubles, moves or changes any entry is found."""
    entries = await record_of_a_ladder(house.referee)
    for number in range(len(entries) - 1):
        assert not audited([*entries[:number], *entries[number + 1 :]]).ok, number
        assert not audited([*entries[: number + 1], *entries[number:]]).ok, number
    for number, entry in enumerate(entries):
        data = ladder_to_json(entry)
        for key, value in data.items():
            other: object = value
            if key.startswith("_") or key in ("kind", "terms", "ladder", "cause", "batch"):
                continue
            if isinstance(value, int):
                other = value + 1
            elif isinstance(value, str):
                other = sha256(value.encode()).hexdigest() if key in ("root", "seal") else f"{value}x"
            elif isinstance(value, list) and value:
                other = value[:-1]
            elif isinstance(value, dict) and "secret" in value:
                other = {**value, "secret": "00" * 32}
            else:
                continue
            try:
                forged = ladder_from_json({**data, key: other})
            except ValueError:
                continue
            assert not audited([*entries[:number], forged, *entries[number + 1 :]]).ok, (number, key)


def out(from_set: int) -> EntrantWithdrawn:
    """Return that the entrant b of every set is withdrawn."""
    return EntrantWithdrawn("b", Absence.MISCONDUCT, from_set, 20, 3)


ABSENCES: list[tuple[tuple[LadderEntry, ...], str]] = [
    ((EntrantTried("b", "illegal 6", ("t-1", "t-2")), out(2)), ""),
    ((out(0), EntrantReturned("b", 0)), ""),
    ((out(1),), "entrant b is in set 1, for which it was withdrawn"),
    ((out(0), EntrantReturned("b", 1)), "entrant b is in set 0, for which it was withdrawn"),
    ((out(2), out(3)), "entrant b is withdrawn already"),
    ((EntrantReturned("b", 0),), "entrant b was never withdrawn"),
    ((out(2), EntrantReturned("b", 1)), "entrant b changes before set 2 once more"),
]


@pytest.mark.parametrize(("changes", "problem"), ABSENCES)
async def test_whoever_is_withdrawn_is_in_no_set(house: House, changes: tuple[LadderEntry, ...], problem: str) -> None:
    """Sets 0 and 1 were played by a and b: the record must not say that one of them was out."""
    begun, *rest = await record_of_a_ladder(house.referee)
    entries = [begun, *changes, *rest]
    verdict = audited(entries)
    assert verdict.problem == problem
    assert [ladder_from_json(ladder_to_json(entry)) for entry in entries] == entries


async def taking_part(house: House, names: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> "Entrants":
    """Return entrants that are there."""
    monkeypatch.setattr(nonces, "_ARRIVAL_S", 0.2)
    entrants = Entrants(house, names)
    await entrants.come()
    return entrants


class Entrants:
    """Players that take part in deals, each with one nonce."""

    def __init__(self, house: House, names: dict[str, bytes]) -> None:
        """Prepare *names*, nonce by entrant."""
        self.house = house
        self.nonces = names
        self.players: dict[str, str] = {}
        self.streams: dict[str, Stream] = {}

    async def come(self) -> None:
        """Open a stream each."""
        for name in self.nonces:
            stream = Stream(self.house.channel, await self.house.register(name))
            welcome = await stream.hello(contributes=True)
            self.players[name], self.streams[name] = welcome.player_id, stream

    async def bind(self) -> str:
        """Send every hash; return the batch."""
        call = pb.HashCall()
        for name, stream in self.streams.items():
            call = (await stream.read("hash_call")).hash_call
            part = sha256(self.nonces[name]).digest()
            await stream.send(contribute=pb.Contribute(table_id=call.table_id, nonce_hash=part))
        return call.table_id

    async def show(self, false: str = "") -> None:
        """Send every nonce, another one for the entrant *false*."""
        for name, stream in self.streams.items():
            call = (await stream.read("nonce_call")).nonce_call
            nonce = bytes(32) if name == false else self.nonces[name]
            await stream.send(contribute=pb.Contribute(table_id=call.table_id, nonce=nonce))


async def test_the_entrants_nonces_enter_every_deal_of_a_batch(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root, hashes, nonces, in this order in the record; a restart draws the same seeds."""
    import asyncio

    entrants = await taking_part(house, {"b": b"b" * 32, "a": b"a" * 32}, monkeypatch)
    deals = fresh(house.referee, players=entrants.players)
    await deals.begin(begun())
    ready = asyncio.ensure_future(deals.ready(0))
    await entrants.bind()
    await entrants.show()
    await ready
    assert deals.proof(0).nonces == ((b"a" * 32).hex(), (b"b" * 32).hex())
    assert [type(entry).__name__ for entry in entries_of(house.referee)] == [
        "LadderBegun", "BatchOpened", "BatchBound", "BatchDealt",
    ]  # fmt: skip
    again = fresh(house.referee, players=entrants.players)
    assert again.seed(2) == deals.seed(2)
    assert again.seed(2) != again.seed(1)
    await play(again, house.referee, 0)
    assert audited(entries_of(house.referee)).problem == ""


async def test_nobody_waits_for_the_nonce_of_whoever_cannot_come(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long those who may come yet are waited for, a deal is bound at once without a bot that is dead."""
    import asyncio

    entrants = await taking_part(house, {"a": b"a" * 32}, monkeypatch)
    monkeypatch.setattr(nonces, "_ARRIVAL_S", 3600.0)
    players = {**entrants.players, "dead": "p-none"}
    dead: set[str] = set()
    deals = fresh(house.referee, players=players)
    deals.is_missed = lambda name: name in dead
    await deals.begin(begun())
    ready = asyncio.ensure_future(deals.ready(0))
    dead.add("dead")
    await entrants.bind()
    await entrants.show()
    await asyncio.wait_for(ready, 60)
    assert deals.proof(0).nonces == ((b"a" * 32).hex(),)


async def test_who_does_not_open_its_hash_spoils_one_batch(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch is void with its secrets shown, the next one has other secrets and goes on without that entrant."""
    import asyncio

    entrants = await taking_part(house, {"a": b"a" * 32, "b": b"b" * 32}, monkeypatch)
    said: list[str] = []
    deals = Deals(house.referee.hall, "test", SECRET, 3, entrants.players, said.append)
    await deals.begin(begun())
    ready = asyncio.ensure_future(deals.ready(0))
    await entrants.bind()
    await entrants.show(false="b")
    spoiler = entrants.streams.pop("b")
    await entrants.bind()
    await entrants.show()
    await ready
    assert deals.proof(0).nonces == ((b"a" * 32).hex(),)
    assert said == ["entrant b has not opened the hash of its nonce; it takes part in no deal"]
    void = next(entry for entry in map(ladder_to_json, entries_of(house.referee)) if entry["kind"] == "batch_void")
    assert (void["cause"], void["culprit"]) == ("nonce_not_opened", "b")
    assert deals.proof(0).secret not in json.dumps(void)
    await play(deals, house.referee, 0)
    assert audited(entries_of(house.referee)).problem == ""
    spoiler.call.cancel()


async def test_a_restart_before_the_nonces_binds_other_deals(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonces that were lost with their processes are nobody's fault: the batch is void for the referee's own."""
    import asyncio

    entrants = await taking_part(house, {"a": b"a" * 32}, monkeypatch)
    first = fresh(house.referee, players=entrants.players)
    await first.begin(begun())
    ready = asyncio.ensure_future(first.ready(0))
    await entrants.bind()
    await entrants.streams["a"].read("nonce_call")
    ready.cancel()
    again = fresh(house.referee, players=None)
    await again.begin(begun())
    await play(again, house.referee, 0)
    void = next(entry for entry in map(ladder_to_json, entries_of(house.referee)) if entry["kind"] == "batch_void")
    assert (void["cause"], void["culprit"]) == ("referee_fault", "")
    assert audited(entries_of(house.referee)).problem == ""


async def test_many_sets_take_many_batches(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch is bound when its first deal is due; the last one is as small as it must be."""
    monkeypatch.setattr(deals_module, "BATCH", 2)
    deals = fresh(house.referee, sets=5)
    await deals.begin(begun(5))
    for number in range(5):
        await play(deals, house.referee, number)
    await deals.end(5)
    sizes = [entry["size"] for entry in map(ladder_to_json, entries_of(house.referee)) if entry["kind"] == "batch"]
    assert sizes == [2, 2, 1]
    assert audited(entries_of(house.referee)).problem == ""


def test_a_real_ladder_can_be_verified(tmp_path: Path) -> None:
    """Bots of ours take part; what the command writes verifies; a match left out, exchanged or changed is named."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("random")}, sets=2, preset="closed-rummy-duel")
    file.write_text("\n".join(line for line in file.read_text().splitlines() if not line.startswith("seed")))
    data = tmp_path / "data"
    assert run_ladder(file, data, program=PATIENT).code == 0
    record = data / "ladders" / "test.ladder.jsonl"
    key = rummyref("keys", "show", "--data", str(data)).stdout.strip()
    good = rummyref("ladder", "verify", str(record), "--key", key)
    assert (good.returncode, good.stderr) == (0, "")
    assert "deals 2 played, 0 void, 0 unused; 4 matches replayed; signed by" in good.stdout
    several = rummyref("ladder", "verify", str(record), str(tmp_path / "none"), "--json")
    told, missing = json.loads(several.stdout)
    assert (told["ok"], told["ended"], told["tables"]) == (True, True, 4)
    assert (missing["ok"], missing["readable"], several.returncode) == (False, False, 2)
    assert any('"nonces":{"a":' in line for line in record.read_text().splitlines())
    first, second, *_ = sorted((data / "replays").iterdir())
    kept = first.read_bytes()
    damage: list[tuple[Callable[[], object], str]] = [
        (lambda: first.rename(tmp_path / "kept"), "its replay is missing"),
        (lambda: (tmp_path / "kept").rename(first), ""),
        (lambda: first.write_bytes(second.read_bytes()), "its replay"),
        (lambda: first.write_bytes(kept), ""),
        (lambda: record.write_bytes(record.read_bytes().replace(b'"kind":"fixture"', b'"kind":"fixturf"', 1)), "entry"),
    ]
    for change, problem in damage:
        change()
        ran = rummyref("ladder", "verify", str(record))
        assert ran.returncode == (1 if problem else 0), (problem, ran)
        assert problem in ran.stdout
        assert len(ran.stdout.splitlines()) == 1
    assert rummyref("ladder", "verify", str(first)).returncode == 2
    assert rummyref("ladder", "verify", str(tmp_path / "none")).returncode == 2
