"""A crowd of bots in one process, started beside a ladder that runs in the test's own."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator

from referee.ladder.begin import Begun
from referee.ladder.scheduler import Scheduler
from tests.cli.command import ROOT, environment


@contextlib.asynccontextmanager
async def crowd(address: str, begun: Begun, scheduler: Scheduler) -> AsyncIterator[None]:
    """Run every entrant, as the bot of its name if that misbehaves, else greedy; tell the ladder of each that ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ladder.crowd",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        cwd=ROOT, env=environment(), start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    bots = {entrant: [entrant, token] for entrant, token in begun.tokens.items()}
    process.stdin.write(json.dumps({"address": address, "bots": bots}).encode() + b"\n")

    async def follow(lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            entrant = line.decode().strip()
            scheduler.attendance.dead.add(entrant)
            scheduler.crashed(entrant)

    following = asyncio.ensure_future(follow(process.stdout))
    try:
        yield
    finally:
        process.kill()
        await process.wait()
        await following
