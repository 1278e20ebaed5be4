"""Who is told what: the public chain, the seats' own events, the watchers."""

from engine.events import Event, audience
from engine.record.canonical import PUBLIC_START, canonical, linked
from engine.record.public import public_json
from referee.tables.desk import Desk
from referee.tables.messages import Told, Watcher


class Broadcast:
    """Tells the events of one match, each to its audience, in the order of the record."""

    __slots__ = ("_desks", "_head", "_public", "_watchers")

    def __init__(self, desks: list[Desk]) -> None:
        """Tell *desks*, and whoever watches later."""
        self._desks = desks
        self._head = PUBLIC_START
        self._public: list[Told] = []
        self._watchers: list[Watcher] = []

    def tell(self, events: list[Event]) -> None:
        """Tell *events*, whose entry is durable."""
        for event in events:
            seat = audience(event)
            if seat is not None:
                self._desks[seat].tell(Told(event, b"", []))
                continue
            self._head = linked(self._head, canonical(public_json(event)))
            told = Told(event, self._head, [])
            self._public.append(told)
            for watcher in self._watchers:
                watcher.send(len(self._public), told)
            for desk in self._desks:
                desk.tell(told)

    def watch(self, after: int, watcher: Watcher) -> None:
        """Send *watcher* the public events after sequence *after*, and those to come."""
        for sequence, told in enumerate(self._public[after:], start=after + 1):
            watcher.send(sequence, told)
        self._watchers.append(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Send *watcher* nothing more."""
        if watcher in self._watchers:
            self._watchers.remove(watcher)

    def close(self) -> None:
        """Tell the watchers that nothing follows."""
        for watcher in self._watchers:
            watcher.close()
        self._watchers.clear()
