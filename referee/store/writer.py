"""The record writer: one thread, one connection, many commits made one.

Whoever appends waits until the transaction that holds its rows is durable; a
failed commit stops the process, since nothing that follows could be kept.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.sql.dml import UpdateBase

from referee.store.database import writing_connection

Row = dict[str, Any]


class Write(NamedTuple):
    """A statement with the rows it is executed for.

    Attributes:
        statement: Insert, update or delete; the latter two name their parameters themselves.
        rows: One dictionary of parameters a row.
    """

    statement: UpdateBase
    rows: Sequence[Row]


class _Job(NamedTuple):
    writes: Sequence[Write]
    done: asyncio.Future[None]


class RecordWriter:
    """Appends durably, in the order of the calls."""

    def __init__(self, engine: Engine, on_failure: Callable[[BaseException], None]) -> None:
        """Write through *engine*; *on_failure* is told of a failed commit, in the writer's thread.

        Raises:
            StoreError: Another process writes to the database.
        """
        self._connection = writing_connection(engine)
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="record-writer", daemon=True)
        self._thread.start()

    def append(self, writes: Sequence[Write]) -> asyncio.Future[None]:
        """Write *writes* in one transaction; the future is done when they are durable."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put(_Job(writes, done))
        return done

    async def close(self) -> None:
        """Finish what was appended and stop the thread."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        with self._connection as connection:
            while True:
                jobs, stopping = self._next_batch()
                if jobs:
                    try:
                        with connection.begin():
                            for statement, rows in _merged(jobs):
                                connection.execute(statement, rows)
                    except BaseException as failure:
                        self._on_failure(failure)
                        raise
                    self._loop.call_soon_threadsafe(_finish, [job.done for job in jobs])
                if stopping:
                    return

    def _next_batch(self) -> tuple[list[_Job], bool]:
        first = self._jobs.get()
        jobs: list[_Job] = []
        job: _Job | None = first
        while job is not None:
            jobs.append(job)
            if self._jobs.empty():
                return jobs, False
            job = self._jobs.get()
        return jobs, True


def _merged(jobs: list[_Job]) -> list[tuple[UpdateBase, list[Row]]]:
    """Return the statements of *jobs* in order, neighbours of one statement made one."""
    merged: list[tuple[UpdateBase, list[Row]]] = []
    for job in jobs:
        for statement, rows in job.writes:
            if merged and merged[-1][0] is statement:
                merged[-1][1].extend(rows)
            else:
                merged.append((statement, list(rows)))
    return merged


def _finish(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
