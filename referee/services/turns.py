"""Long work beside the tables, so that no clock stands still for it."""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakValueDictionary

_Done = TypeVar("_Done")


class Turns:
    """One piece of work at a time, in a thread of its own.

    Callers take turns, so that whoever asks for much keeps nobody else waiting
    for more than one piece.
    """

    def __init__(self) -> None:
        """Work on nothing yet."""
        self._one = asyncio.Lock()
        self._one_a_caller: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, caller: str, work: Callable[[], _Done]) -> _Done:
        """Return what *work* returns, once it is the turn of *caller*."""
        mine = self._one_a_caller.setdefault(caller, asyncio.Lock())
        async with mine, self._one:
            working = asyncio.ensure_future(asyncio.to_thread(work))
            try:
                return await asyncio.shield(working)
            finally:
                await asyncio.wait([working])  # a thread goes on though its caller has gone
