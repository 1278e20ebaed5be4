"""Long work beside the tables: one piece at a time, whoever asks for it and whoever goes away meanwhile."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from referee.services.ladder_messages import spec_of
from referee.services.ladder_service import LadderService
from referee.services.turns import Turns
from rummyref.v1 import ladder_service_pb2 as pb
from tests.referee.conftest import House
from tests.referee.in_process import Call


class Threads:
    """Stands for the threads beside the loop: work that is begun there ends when it is let.

    Attributes:
        begun: What the pieces that were begun have returned.
        done: Set to let them end.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Stand for them from now on."""
        self.begun, self.done = list[Any](), asyncio.Event()

        async def in_thread(work: Callable[..., Any], *arguments: Any) -> Any:
            found = work(*arguments)
            self.begun.append(found)
            await self.done.wait()
            return found

        monkeypatch.setattr(asyncio, "to_thread", in_thread)

    @staticmethod
    async def turn() -> None:
        """Return once everything has begun that does not wait."""
        for _ in range(10):
            await asyncio.sleep(0)


async def test_work_that_nobody_waits_for_any_more_is_still_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread cannot be stopped: the next begins once it has ended. Who goes away before its turn asks for none."""
    threads, turns = Threads(monkeypatch), Turns()
    first, second, third = (
        asyncio.ensure_future(turns.take(name, lambda name=name: name))  # type: ignore[misc]
        for name in ("first", "second", "third")
    )
    await threads.turn()
    first.cancel()
    second.cancel()
    await threads.turn()
    assert threads.begun == ["first"]
    threads.done.set()
    await asyncio.gather(first, second, third, return_exceptions=True)
    assert (first.cancelled(), second.cancelled(), third.result()) == (True, True, "third")
    assert threads.begun == ["first", "third"]


@pytest.mark.parametrize(
    ("method", "request_of"), [("GetStandings", pb.GetStandingsRequest), ("ListFixtures", pb.ListFixturesRequest)]
)
async def test_standings_and_fixtures_are_worked_out_one_at_a_time(
    house: House, monkeypatch: pytest.MonkeyPatch, method: str, request_of: type[Any]
) -> None:
    """However many ask, and however long the ladder is."""
    ladders, token = house.referee.ladders, await house.register()
    await ladders.create(spec_of("open", pb.LadderSettings(preset="remi", clock="bullet")))
    threads, service = Threads(monkeypatch), LadderService(house.referee.hall, ladders)
    calls = [asyncio.ensure_future(getattr(service, method)(request_of(ladder="open"), Call(token))) for _ in range(3)]
    await threads.turn()
    assert len(threads.begun) == 1
    threads.done.set()
    await asyncio.gather(*calls)
    assert len(threads.begun) == 3
