"""No byte that is sent, logged or stored before the reveal holds the secret of a deal, or what follows from it."""

import base64
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from engine.record.deal import NO_NONCE, Secret
from engine.shuffle import derive
from engine.stand_in import greedy
from rummyref.v1 import moves_pb2, table_service_pb2
from rummyref.v1 import play_service_pb2 as pb
from tests.referee.in_process import House
from wire.moves import play_to_message

PLAYERS: Final = 2


def encodings(secret: bytes) -> Iterator[bytes]:
    """Yield how 32 bytes may be written down: as they are, in halves, as hex, base64 and decimal, forwards and back."""
    for data in (secret, secret[::-1], secret[:16], secret[16:]):
        yield data
        yield data.hex().encode()
        yield data.hex().upper().encode()
        for order in ("big", "little"):
            yield str(int.from_bytes(data, order)).encode()
        for skipped in range(3):  # base64 within a longer text begins at any of three places
            inner = data[skipped : skipped + (len(data) - skipped) // 3 * 3]
            yield base64.b64encode(inner)
            yield base64.urlsafe_b64encode(inner)


def secrets_of(secret: Secret, match_id: str) -> list[bytes]:
    """Return the secret of a match and every key that follows from it and tells cards."""
    seed = secret.seed(match_id, [NO_NONCE] * PLAYERS)
    keys = [derive(seed, "deck", number) for number in range(3)]
    return [secret.secret, seed, *keys, derive(seed, "dealer"), derive(seed, "reshuffle", 0, 0)]


def stored(database: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every value of a database by table and column."""
    with sqlite3.connect(database) as connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            rows = connection.execute(f"select * from {table}")
            for row in rows:
                for column, value in zip(rows.description, row, strict=True):
                    yield f"{table}.{column[0]}", value if isinstance(value, bytes) else str(value).encode()


def places(secrets: list[bytes], database: Path, told: dict[str, bytes]) -> set[str]:
    """Return where one of *secrets* is found, in whatever form: in a column, or in what was *told*."""
    forms = [form for secret in secrets for form in encodings(secret)]
    values = [*stored(database), *told.items()]
    return {place for place, value in values if any(form in value for form in forms)}


def told_by(house: House) -> dict[str, bytes]:
    """Return every byte that a house has sent and logged."""
    said = [message for calls in house.streams.values() for call in calls for message in call.sent]
    return {"sent": b"\n".join(said), "logged": "\n".join(house.log.lines).encode()}


async def test_a_secret_is_in_its_own_column_alone_until_the_reveal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams, watching, calls, refusals, errors, logs and the database, over three rounds, a break and a restart."""
    hello = pb.Hello(protocol=1, capacity=1, want_views=True, want_offers=True)
    house = House(tmp_path / "secrets.db", monkeypatch, None)
    await house.begin("remi", {"players": PLAYERS, "rounds": 3}, [hello] * PLAYERS)
    secret = house.hall.tables[house.table_id].setup.secret
    secrets = secrets_of(secret, house.table_id)
    plays = 0
    while house.table_id in house.hall.tables:
        state, seat = house.state, house.state.match.public.turn
        if plays % 20 == 0:
            assert places(secrets, house.database, told_by(house)) == {"game_table.secret"}
        if plays == 30:
            await house.restart([hello] * PLAYERS)
        values = {"decision_id": state.decision, "play": play_to_message(greedy(state.match.round.position(seat)))}
        await house.submit(seat, decision_id=state.decision, attempt=1, play=moves_pb2.Play())
        await house.submit(1 - seat, attempt=1, **values)
        await house.ask(PLAYERS, "GetTable", table_service_pb2.GetTableRequest(table_id=house.table_id))
        await house.ask(PLAYERS, "GetTable", table_service_pb2.GetTableRequest(table_id="t-none"))
        await house.submit(seat, attempt=2, **values)
        plays += 1
    assert plays > 60
    assert places(secrets, house.database, told_by(house)) == {"game_table.secret", "entry.body"}
    await house.close()
