"""Who is told what: the public chain, the seats' own events, the watchers."""

import asyncio

from engine.clock import SECOND_US
from engine.events import Event, audience
from engine.record.canonical import PUBLIC_START, canonical, linked
from engine.record.public import public_json
from referee.tables.desk import Desk
from referee.tables.messages import Incoming, Told, Unwatch, Watcher, WatchFrom


def public_told(event: Event, head: bytes) -> Told:
    """Return a public *event* with the head of the public chain, *head* before it, behind it."""
    return Told(event, linked(head, canonical(public_json(event))), [])


class Broadcast:
    """Tells the events of one match, each to its audience, in the order of the record.

    Attributes:
        head: Head of the public chain.
    """

    __slots__ = ("_delay_us", "_desks", "_public", "_shown", "_watchers", "head")

    def __init__(self, desks: list[Desk], delay_us: int = 0) -> None:
        """Tell *desks*, and *delay_us* later whoever watches."""
        self.head = PUBLIC_START
        self._desks = desks
        self._delay_us = delay_us
        self._public: list[Told] = []
        self._shown = 0
        self._watchers: list[Watcher] = []

    def tell(self, events: list[Event]) -> None:
        """Tell *events*, whose entry is durable."""
        for event in events:
            seat = audience(event)
            if seat is not None:
                self._desks[seat].tell(Told(event, b"", []))
                continue
            told = public_told(event, self.head)
            self.head = told.public_head
            self._public.append(told)
            for desk in self._desks:
                desk.tell(told)
        if self._delay_us:
            asyncio.get_running_loop().call_later(self._delay_us / SECOND_US, self._show, len(self._public))
        else:
            self._show(len(self._public))

    def serve(self, message: WatchFrom | Unwatch) -> None:
        """Send a watcher the public events from where it wants them on, or nothing more."""
        if isinstance(message, WatchFrom):
            for sequence, told in enumerate(self._public[message.after : self._shown], start=message.after + 1):
                message.watcher.send(sequence, told)
            self._watchers.append(message.watcher)
        elif message.watcher in self._watchers:
            self._watchers.remove(message.watcher)

    def close(self, inbox: asyncio.Queue[Incoming]) -> None:
        """Tell the watchers all that was held back, for the match is over, and that nothing follows.

        Those too whose wish still waits in the table's *inbox*, which nobody reads any more.
        """
        while not inbox.empty():
            if isinstance(message := inbox.get_nowait(), WatchFrom):
                self.serve(message)
        self._show(len(self._public))
        for watcher in self._watchers:
            watcher.close()
        self._watchers.clear()

    def _show(self, count: int) -> None:
        """Send the watchers the first *count* events as far as they were not sent yet."""
        for sequence in range(self._shown + 1, count + 1):
            for watcher in self._watchers:
                watcher.send(sequence, self._public[sequence - 1])
        self._shown = max(self._shown, count)
