"""A player's stream: one bounded outbox and one writer task.

A reader that is too slow is told so and closed; nothing else ever waits for it.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from referee.credit import Credit
from referee.tables.messages import Outgoing, SendDecision, SendNotice

OUTBOX_LIMIT: Final = 10_000
"""Messages that may wait for a reader."""

STUCK_S: Final = 5.0
"""How long a message may wait for the transport to take it."""


class StreamWishes(NamedTuple):
    """What a client asks for in its `Hello`.

    Attributes:
        gathered: Whether events wait for the next decision.
        want_views: Whether decisions carry the view.
        want_offers: Whether decisions carry offered plays.
        contributes: Whether the client takes part in the randomness of deals.
    """

    gathered: bool
    want_views: bool
    want_offers: bool
    contributes: bool


class PlayerStream:
    """One `Play` stream after its `Hello`.

    Attributes:
        player_id: Whose it is.
        capacity: Tables it carries at most.
        gathered: Whether events wait for the next decision.
        want_views: Whether decisions carry the view.
        want_offers: Whether decisions carry offered plays.
        contributes: Whether the client takes part in the randomness of deals.
        credit: What its player may still say.
        seats: Seats it carries, by table and seat.
        abandoned: Set when the transport is to be given up.
    """

    def __init__(self, player_id: str, capacity: int, wishes: StreamWishes, credit: Credit) -> None:
        """Make a stream with an empty outbox."""
        self.player_id: Final = player_id
        self.capacity: Final = capacity
        self.gathered: Final = wishes.gathered
        self.want_views: Final = wishes.want_views
        self.want_offers: Final = wishes.want_offers
        self.contributes: Final = wishes.contributes
        self.credit: Final = credit
        self.seats: set[tuple[str, int]] = set()
        self.abandoned: Final = asyncio.Event()
        self._outbox: deque[tuple[Outgoing, Callable[[], None] | None]] = deque()
        self._filled = asyncio.Event()
        self._closing = False
        self._writing_since: float | None = None

    def send(self, message: Outgoing, on_taken: Callable[[], None] | None = None) -> None:
        """Queue *message*; *on_taken* is called when the transport has taken it."""
        if self._closing:
            return
        if len(self._outbox) >= OUTBOX_LIMIT:
            self.close("SLOW_READER", f"{OUTBOX_LIMIT} messages wait to be read; read faster and come back")
            return
        self._outbox.append((message, on_taken))
        self._filled.set()
        if isinstance(message, SendDecision):
            self.credit.earn()

    def close(self, reason: str, message: str) -> None:
        """Send a last notice and end the stream; what still waits is dropped."""
        if not self._closing:
            self._outbox.clear()
            self._outbox.append((SendNotice(reason, message), None))
            self._closing = True
            self._filled.set()

    @property
    def is_closing(self) -> bool:
        """Whether it takes no more messages."""
        return self._closing

    def abandon(self) -> None:
        """End the stream without a last word, its transport being stuck."""
        self._closing = True
        self.abandoned.set()

    def is_stuck(self) -> bool:
        """Return whether the transport has refused to take a message for too long."""
        since = self._writing_since
        return since is not None and time.monotonic() - since > STUCK_S

    async def drain(self, write: Callable[[Outgoing], Awaitable[None]]) -> None:
        """Write what is queued until the stream is closed: the only writer it has."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._outbox:
                message, on_taken = self._outbox.popleft()
                self._writing_since = time.monotonic()
                await write(message)
                self._writing_since = None
                if on_taken is not None:
                    on_taken()
            if self._closing:
                return
