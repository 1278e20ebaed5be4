"""Players take part in the deal: hashes first, then nonces, and whoever does not open its hash spoils it alone."""

import asyncio
import json
from hashlib import sha256
from pathlib import Path

import grpc
import pytest

from engine.record.audit import audit
from referee.tables import opening
from referee.tables.messages import ExchangeOver
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import reasons_pb2, table_service_pb2
from tests.referee.conftest import WITHIN_S, House, Stream, bearer, exported
from tests.referee.process import RefereeProcess

NONCES = [bytes([seat + 1]) * 32 for seat in range(2)]

_SERVE = "from referee.__main__ import main; sys.exit(main(sys.argv[1:]))"
PATIENT = ("-c", f"import sys; from referee.tables import opening; opening.EXCHANGE_S = {WITHIN_S}; {_SERVE}")
"""A referee that waits for nonces for as long as the tests do."""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody be late because the machine is busy."""
    monkeypatch.setattr(opening, "EXCHANGE_S", WITHIN_S)


async def opened(house: House, *, contributes: tuple[bool, bool] = (True, True)) -> tuple[str, list[str], list[Stream]]:
    """Return a table whose players are both there, before its deal: id, tokens and streams by seat."""
    tokens = [await house.register("anna"), await house.register("ben")]
    streams = [Stream(house.channel, token) for token in tokens]
    for stream, willing in zip(streams, contributes, strict=True):
        await stream.hello(contributes=willing)
    table_id = await house.table(tokens[0])
    for token in tokens:
        await house.take(token, table_id)
    return table_id, tokens, streams


async def bind(stream: Stream, seat: int) -> pb.HashCall:
    """Answer the call for a hash and return it."""
    call = (await stream.read("hash_call")).hash_call
    part = sha256(NONCES[seat]).digest()
    await stream.send(contribute=pb.Contribute(table_id=call.table_id, seat=seat, nonce_hash=part))
    return call


async def show(stream: Stream, seat: int, nonce: bytes | None = None) -> pb.NonceCall:
    """Answer the call for a nonce and return it."""
    call = (await stream.read("nonce_call")).nonce_call
    await stream.send(contribute=pb.Contribute(table_id=call.table_id, seat=seat, nonce=nonce or NONCES[seat]))
    return call


async def wait_in_vain(house: House, table_id: str) -> None:
    """Let the time for nonces be over once that of the first seat is there."""
    table = house.referee.hall.tables[table_id]
    exchange = table._opening._exchange
    assert exchange is not None
    async with asyncio.timeout(WITHIN_S):
        while 0 not in exchange.nonces:
            await house.register()
    table.post(ExchangeOver(bound=True))


async def state_of(house: House, token: str, table_id: str) -> str:
    """Return the name of a table's state."""
    request = table_service_pb2.GetTableRequest(table_id=table_id)
    table = (await house.tables().GetTable(request, metadata=bearer(token))).table
    return table_service_pb2.TableState.Name(table.state)


def entries_in(folder: Path, table_id: str) -> list[dict[str, object]]:
    """Return the entries of a replay that is sound."""
    lines = (folder / "replays" / f"{table_id}.rummy.jsonl").read_text("utf-8").splitlines(keepends=True)
    assert audit(lines).ok
    return [json.loads(line)["entry"] for line in lines if '"entry"' in line]


async def test_both_nonces_enter_the_deal(house: House) -> None:
    """Each seat sees the commitment before its hash, all hashes before its nonce, and then its cards."""
    table_id, _, streams = await opened(house)
    commitments = {(await bind(stream, seat)).commitment for seat, stream in enumerate(streams)}
    hashes = [sha256(nonce).digest() for nonce in NONCES]
    for seat, stream in enumerate(streams):
        assert list((await show(stream, seat)).nonce_hashes) == hashes
    seated = [(await stream.read("seated")).seated for stream in streams]
    assert {each.commitment for each in seated} == commitments
    bodies = [json.loads(body) for body in house.referee.hall.store.entries(table_id)]
    assert [body["kind"] for body in bodies[:3]] == ["header", "hashes", "deal"]
    assert bodies[1]["hashes"] == [part.hex() for part in hashes]
    assert bodies[2]["nonces"] == [nonce.hex() for nonce in NONCES]


async def test_only_those_who_want_to_take_part(house: House) -> None:
    """A seat that does not is asked nothing and counts as zeros; the others see that it sends no hash."""
    table_id, _, streams = await opened(house, contributes=(False, True))
    await bind(streams[1], 1)
    assert list((await show(streams[1], 1)).nonce_hashes) == [b"", sha256(NONCES[1]).digest()]
    while (message := await streams[0].next()).WhichOneof("kind") != "seated":
        assert message.WhichOneof("kind") == "event"
    [deal] = [body for body in map(json.loads, house.referee.hall.store.entries(table_id)) if body["kind"] == "deal"]
    assert deal["nonces"] == ["", NONCES[1].hex()]


async def test_who_sends_no_hash_in_time_takes_no_part(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are not held up, and the deal counts zeros."""
    monkeypatch.setattr(opening, "EXCHANGE_S", 0.05)
    table_id, _, streams = await opened(house)
    await streams[0].read("seated")
    [deal] = [body for body in map(json.loads, house.referee.hall.store.entries(table_id)) if body["kind"] == "deal"]
    assert deal["nonces"] == ["", ""]


@pytest.mark.parametrize("false_nonce", [b"", bytes(32), b"short"])
async def test_a_hash_that_is_not_opened_voids_the_match(house: House, tmp_path: Path, false_nonce: bytes) -> None:
    """Silence, another nonce and a short one: before any card, with that culprit, for everybody to check."""
    table_id, tokens, streams = await opened(house)
    for seat, stream in enumerate(streams):
        await bind(stream, seat)
    await show(streams[0], 0)
    if false_nonce:
        await show(streams[1], 1, false_nonce)
    else:
        await wait_in_vain(house, table_id)
    for stream in streams:
        void = (await stream.read("table_void")).table_void
        assert (void.table_id, void.cause, void.culprit) == (table_id, "nonce_not_opened", 1)
    await exported(house, tmp_path / "replays", table_id)
    assert await state_of(house, tokens[0], table_id) == "TABLE_STATE_VOID"
    kinds = [entry["kind"] for entry in entries_in(tmp_path, table_id)]
    assert kinds == ["header", "hashes", "void", "reveal"]


async def test_what_is_not_due_is_refused_and_changes_nothing(house: House) -> None:
    """A nonce before the hashes, a second hash, a hash too late, one for another's seat: a notice each."""
    table_id, _, streams = await opened(house)
    first = streams[0]
    await first.read("hash_call")
    wrong: list[dict[str, object]] = [
        {"nonce": NONCES[0]},
        {"nonce_hash": b"short"},
        {"seat": 1, "nonce_hash": bytes(32)},
        {"table_id": "t-none", "nonce_hash": bytes(32)},
    ]
    for fields in wrong:
        await first.send(contribute=pb.Contribute(**{"table_id": table_id, "seat": 0, **fields}))  # type: ignore[arg-type]
        notice = (await first.read("notice")).notice
        assert reasons_pb2.Reason.Name(notice.reason) == "REASON_NONCE_REFUSED"
    part = sha256(NONCES[0]).digest()
    await first.send(contribute=pb.Contribute(table_id=table_id, seat=0, nonce_hash=part))
    await first.send(contribute=pb.Contribute(table_id=table_id, seat=0, nonce_hash=bytes(32)))
    assert "cannot be changed" in (await first.read("notice")).notice.message
    await bind(streams[1], 1)
    for seat, stream in enumerate(streams):
        await show(stream, seat)
    await first.read("seated")
    await first.send(contribute=pb.Contribute(table_id=table_id, seat=0, nonce=bytes(32)))
    await first.send(contribute=pb.Contribute(table_id=table_id, seat=0, nonce_hash=part))
    assert (await first.read("notice")).notice.reason == reasons_pb2.REASON_NONCE_REFUSED
    [deal] = [body for body in map(json.loads, house.referee.hall.store.entries(table_id)) if body["kind"] == "deal"]
    assert deal["nonces"] == [nonce.hex() for nonce in NONCES]


async def test_a_restart_between_hashes_and_nonces_changes_no_hash(tmp_path: Path) -> None:
    """The referee is killed once it knows all hashes: it asks again for just those nonces, and deals from them."""
    first = RefereeProcess(tmp_path, program=PATIENT)
    async with grpc.aio.insecure_channel(first.address) as channel:
        house = House(None, channel)  # type: ignore[arg-type]  # in a process of its own
        table_id, tokens, streams = await opened(house)
        for seat, stream in enumerate(streams):
            await bind(stream, seat)
        await streams[0].read("nonce_call")
        first.kill()
    second = RefereeProcess(tmp_path, first.address, program=PATIENT)
    async with grpc.aio.insecure_channel(second.address) as channel:
        streams = [Stream(channel, token) for token in tokens]
        for stream in streams:
            await stream.hello(contributes=True)
        for seat, stream in enumerate(streams):
            await show(stream, seat)
        for stream in streams:
            assert (await stream.read("seated")).seated.table_id == table_id
    assert second.stop() == 0


async def test_nonces_decide_the_cards(house: House) -> None:
    """Two tables, and a nonce drawn anew, give other cards: no commitment alone decides a deal."""
    hands = set()
    for _ in range(2):
        _, _, streams = await opened(house, contributes=(True, False))
        await bind(streams[0], 0)
        await show(streams[0], 0)
        hands.add(tuple((await streams[0].read("seated")).seated.view.own.hand))
    assert len(hands) == 2
