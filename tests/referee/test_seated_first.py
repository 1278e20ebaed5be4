"""Whoever comes back is seated first, and then told what it has missed: everything once, and in order."""

from pathlib import Path

import pytest

from rummyref.v1 import play_service_pb2 as pb
from tests.referee.in_process import House


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("left", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("resumed", [False, True])
async def test_nothing_is_told_before_seated_and_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarted: bool, left: tuple[int, ...], resumed: bool
) -> None:
    """Those too who hear that it is back, or that others are, while the referee has just started."""
    house = House(tmp_path / "rummyref.db", monkeypatch, None)
    hello = pb.Hello(protocol=1, delivery=pb.DELIVERY_IMMEDIATE)
    await house.begin("remi", {"players": 2, "rounds": 1}, [hello, hello])
    for seat in left:
        player = house.hall.players.authenticate(house.tokens[seat])
        await house.hall.leave_seat(player, house.table_id, seat)
    await house.settle()
    if resumed:
        hello.resume.extend(pb.Resume(table_id=house.table_id, seat=seat, last_sequence=1) for seat in range(2))
    if restarted:
        await house.restart([hello, hello])
    else:
        for seat in left:
            await house.disconnect(seat)
            await house.connect(seat, hello)
    for seat in range(2) if restarted else left:
        heard = [message for message in house.streams[seat][-1].messages if message.WhichOneof("kind") != "decision"]
        assert [message.WhichOneof("kind") for message in heard[:2]] == ["welcome", "seated"]
        known = 1 if resumed else heard[1].seated.last_sequence
        sequences = [message.event.event.sequence for message in heard if message.HasField("event")]
        assert sequences == list(range(known + 1, known + 1 + len(sequences)))
        assert not resumed or sequences
    await house.close()


async def test_nothing_is_told_before_the_match_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who drew for the deal is in the first view; what comes after it is told, once."""
    house = House(tmp_path / "rummyref.db", monkeypatch, None)
    hello = pb.Hello(protocol=1, delivery=pb.DELIVERY_IMMEDIATE)
    await house.begin("remik", {"players": 2, "rounds": 1}, [hello, hello])
    for seat in range(2):
        kinds = [message.WhichOneof("kind") for message in house.streams[seat][-1].messages]
        assert kinds in (["welcome", "seated"], ["welcome", "seated", "decision"])
        assert house.streams[seat][-1].messages[1].seated.last_sequence > 0
    await house.close()
