"""From full seats to the deal: waits for the players, then for the nonces of those who take part."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from engine.clock import SECOND_US, ClockProfile
from engine.record.deal import NO_SET, Secret
from engine.record.entries import Cause, Dealt, Entry, Hashes, Header, Void
from referee.tables.desk import Desk
from referee.tables.exchange import EXCHANGE_S, Exchange, ExchangeError
from referee.tables.messages import (
    Contributed,
    EnterOver,
    ExchangeOver,
    Incoming,
    SendHashCall,
    SendNonceCall,
    SendNotice,
)  # fmt: skip
from referee.tables.timer import ABSENT_US

Append = Callable[[list[Entry]], Awaitable[None]]
"""Makes entries durable."""


class Opening:
    """What happens at a table before its first card.

    Attributes:
        entered: Whether the players are no longer waited for.
        recorded: Whether the record has the header.
    """

    def __init__(self, header: Header, secret: Secret, desks: list[Desk], post: Callable[[Incoming], None]) -> None:
        """Open the table of *desks*; *post* reaches its inbox."""
        self.entered: bool = False
        self._header: Final = header
        self._takes_nonces: Final = secret.table == NO_SET
        self._desks: Final = desks
        self._post: Final = post
        self.recorded: bool = False
        self._exchange: Exchange[int] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def restore(self, entry: Header | Hashes) -> None:
        """Go on behind *entry*, which the record holds."""
        self.recorded = True
        if isinstance(entry, Hashes):
            bound = {seat: bytes.fromhex(text) for seat, text in enumerate(entry.hashes) if text}
            self._exchange = Exchange(bound, bound)

    def skip(self) -> None:
        """Wait for nobody: the record holds the deal already."""
        self.stop()
        self.entered = True

    def wait_for_players(self, clock: ClockProfile) -> None:
        """Ring `EnterOver` when they have been waited for long enough."""
        wait_us = clock.to_enter_us if clock.timed else ABSENT_US
        self._ring(wait_us / SECOND_US, EnterOver())

    async def enter(self, append: Append) -> None:
        """Wait for players no longer: bind the table by its header, and ask for what the deal waits for."""
        self.stop()
        self.entered = True
        if not self.recorded:
            self.recorded = True  # at once: a table that is stopped meanwhile must not write it again
            await append([self._header])
        if self._exchange is None:
            willing = [desk.seat for desk in self._desks if desk.stream is not None and desk.stream.contributes]
            self._exchange = Exchange(willing if self._takes_nonces else [])
        await self._go_on(append)
        self._call()

    async def take(self, message: Contributed | ExchangeOver, append: Append) -> None:
        """Take a hash or a nonce, or wait no longer for the half of the exchange that is under way."""
        if isinstance(message, ExchangeOver):
            if self._exchange is not None and self._exchange.bound is message.bound:
                await self._time_over(self._exchange, append)
        else:
            await self._contributed(message, append)

    async def _contributed(self, message: Contributed, append: Append) -> None:
        try:
            if self._exchange is None:
                raise ExchangeError("this deal waits for no nonce yet")
            if message.is_nonce:
                self._exchange.open(message.seat, message.part)
            else:
                self._exchange.send_hash(message.seat, message.part)
        except ExchangeError as refused:
            message.stream.send(SendNotice("NONCE_REFUSED", str(refused), self._header.match_id, message.seat))
            return
        was_bound = self._exchange.bound
        await self._go_on(append)
        if self._exchange.bound and not was_bound:
            self._call()

    async def _time_over(self, exchange: Exchange[int], append: Append) -> None:
        if not exchange.bound:
            await self._bind(exchange, append)
            self._call()
        elif exchange.broken is None:
            exchange.broken = exchange.culprit

    def outcome(self) -> Dealt | Void | None:
        """Return the entry that comes next: the deal, the end of a match that is void, or None while it waits."""
        exchange = self._exchange
        if not self.entered or exchange is None or not exchange.bound:
            return None
        if exchange.broken is not None:
            return Void(Cause.NONCE_NOT_OPENED, exchange.broken)
        if not exchange.all_opened:
            return None
        nonces = (exchange.nonces.get(desk.seat, b"").hex() for desk in self._desks)
        return Dealt(tuple(nonces))

    def call(self, desk: Desk) -> None:
        """Tell a seat's new stream what the deal waits for, if it waits for the seat."""
        exchange, stream = self._exchange, desk.stream
        if exchange is None or stream is None:
            return
        if not exchange.bound and desk.seat in exchange.parties:
            stream.send(SendHashCall(self._header.match_id, desk.seat, bytes.fromhex(self._header.commitment)))
        elif exchange.bound and desk.seat in exchange.hashes and desk.seat not in exchange.nonces:
            hashes = tuple(exchange.hashes.get(other.seat, b"") for other in self._desks)
            stream.send(SendNonceCall(self._header.match_id, desk.seat, hashes))

    def stop(self) -> None:
        """Ring no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _go_on(self, append: Append) -> None:
        exchange = self._exchange
        if exchange is not None and not exchange.bound and exchange.all_bound:
            await self._bind(exchange, append)

    async def _bind(self, exchange: Exchange[int], append: Append) -> None:
        """Make the hashes durable before anybody is asked for a nonce."""
        exchange.bound = True
        if exchange.hashes:
            await append([Hashes(tuple(exchange.hashes.get(desk.seat, b"").hex() for desk in self._desks))])

    def _call(self) -> None:
        """Ask every party for what is due, and wait for it for so long."""
        if self._exchange is None or self.outcome() is not None:
            return
        for desk in self._desks:
            self.call(desk)
        self._ring(EXCHANGE_S, ExchangeOver(self._exchange.bound))

    def _ring(self, after_s: float, message: EnterOver | ExchangeOver) -> None:
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(after_s, self._post, message)
