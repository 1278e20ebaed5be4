"""`rummyref ladder`: run a ladder file, resume it, print its standings."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from referee import log
from referee.ladder.begin import LadderError, resume_command
from referee.ladder.manifest import Manifest, ManifestError, read_manifest
from referee.ladder.processes import StartError
from referee.ladder.results import rules_of, table_results
from referee.ladder.run import LadderRun
from referee.ladder.scheduler import Progress as LadderProgress
from referee.ladder.scheduler import TableFailedError
from referee.ladder.standings import Standing, standings
from referee.server import ListenError
from referee.settings import ServeSettings
from referee.store.database import StoreError, lock_folder, make_folder, open_database
from referee.store.queries import Store

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def run(file: Path, data: Path, *, resume: bool, readmit: Sequence[str] = ()) -> int:
    """Run the ladder *file* with everything kept in *data*, *readmit* no longer withdrawn; return the exit code."""
    log.configure("warning", "console")
    try:
        manifest = read_manifest(file)
        settings = ServeSettings(data=data)
        make_folder(settings.logs)
        with lock_folder(data), _bar(manifest) as (show, say):
            finished = asyncio.run(LadderRun(manifest, file, settings, show, say).play(resume=resume, readmit=readmit))
    except (ManifestError, StoreError, LadderError, ListenError, StartError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    except TableFailedError as failed:
        sys.stderr.write(f"rummyref ladder: {failed}; report it, then continue with: {resume_command(file, data)}\n")
        return FAILED
    print_standings(settings.database, manifest.ladder.name, as_json=False)
    sys.stderr.write(
        f"database {settings.data / 'rummyref.db'}\nreplays  {settings.replays}\nlogs     {settings.logs}\n"
    )
    if finished:
        return DONE
    sys.stderr.write(f"interrupted; continue with: {resume_command(file, data)}\n")
    return INTERRUPTED


def show_standings(data: Path, name: str | None, *, as_json: bool) -> int:
    """Print the standings of the ladder *name*, or of the only one in *data*."""
    try:
        database = ServeSettings(data=data)
        if not (data / "rummyref.db").exists():
            raise LadderError(f"{data} holds no database; run a ladder with --data {data} first")
        names = [ladder.name for ladder in Store(open_database(database.database)).ladders()]
        if name is None and len(names) != 1:
            raise LadderError(f"name one of the ladders: {', '.join(names) or 'there are none'}")
        print_standings(database.database, name or names[0], as_json=as_json)
    except (StoreError, LadderError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    return DONE


def print_standings(database: str, name: str, *, as_json: bool) -> None:
    """Print the standings of one ladder from its record.

    Raises:
        LadderError: There is no such ladder.
    """
    store = Store(open_database(database))
    ladder = store.ladder(name)
    if ladder is None:
        raise LadderError(f"there is no ladder {name}; there are {', '.join(each.name for each in store.ladders())}")
    rules = rules_of(ladder.manifest)
    tables = table_results(store, name)
    lines = standings(tables, tuple(json.loads(ladder.manifest)["entrants"]), rules.sense, rules.players)
    if as_json:
        sys.stdout.write(json.dumps(_as_json(name, rules.preset, lines), indent=2) + "\n")
    else:
        Console().print(_as_table(name, rules.preset, lines))


def _as_json(name: str, preset: str, lines: list[Standing]) -> dict[str, object]:
    return {
        "ladder": name,
        "preset": preset,
        "sets": max((line.sets for line in lines), default=0),
        "standings": [
            {
                "rank": line.rank,
                "entrant": line.entrant,
                "points_per_round": line.points_per_round,
                "interval": list(line.interval),
                "rounds": line.rounds,
                "sets": line.sets,
                "causes": line.causes,
            }
            for line in lines
        ],
    }


def _as_table(name: str, preset: str, lines: list[Standing]) -> RichTable:
    table = RichTable(title=f"{name}: {preset}", title_justify="left")
    for heading in ("rank", "entrant", "points/round", "95 % interval", "rounds", "sets", "faults"):
        table.add_column(heading, justify="left" if heading in ("entrant", "faults") else "right")
    for line in lines:
        low, high = line.interval
        faults = ", ".join(f"{cause} {count}" for cause, count in line.causes.items())
        table.add_row(
            str(line.rank), line.entrant, f"{line.points_per_round:+.2f}", f"{low:+.2f} … {high:+.2f}",
            str(line.rounds), str(line.sets), faults or "–",
        )  # fmt: skip
    return table


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
