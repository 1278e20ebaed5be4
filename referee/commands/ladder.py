"""`rummyref ladder run`: run a ladder file, or resume it."""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee import log
from referee.commands.standings import find_ladder, write_standings
from referee.keys import KeyFileError
from referee.ladder.begin import LadderError, resume_command
from referee.ladder.manifest import Manifest, ManifestError, read_manifest
from referee.ladder.processes import StartError
from referee.ladder.run import LadderRun
from referee.ladder.scheduler import TableFailedError
from referee.ladder.shown import shown
from referee.ladder.under_way import Progress as LadderProgress
from referee.server import ListenError
from referee.settings import ServeSettings
from referee.store.database import StoreError, lock_folder, make_folder

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def run(file: Path, data: Path, *, resume: bool, readmit: Sequence[str] = (), sandbox: bool = False) -> int:
    """Run the ladder *file* with everything kept in *data*, *readmit* no longer withdrawn; return the exit code.

    In a *sandbox* bots can reach nothing but the referee.
    """
    log.configure("warning", "console")
    flags = ["--sandbox"] * sandbox
    try:
        manifest = read_manifest(file)
        settings = ServeSettings(data=data)
        make_folder(settings.logs)
        with lock_folder(data), _bar(manifest) as (show, say):
            ladder = LadderRun(manifest, file, settings, show, say)
            finished = asyncio.run(ladder.play(resume=resume, readmit=readmit, sandbox=sandbox))
    except (ManifestError, StoreError, LadderError, ListenError, StartError, KeyFileError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    except TableFailedError as failed:
        again = resume_command(file, data, *flags)
        sys.stderr.write(f"rummyref ladder: {failed}; report it, then continue with: {again}\n")
        return FAILED
    write_standings(shown(find_ladder(data, manifest.ladder.name)), "text")
    sys.stderr.write(
        f"database {settings.data / 'rummyref.db'}\nreplays  {settings.replays}\nlogs     {settings.logs}\n"
    )
    if finished:
        return DONE
    sys.stderr.write(f"interrupted; continue with: {resume_command(file, data, *flags)}\n")
    return INTERRUPTED


@contextlib.contextmanager
def _bar(manifest: Manifest) -> Iterator[tuple[Callable[[LadderProgress], None], Callable[[str], None]]]:
    """Show a live bar on stderr, once there is progress; yield how to move it and how to say a line."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("sets  {task.fields[speed]:.1f} tables/s"),
        TimeRemainingColumn(),
        console=console,
    )
    task = bar.add_task(manifest.ladder.name, total=manifest.ladder.sets, speed=0.0)

    def show(progress: LadderProgress) -> None:
        bar.start()
        speed = progress.tables_done / max(time.monotonic() - progress.started, 1e-9)
        bar.update(task, completed=progress.sets_done, speed=speed)

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    try:
        yield show, say
    finally:
        if bar.live.is_started:
            bar.stop()
