"""Opening the database: pragmas, schema, and a clear word where it is not ours to open."""

import contextlib
import fcntl
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, event, func, inspect
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlmodel import Session, SQLModel, create_engine, select

from referee.store.models import SCHEMA, Meta

_BUSY_MS: Final = 5_000
_WRITER_LOCK: Final = int.from_bytes(b"rummyref") >> 1
"""Number of the lock that says who writes, in PostgreSQL."""


class StoreError(Exception):
    """The database cannot be used; the message says why and what to do."""


def open_database(url: str, *, power_safe: bool = False) -> Engine:
    """Open the database at *url*, made new where there is none.

    Args:
        url: For SQLAlchemy.
        power_safe: Whether what is committed survives a loss of power, and not just the
            end of the process; each commit then waits for the disk.

    Raises:
        StoreError: It is no database of ours, of another schema, or not writable.
    """
    sqlite = url.startswith("sqlite:///")
    if sqlite:
        make_folder(Path(url.removeprefix("sqlite:///")).parent)
    engine = _engine(url)
    if sqlite:
        event.listen(engine, "connect", partial(_pragmas, synchronous="FULL" if power_safe else "NORMAL"))
    try:
        known = _schema_of(engine)
        if known not in (None, SCHEMA):
            newer = known is not None and known > SCHEMA
            raise StoreError(
                f"the database has schema {known}, this version knows {SCHEMA}; use the rummyref that wrote it"
                f"{' or a newer one' if newer else ', or begin anew with another --data'}"
            )
        SQLModel.metadata.create_all(engine)
        if known is None:
            with Session(engine) as session:
                session.add(Meta(id=1, schema_version=SCHEMA))
                session.commit()
    except (OperationalError, DatabaseError) as broken:
        raise StoreError(f"the database {engine.url} cannot be used: {' '.join(str(broken.orig).split())}") from broken
    return engine


def _engine(url: str) -> Engine:
    try:
        return create_engine(url)
    except (ArgumentError, ModuleNotFoundError) as wrong:
        if isinstance(wrong, ModuleNotFoundError) and wrong.name == "psycopg":
            raise StoreError("PostgreSQL needs psycopg; install rummyref with its extra postgres") from wrong
        raise StoreError(
            "the database URL is none that can be used; write sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
        ) from wrong


def _schema_of(engine: Engine) -> int | None:
    """Return the version of the schema of a database, None for one that has none yet; changes nothing."""
    if not inspect(engine).has_table(str(Meta.__tablename__)):
        return None
    with Session(engine) as session:
        meta = session.exec(select(Meta)).first()
        return meta.schema_version if meta else None


def make_folder(folder: Path) -> None:
    """Make *folder* and its parents.

    Raises:
        StoreError: It cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as refused:
        raise StoreError(
            f"folder {folder} cannot be written to: {refused.strerror}; choose another with --data"
        ) from refused


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold *folder* for this process alone.

    Raises:
        StoreError: Another process holds it.
    """
    make_folder(folder)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as held:
            raise StoreError(f"{folder} is used by another rummyref; stop that one or choose another --data") from held
        yield


def writing_connection(engine: Engine) -> Connection:
    """Return the connection that a referee writes with; it holds a database on a server for this process alone.

    One in a folder is held by `lock_folder`.

    Raises:
        StoreError: Another process writes to the database.
    """
    connection = engine.connect()
    if engine.dialect.name == "postgresql":
        # The server may take a moment to notice that a referee which was killed is gone.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_BUSY_MS}")
        try:
            connection.scalar(select(func.pg_advisory_lock(_WRITER_LOCK)))
        except OperationalError as held:
            connection.close()
            raise StoreError(
                "the database is used by another referee; stop that one or choose another database"
            ) from held
        connection.commit()
    return connection


def _pragmas(connection: object, _record: object, synchronous: str) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]  # DB-API connection of the driver
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute(f"PRAGMA synchronous={synchronous}")
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
