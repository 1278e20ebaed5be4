"""The hall: every player, stream and table of one referee, and who sits where."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import structlog

from engine.clock import PROFILES
from engine.record.deal import NO_SET, Secret
from engine.record.entries import Cause, Entry, Header, Result, SetProof, Void
from engine.record.entry_json import from_json
from engine.rules.options import OptionError, Options
from engine.rules.registry import rule_set
from engine.rules.ruleset import RULES_VERSION
from engine.stand_in import STAND_INS
from referee import VERSION
from referee.accounts import Accounts
from referee.attendance import Attendance
from referee.errors import ApiError
from referee.identity import new_secret
from referee.lobby import Lobby
from referee.players import Players
from referee.replays import Replays
from referee.store.models import GameTable, Player
from referee.store.queries import Store
from referee.store.rows import (
    ADD_SEAT,
    ADD_TABLE,
    REMOVE_SEAT,
    RUNNING,
    SET_STATE,
    entry_writes,
    seat_row,
    table_row,
)  # fmt: skip
from referee.store.writer import RecordWriter, Write
from referee.streams import PlayerStream
from referee.tables.desk import Desk
from referee.tables.messages import Contributed, Leave, SendNotice
from referee.tables.opening import Append
from referee.tables.past import PastTable, past_table
from referee.tables.setup import TableSetup
from referee.tables.table import Table

_log = structlog.get_logger()


class Hall:
    """Everything that lives in one referee process."""

    def __init__(self, store: Store, writer: RecordWriter, replays: Replays) -> None:
        """Open the hall over *store*; `restore` brings back what it held."""
        self.store: Final = store
        self.replays: Final = replays
        self.players: Final = Players(writer)
        self.accounts: Final = Accounts(self.players, writer)
        self.lobbies: Final[dict[str, Lobby]] = {}
        self.tables: Final[dict[str, Table]] = {}
        self.attendance: Final = Attendance(self.tables)
        self.takers: Final[dict[str, Callable[[PlayerStream, Contributed], None]]] = {}
        self.on_ended: Final[list[Callable[[str, Result | Void], None]]] = []
        self.on_failed: Final[list[Callable[[str], None]]] = []
        self._writer = writer
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._open: Final[set[Callable[[], None]]] = set()

    # -- tables -------------------------------------------------------------------

    async def create_table(
        self, preset: str, options: Options, clock: str, stand_in: str, watch_delay_us: int | None = 0
    ) -> Lobby:
        """Make a table with free seats.

        Raises:
            ApiError: `OPTION_INVALID`.
        """
        try:
            rules = rule_set(preset, options)
        except OptionError as wrong:
            raise ApiError("OPTION_INVALID", str(wrong)) from wrong
        _need(clock, PROFILES, "clock")
        _need(stand_in, STAND_INS, "stand_in")
        row = table_row(rules, clock, stand_in, Secret(new_secret()), 0, watch_delay_us)
        await self._writer.append([Write(ADD_TABLE, [row.model_dump()])])
        self.lobbies[row.id] = Lobby(row, rules)
        return self.lobbies[row.id]

    async def take_seat(self, player: Player, table_id: str, seat: int | None) -> int:
        """Seat *player*; the match begins when all seats are taken and all players there.

        Taking the seat that one already has changes nothing.

        Raises:
            ApiError: `TABLE_UNKNOWN`, `TABLE_FULL`, `SEAT_TAKEN`, `ALREADY_SEATED`.
        """
        held = self.seat_of(player.id, table_id)
        if held is not None:
            if seat in (None, held):
                return held
            raise ApiError("ALREADY_SEATED", f"you have seat {held} at this table; leave it first", seat=held)
        lobby = self.lobbies.get(table_id)
        if lobby is None:
            self.need_table(table_id)
            raise ApiError("TABLE_FULL", "all seats of this table are taken; choose or create another")
        chosen = lobby.choose(seat)
        lobby.players[chosen] = player.id
        writes = [Write(ADD_SEAT, [seat_row(table_id, chosen, player.id)])]
        is_full = len(lobby.players) == lobby.rules.players
        if is_full:
            writes.append(Write(SET_STATE, [{"row_id": table_id, "new_state": RUNNING}]))
        durable = self._writer.append(writes)
        if is_full:  # nothing awaited: whatever the table makes durable comes behind its seats
            del self.lobbies[table_id]
            self._run(self._make_table(lobby.row, lobby.players))
        await durable
        return chosen

    async def leave_seat(self, player: Player, table_id: str, seat: int) -> None:
        """Give up a seat; in a match the stand-in plays on and the seat stays held.

        Raises:
            ApiError: `TABLE_UNKNOWN`, `NOT_SEATED`.
        """
        if self.seat_of(player.id, table_id) != seat:
            self.need_table(table_id)
            raise ApiError("NOT_SEATED", f"seat {seat} of this table is not yours")
        lobby = self.lobbies.get(table_id)
        if lobby is not None:
            del lobby.players[seat]
            await self._writer.append([Write(REMOVE_SEAT, [{"row_table": table_id, "row_seat": seat}])])
        else:
            self.tables[table_id].post(Leave(seat))

    def append(self, writes: list[Write]) -> asyncio.Future[None]:
        """Make *writes* durable in one transaction, in order with everything else."""
        return self._writer.append(writes)

    def open_ranked(self, row: GameTable, players: dict[int, str]) -> Table:
        """Open a ladder's table whose row and seats are durable already."""
        table = self._make_table(row, players)
        self._run(table)
        return table

    def seat_of(self, player_id: str, table_id: str) -> int | None:
        """Return the seat that a player has at a table that has not ended."""
        if table_id in self.lobbies:
            seats = self.lobbies[table_id].players.items()
            return next((seat for seat, holder in seats if holder == player_id), None)
        table = self.tables.get(table_id)
        desks = table.desks if table else []
        return next((desk.seat for desk in desks if desk.player_id == player_id), None)

    def holders(self, table_ids: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return who the seats of tables are held for: player ids by seat, by table."""
        found = {table_id: self.lobbies[table_id].players for table_id in table_ids if table_id in self.lobbies}
        for table_id in table_ids:
            if table_id in self.tables:
                found[table_id] = {desk.seat: desk.player_id for desk in self.tables[table_id].desks}
        return found | self.store.seats_of([table_id for table_id in table_ids if table_id not in found])

    def need_table(self, table_id: str) -> GameTable:
        """Return the row of a table.

        Raises:
            ApiError: `TABLE_UNKNOWN`.
        """
        row = self.lobbies[table_id].row if table_id in self.lobbies else self.store.table(table_id)
        if row is None:
            raise ApiError("TABLE_UNKNOWN", f"there is no table {table_id[:40]}", table_id=table_id[:40])
        return row

    def past_table(self, row: GameTable) -> PastTable:
        """Return a table that has ended, folded from its record; a thread may call it."""
        return past_table((_entry(body) for body in self.store.entries(row.id)), _secret(row))

    async def reveal(self, table_id: str, proof: SetProof) -> str:
        """Append the secret of an ended table of a set with its *proof*, once, and write its replay.

        Returns:
            Hex of the last head of its record.
        """
        row = self.need_table(table_id)
        if not row.revealed:
            reveal = _secret(row).reveal(proof)
            await self._writer.append(entry_writes(table_id, self.store.count_entries(table_id), [reveal]))
        return await asyncio.to_thread(self.replays.export, table_id)

    # -- streams ------------------------------------------------------------------

    def dismiss(self, stream: PlayerStream) -> None:
        """End a stream whose token is worth nothing any more, and take its seats from it at once."""
        stream.close("TOKEN_REVOKED", "the token of this stream has been revoked; ask for a new one")
        self.attendance.leave(stream)

    def contribute(self, stream: PlayerStream, deal_id: str, message: Contributed) -> None:
        """Hand a part of a deal's randomness to the table or the batch that waits for it."""
        taker = self.takers.get(deal_id)
        if taker is not None:
            taker(stream, message)
        elif (deal_id, message.seat) in stream.seats:
            self.tables[deal_id].post(message)
        else:
            stream.send(SendNotice("NONCE_REFUSED", "no deal of yours waits for a nonce", deal_id, message.seat))

    def streams(self) -> list[PlayerStream]:
        """Return every stream."""
        return self.attendance.streams()

    def is_there(self, player_id: str) -> bool:
        """Return whether a player has a stream."""
        return self.attendance.is_there(player_id)

    def attending(self, player_id: str) -> int:
        """Return how many more tables the streams of a player can carry."""
        return self.attendance.attending(player_id)

    # -- life of a table ----------------------------------------------------------

    def restore(self) -> None:
        """Bring back every player, lobby and match that the database holds."""
        for player in self.store.players():
            self.players.know(player)
        for account in self.store.accounts():
            self.accounts.know(account)
        for row in self.store.open_tables():
            seats = self.store.seats(row.id)
            rules = rule_set(row.preset, json.loads(row.options))
            if len(seats) < rules.players:
                self.lobbies[row.id] = Lobby(row, rules, dict(seats))
                continue
            try:
                table = self._restored(row, seats)
            except Exception:  # noqa: BLE001 - one table that cannot be read back must not keep the others from going on
                _log.exception("table_failed", table_id=row.id)
                continue
            self._run(table)
        if self.tables:
            _log.info("matches_restored", tables=len(self.tables))

    def _restored(self, row: GameTable, seats: dict[int, str]) -> Table:
        entries = [_entry(body) for body in self.store.entries(row.id)]
        table = self._make_table(row, seats, entries)
        table.restore(entries)
        return table

    def _make_table(self, row: GameTable, players: dict[int, str], entries: Sequence[Entry] = ()) -> Table:
        """Make a table; one that has *entries* plays on by the rules that it was begun with."""
        secret = _secret(row)
        names = tuple(self.players.name_of(players[seat]) for seat in sorted(players))
        header = next((entry for entry in entries if isinstance(entry, Header)), None) or Header(
            match_id=row.id,
            preset=row.preset,
            options=json.loads(row.options),
            seats=names,
            clock=row.clock,
            stand_in=row.stand_in,
            strikes=row.strikes,
            commitment=secret.commitment(row.id),
            deal="table" if secret.table == NO_SET else "set",
            rules_version=RULES_VERSION,
            wall=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(row.created_us / 1e6)),
            referee=VERSION,
        )
        desks = [Desk(row.id, seat, players[seat], names[seat]) for seat in sorted(players)]
        return Table(
            TableSetup(header, secret, row.watch_delay_us, ranked=row.strikes > 0),
            desks,
            self._appender(row.id, len(entries)),
        )

    def _appender(self, table_id: str, next_number: int) -> Append:
        number = next_number

        async def append(entries: list[Entry]) -> None:
            nonlocal number
            writes = entry_writes(table_id, number, entries)
            number += len(entries)
            await self._writer.append(writes)

        return append

    def _run(self, table: Table) -> None:
        self.tables[table.table_id] = table
        self._tasks[table.table_id] = asyncio.get_running_loop().create_task(self._live(table))
        self.attendance.seat(table)

    async def _live(self, table: Table) -> None:
        """Run *table* to its end; a fault of ours ends it alone, and as one that does not count."""
        failed = False
        try:
            await table.run()
        except Exception:  # noqa: BLE001 - whatever it is, it is our bug, and every other table goes on
            _log.exception("table_failed", table_id=table.table_id)
            failed = True
            await table.end_void(Void(Cause.REFEREE_FAULT, None))
        finally:
            self._clear(table)
        if table.setup.secret.table == NO_SET:
            await asyncio.to_thread(self.replays.export, table.table_id)
        for told in list(self.on_failed) if failed else ():
            told(table.table_id)
        for tell in () if failed else list(self.on_ended):
            tell(table.table_id, table.result.result())

    async def discard(self, table_id: str) -> None:
        """Stop a table of a set that a fault of the referee has made void; its seats are told."""
        table = self.tables.get(table_id)
        if table is not None:
            task = self._tasks[table_id]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self._writer.append([])  # behind what it had on the way
            await table.end_void(Void(Cause.REFEREE_FAULT, None))
        else:
            await self._void_unread(table_id)

    async def _void_unread(self, table_id: str) -> None:
        """Let the record of a table that a restart could not read back say that it is void, unless it had ended."""
        row, bodies = self.need_table(table_id), self.store.entries(table_id)
        if {json.loads(body)["kind"] for body in bodies}.isdisjoint(("result", "void")):
            header = [] if bodies else [self._make_table(row, self.store.seats(table_id)).setup.header]
            await self._appender(table_id, len(bodies))([*header, Void(Cause.REFEREE_FAULT, None)])

    def _clear(self, table: Table) -> None:
        """Take *table* away; once."""
        self._tasks.pop(table.table_id, None)
        if self.tables.pop(table.table_id, None) is not None:
            self.attendance.free(table)

    @contextlib.contextmanager
    def until_down(self, close: Callable[[], None]) -> Iterator[None]:
        """Have *close* called if the referee goes down."""
        self._open.add(close)
        try:
            yield
        finally:
            self._open.discard(close)

    async def close(self) -> None:
        """Stop every table where it is; the record has all of it. Who watches is told."""
        for close in list(self._open):
            close()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _need(value: str, known: Iterable[str], name: str) -> None:
    if value not in known:
        raise ApiError("OPTION_INVALID", f"unknown {name} {value}; there are {', '.join(known)}", option=name)


def _secret(row: GameTable) -> Secret:
    return Secret(row.secret, row.set_table, row.relabelled)


def _entry(body: bytes) -> Entry:
    return from_json(json.loads(body))
