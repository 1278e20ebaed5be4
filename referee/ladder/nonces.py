"""One exchange of nonces among the entrants of a ladder, over the streams that they have."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Final

from referee.hall import Hall
from referee.streams import PlayerStream
from referee.tables.exchange import EXCHANGE_S, Exchange, ExchangeError
from referee.tables.messages import Contributed, SendHashCall, SendNonceCall, SendNotice

_ARRIVAL_S: Final = 5.0
"""How long entrants that are not there yet are waited for; without them the deal counts no nonce of theirs."""

_LOOK_AGAIN_S: Final = 0.05


class NonceRound:
    """Asks the entrants for the nonces of one batch.

    Attributes:
        culprit: Entrant that has not opened its hash, None if there is none.
    """

    def __init__(
        self, hall: Hall, batch: str, root: bytes, parties: Mapping[str, str], is_missed: Callable[[str], bool]
    ) -> None:
        """Prepare to ask *parties*, entrants by player id, for the nonces of *batch*, bound by *root*.

        Whoever *is_missed* is not waited for, and asked only if it is there all the same.
        """
        self.culprit: str | None = None
        self._hall = hall
        self._batch = batch
        self._root = root
        self._parties = parties
        self._is_missed = is_missed
        self._exchange: Exchange[str] = Exchange([])
        self._changed = asyncio.Event()

    async def hashes(self) -> dict[str, bytes]:
        """Ask whoever is there and takes part for its hash; return them by entrant."""
        willing = await self._willing()
        self._exchange = Exchange(willing)
        self._hall.takers[self._batch] = self._take
        for stream in willing.values():
            stream.send(SendHashCall(self._batch, None, self._root))
        await self._until(lambda: self._exchange.all_bound)
        self._exchange.bound = True
        return dict(sorted(self._exchange.hashes.items()))

    async def nonces(self) -> dict[str, bytes]:
        """Ask those who have sent a hash for their nonce; return them by entrant. The hashes are durable by now."""
        hashes = tuple(part for _, part in sorted(self._exchange.hashes.items()))
        for name, stream in self._streams().items():
            if name in self._exchange.hashes:
                stream.send(SendNonceCall(self._batch, None, hashes))
        await self._until(lambda: self._exchange.all_opened or self._exchange.broken is not None)
        self.culprit = self._exchange.culprit
        return dict(sorted(self._exchange.nonces.items()))

    def close(self) -> None:
        """Take no part any more."""
        self._hall.takers.pop(self._batch, None)

    async def _willing(self) -> dict[str, PlayerStream]:
        """Return a stream of each entrant that takes part, once all are there or have been waited for."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _ARRIVAL_S
        while loop.time() < until:
            if all(self._hall.is_there(player) or self._is_missed(name) for player, name in self._parties.items()):
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        return self._streams()

    def _streams(self) -> dict[str, PlayerStream]:
        return {
            self._parties[stream.player_id]: stream
            for stream in self._hall.streams()
            if stream.contributes and stream.player_id in self._parties
        }

    def _take(self, stream: PlayerStream, message: Contributed) -> None:
        name = self._parties.get(stream.player_id, "")
        try:
            if message.is_nonce:
                self._exchange.open(name, message.part)
            else:
                self._exchange.send_hash(name, message.part)
        except ExchangeError as refused:
            stream.send(SendNotice("NONCE_REFUSED", str(refused), self._batch))
        self._changed.set()

    async def _until(self, is_done: Callable[[], bool]) -> None:
        """Wait until *is_done*, or for as long as a half of an exchange may take."""
        loop = asyncio.get_running_loop()
        end = loop.time() + EXCHANGE_S
        while not is_done() and (left := end - loop.time()) > 0:
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
