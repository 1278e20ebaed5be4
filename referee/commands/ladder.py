"""`rummyref ladder run`: run a ladder file, or resume it."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from referee import log
from referee.commands.live import live_view
from referee.commands.standings import Form, find_ladder, write_standings
from referee.keys import KeyFileError
from referee.ladder.begin import LadderError, resume_command
from referee.ladder.manifest import ManifestError, read_manifest
from referee.ladder.processes import StartError
from referee.ladder.run import LadderRun
from referee.ladder.scheduler import TableFailedError
from referee.ladder.shown import shown
from referee.ladder.under_way import Progress
from referee.server import ListenError
from referee.settings import ServeSettings
from referee.store.database import StoreError, lock_folder, make_folder

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class Wishes(NamedTuple):
    """How a ladder is to be run.

    Attributes:
        resume: Continue one that was interrupted.
        readmit: Withdrawn entrants that play again.
        sandbox: Bots can reach nothing but the referee.
        strict: Misconduct and void sets are a failure.
        form: How the standings are printed.
    """

    resume: bool = False
    readmit: Sequence[str] = ()
    sandbox: bool = False
    strict: bool = False
    form: Form = "text"

    @property
    def flags(self) -> list[str]:
        """What a command that continues the ladder is to say again."""
        return ["--sandbox"] * self.sandbox + ["--strict"] * self.strict


def run(file: Path, data: Path, wishes: Wishes) -> int:
    """Run the ladder *file* with everything kept in *data*; return the exit code."""
    again = resume_command(file, data, *wishes.flags)
    try:
        code = _run(file, data, wishes, again)
    except KeyboardInterrupt:  # before the ladder heeds signals, or once it does no more
        code = INTERRUPTED
    if code == INTERRUPTED:
        sys.stderr.write(f"interrupted; continue with: {again}\n")
    return code


def _run(file: Path, data: Path, wishes: Wishes, again: str) -> int:
    log.configure("warning", "console")
    try:
        manifest = read_manifest(file)
        settings = ServeSettings.of_folder(data)
        make_folder(settings.logs)
        with lock_folder(data), live_view(manifest) as view:
            ladder = LadderRun(manifest, file, settings, view.show, view.say)
            playing = ladder.play(resume=wishes.resume, readmit=wishes.readmit, sandbox=wishes.sandbox)
            finished = asyncio.run(playing)
    except (ManifestError, StoreError, LadderError, ListenError, StartError, KeyFileError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    except TableFailedError as failed:
        sys.stderr.write(f"rummyref ladder: {failed}; report it, then continue with: {again}\n")
        return FAILED
    write_standings(shown(find_ladder(data, manifest.ladder.name)), wishes.form)
    sys.stderr.write(
        f"database {settings.data / 'rummyref.db'}\nreplays  {settings.replays}\nlogs     {settings.logs}\n"
    )
    if not finished:
        return INTERRUPTED
    if view.progress is not None and view.progress.sets_aside:
        sys.stderr.write(
            f"{view.progress.sets_aside} sets are left out, since too few entrants are left; to play them, continue "
            f"with: {again} --readmit NAME\n"
        )
    return FAILED if wishes.strict and _misconduct(view.progress) else DONE


def _misconduct(progress: Progress | None) -> bool:
    """Say what went wrong, in one line; return whether anything did."""
    if progress is None or not (progress.faults or progress.voids or progress.sets_aside):
        return False
    left_out = f", {progress.sets_aside} sets left out" if progress.sets_aside else ""
    sys.stderr.write(
        f"rummyref ladder: {progress.faults} faults and forfeits, {progress.voids} void sets{left_out}; with --strict "
        "that is a failure\n"
    )
    return True
