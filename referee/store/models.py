"""What is stored: players, tables with their seats, entries, and ladders.

Everything that can be folded from entries is not stored a second time.
"""

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel

SCHEMA: int = 2
"""Version of the tables below; a database of a newer one is refused."""


class Meta(SQLModel, table=True):
    """One row: the version of the schema."""

    id: int = Field(primary_key=True)
    schema_version: int


class Player(SQLModel, table=True):
    """An account or an entrant."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True)
    token_hash: str = Field(index=True, unique=True)
    created_us: int = Field(sa_type=BigInteger)


class Account(SQLModel, table=True):
    """A player who may do more than play: the organiser, or an owner of entrants.

    `role` is `organiser` or `owner`; `quota` is how many entrants an owner may have that are not withdrawn.
    """

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    role: str
    quota: int


class GameTable(SQLModel, table=True):
    """A table and the secret of its deal, durable before its commitment is shown."""

    __tablename__ = "game_table"

    id: str = Field(primary_key=True)
    preset: str
    options: str
    clock: str
    stand_in: str
    strikes: int
    state: str = Field(index=True)
    secret: bytes
    set_table: int
    relabelled: bool
    created_us: int = Field(sa_type=BigInteger)
    watch_delay_us: int | None = Field(default=0, sa_type=BigInteger)
    """How late watchers are told; None for not before the deal is revealed."""
    revealed: bool = False


class TableSeat(SQLModel, table=True):
    """Who a seat is held for."""

    table_id: str = Field(primary_key=True, foreign_key="game_table.id")
    seat: int = Field(primary_key=True)
    player_id: str = Field(foreign_key="player.id", index=True)


class EntryRow(SQLModel, table=True):
    """An entry of a table's record, in canonical bytes."""

    __tablename__ = "entry"

    table_id: str = Field(primary_key=True, foreign_key="game_table.id")
    number: int = Field(primary_key=True)
    body: bytes


class Ladder(SQLModel, table=True):
    """A ladder and the manifest it was started with."""

    name: str = Field(primary_key=True)
    manifest: str
    secret: bytes
    created_us: int = Field(sa_type=BigInteger)


class LadderEntryRow(SQLModel, table=True):
    """An entry of a ladder's record, in canonical bytes."""

    __tablename__ = "ladder_entry"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True)
    body: bytes


class LadderEntrant(SQLModel, table=True):
    """A bot version in a ladder."""

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    entrant: str = Field(primary_key=True)
    player_id: str = Field(foreign_key="player.id")


class Fixture(SQLModel, table=True):
    """A table of a ladder: which set, which rotation, who sits where."""

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    set_number: int = Field(primary_key=True)
    table_number: int = Field(primary_key=True)
    table_id: str = Field(index=True, foreign_key="game_table.id")
    seats: str


class VoidSet(SQLModel, table=True):
    """A set that does not count: its fixtures are taken back and it is played again on a fresh deal.

    `attempt` numbers the times set *set_number* has become void, from 0; the fresh deal has the next number.
    `tables` is a JSON list of the ids of its tables, by table number.
    """

    __tablename__ = "void_set"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    set_number: int = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    cause: str
    tables: str
    at_us: int = Field(sa_type=BigInteger)


class EntrantEvent(SQLModel, table=True):
    """An entrant was withdrawn for its conduct, or has returned.

    `number` counts the ladder's events from 0. `set_number` is the first set that it changes. `rounds` and `bad` are
    the rounds of the entrant since it was last let in, and those of them that were bad.
    """

    __tablename__ = "entrant_event"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True)
    set_number: int
    entrant: str
    kind: str
    rounds: int
    bad: int
    at_us: int = Field(sa_type=BigInteger)


class OpenLadder(SQLModel, table=True):
    """A ladder for bots that attend by themselves; each of its seasons is a `Ladder`. `spec` is JSON."""

    __tablename__ = "open_ladder"

    name: str = Field(primary_key=True)
    spec: str
    closed: bool
    created_us: int = Field(sa_type=BigInteger)


class OpenEntrant(SQLModel, table=True):
    """A version of a bot that has entered an open ladder."""

    __tablename__ = "open_entrant"

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    ladder: str = Field(index=True, foreign_key="open_ladder.name")
    owner_id: str = Field(foreign_key="player.id")
    entrant: str
    bot: str
    version: str
    withdrawn: bool
    entered_us: int = Field(sa_type=BigInteger)


class Season(SQLModel, table=True):
    """A season of an open ladder, from 1; `name` is that of its `Ladder`."""

    ladder: str = Field(primary_key=True, foreign_key="open_ladder.name")
    number: int = Field(primary_key=True)
    name: str = Field(unique=True, foreign_key="ladder.name")
    over: bool


class Trial(SQLModel, table=True):
    """How the trial of an entrant ended: whether it may be ranked.

    `problem` says what was wrong, in words, and is empty for who is fit. `tables` is a JSON list of the ids of the
    tables that it played, which count for nothing.
    """

    player_id: str = Field(primary_key=True, foreign_key="player.id")
    fit: bool
    problem: str
    tables: str
    at_us: int = Field(sa_type=BigInteger)
