"""Long work beside the tables: one piece at a time, whoever goes away meanwhile."""

import asyncio
from collections.abc import Callable

import pytest

from referee.services.turns import Turns


async def test_work_that_nobody_waits_for_any_more_is_still_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread cannot be stopped: the next begins once it has ended. Who goes away before its turn asks for none."""
    begun, done = list[str](), asyncio.Event()

    async def in_thread(work: Callable[[], str]) -> str:
        begun.append(work())
        await done.wait()
        return begun[-1]

    async def turn() -> None:
        for _ in range(10):  # as often as it takes for work to begin that does not wait
            await asyncio.sleep(0)

    monkeypatch.setattr(asyncio, "to_thread", in_thread)
    turns = Turns()
    first, second, third = (
        asyncio.ensure_future(turns.take(name, lambda name=name: name))  # type: ignore[misc]
        for name in ("first", "second", "third")
    )
    await turn()
    first.cancel()
    second.cancel()
    await turn()
    assert begun == ["first"]
    done.set()
    await asyncio.gather(first, second, third, return_exceptions=True)
    assert (first.cancelled(), second.cancelled(), third.result()) == (True, True, "third")
    assert begun == ["first", "third"]
