"""Who is there: the streams of every player, the seats that each carries, and what a player may still say."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final

from referee.credit import Credit
from referee.errors import ApiError
from referee.streams import PlayerStream
from referee.tables.desk import Desk
from referee.tables.messages import Attach, Detach, SendNotice
from referee.tables.table import Table

STREAMS_PER_PLAYER: Final = 64
"""Streams that a player may have at once."""

PAST_TABLES: Final = 1_000
"""Tables whose players are remembered after their end, the last ones: what comes for others comes for no seat."""


class Attendance:
    """Binds the seats of live tables to the streams of their players."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        """Begin with nobody there; *tables* are those that live, kept by the caller."""
        self._tables = tables
        self._streams: dict[str, list[PlayerStream]] = {}
        self._waiting: dict[str, set[tuple[str, int]]] = {}
        self._credits: dict[str, Credit] = {}
        self._past: OrderedDict[str, frozenset[str]] = OrderedDict()

    def join(self, stream: PlayerStream, resume: Iterable[tuple[str, int, int]]) -> None:
        """Bind the seats to be resumed, and as many of the player's seats that no stream carries as there is room for.

        Those for which there is none wait until there is.

        Args:
            stream: The newest stream of its player.
            resume: Table, seat and last sequence of seats that move to it.
        """
        if stream.is_closing:
            return
        self._streams.setdefault(stream.player_id, []).append(stream)
        wanted = {(table_id, seat): last for table_id, seat, last in resume}
        waiting = self._waiting.setdefault(stream.player_id, set())
        for table in self._tables.values():
            for desk in table.desks:
                key = (table.table_id, desk.seat)
                if desk.player_id != stream.player_id:
                    continue
                if key in wanted:
                    self._move(table, desk, stream, wanted[key])
                elif self.carrier(desk) is None:
                    waiting.add(key)
        self._seat_waiting(stream.player_id)

    def need_room(self, player_id: str) -> None:
        """Refuse a player that has as many streams as one may have.

        Raises:
            ApiError: `TOO_MANY_STREAMS`.
        """
        if len(self._streams.get(player_id, [])) >= STREAMS_PER_PLAYER:
            raise ApiError(
                "TOO_MANY_STREAMS",
                f"you have {STREAMS_PER_PLAYER} streams already; close some, or ask for more capacity on one",
                most=STREAMS_PER_PLAYER,
            )

    def leave(self, stream: PlayerStream) -> None:
        """Forget a stream that has ended; its seats go to the player's newest other one."""
        streams = self._streams.get(stream.player_id, [])
        if stream in streams:
            streams.remove(stream)
        if not streams:
            self._streams.pop(stream.player_id, None)
        for table_id, seat in list(stream.seats):
            table = self._tables.get(table_id)
            if table is not None:
                table.post(Detach(stream))
                if streams:
                    self._bind(table, seat, streams[-1], None)
        stream.seats.clear()

    def seat(self, table: Table) -> None:
        """Bind the seats of a table that has just come to life, each to the roomiest stream of its player."""
        for desk in table.desks:
            stream = self._roomiest(desk.player_id)
            if stream is not None:
                self._bind(table, desk.seat, stream, None)

    def free(self, table: Table) -> None:
        """Let go of the seats of a table that has ended; who waited for room gets it."""
        self._past[table.table_id] = frozenset(desk.player_id for desk in table.desks)
        if len(self._past) > PAST_TABLES:
            self._past.popitem(last=False)
        for desk in table.desks:
            carrier = self.carrier(desk)
            if carrier is not None:
                carrier.seats.discard((table.table_id, desk.seat))
                self._seat_waiting(desk.player_id)

    def was_at(self, table_id: str, player_id: str) -> bool:
        """Return whether a player had a seat at a table that has ended not long ago."""
        return player_id in self._past.get(table_id, ())

    def credit(self, player_id: str) -> Credit:
        """Return what a player may say, shared by all its streams, however often it comes back."""
        return self._credits.setdefault(player_id, Credit())

    def streams(self) -> list[PlayerStream]:
        """Return every stream."""
        return [stream for streams in self._streams.values() for stream in streams]

    def is_there(self, player_id: str) -> bool:
        """Return whether a player has a stream."""
        return player_id in self._streams

    def attending(self, player_id: str) -> int:
        """Return how many more tables the streams of a player can carry."""
        return sum(stream.capacity - len(stream.seats) for stream in self._streams.get(player_id, []))

    def carrier(self, desk: Desk) -> PlayerStream | None:
        """Return the stream that carries the seat of *desk*."""
        key = (desk.table_id, desk.seat)
        return next((stream for stream in self._streams.get(desk.player_id, []) if key in stream.seats), None)

    def _move(self, table: Table, desk: Desk, stream: PlayerStream, last_sequence: int) -> None:
        carrier, key = self.carrier(desk), (table.table_id, desk.seat)
        if carrier is not None:
            carrier.seats.discard(key)
            carrier.send(SendNotice("SEAT_MOVED", "another stream of yours carries this seat now", *key))
        self._bind(table, desk.seat, stream, last_sequence)

    def _seat_waiting(self, player_id: str) -> None:
        """Bind seats that wait for a stream of their player while one has room."""
        waiting = self._waiting.get(player_id)
        while waiting:
            stream = self._roomiest(player_id)
            if stream is None or stream.capacity <= len(stream.seats):
                return
            table_id, seat = min(waiting)
            waiting.discard((table_id, seat))
            table = self._tables.get(table_id)
            if table is not None and self.carrier(table.desks[seat]) is None:
                self._bind(table, seat, stream, None)
        self._waiting.pop(player_id, None)

    def _bind(self, table: Table, seat: int, stream: PlayerStream, last_sequence: int | None) -> None:
        stream.seats.add((table.table_id, seat))
        table.post(Attach(seat, stream, last_sequence))

    def _roomiest(self, player_id: str) -> PlayerStream | None:
        streams = self._streams.get(player_id, [])
        return max(reversed(streams), key=lambda stream: stream.capacity - len(stream.seats), default=None)
