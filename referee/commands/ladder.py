"""`rummyref ladder`: run a ladder file, resume it, print its standings."""

import asyncio
import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable
from sqlalchemy import insert

from referee import log
from referee.hall import Hall
from referee.identity import new_secret
from referee.ladder.manifest import EntrantSpec, Manifest, ManifestError, read_manifest
from referee.ladder.processes import BotProcess, StartError, bot_environment
from referee.ladder.results import rules_of, table_results
from referee.ladder.scheduler import Progress as LadderProgress
from referee.ladder.scheduler import Scheduler
from referee.ladder.standings import Standing, standings
from referee.server import ListenError, Referee, start
from referee.settings import ServeSettings
from referee.store.database import StoreError, lock_folder, make_folder, open_database
from referee.store.models import Ladder, LadderEntrant
from referee.store.queries import Store
from referee.store.writer import Write

DONE, BAD_INPUT, INTERRUPTED = 0, 2, 130
_ATTEND_WITHIN_S: Final = 30.0
_ADD_LADDER: Final = insert(Ladder)
_ADD_ENTRANT: Final = insert(LadderEntrant)


class LadderError(Exception):
    """A ladder cannot be run or shown; the message says what to do."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A ladder that is in the database.

    Attributes:
        secret: From which its sets are derived.
        players: Player id by entrant.
        tokens: Fresh token by entrant.
    """

    secret: bytes
    players: dict[str, str]
    tokens: dict[str, str]


def run(file: Path, data: Path, *, resume: bool) -> int:
    """Run the ladder *file* with everything kept in *data*; return the exit code."""
    log.configure("warning", "console")
    try:
        manifest = read_manifest(file)
        settings = ServeSettings(data=data)
        make_folder(settings.logs)
        with lock_folder(data):
            finished = asyncio.run(_run(manifest, file, settings, resume=resume))
    except (ManifestError, StoreError, LadderError, ListenError, StartError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    print_standings(settings.database, manifest.ladder.name, as_json=False)
    sys.stderr.write(
        f"database {settings.data / 'rummyref.db'}\nreplays  {settings.replays}\nlogs     {settings.logs}\n"
    )
    if finished:
        return DONE
    sys.stderr.write(f"interrupted; continue with: rummyref ladder run {file} --data {data} --resume\n")
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


async def _run(manifest: Manifest, file: Path, settings: ServeSettings, *, resume: bool) -> bool:
    """Play the ladder; return whether it was finished rather than interrupted."""
    referee = await start("127.0.0.1:0", settings.database, settings.replays)
    bots: list[BotProcess] = []
    try:
        begun = await _begin(referee.hall, manifest, file, settings.data, resume=resume)
        with _bar(manifest) as show:
            scheduler = Scheduler(referee.hall, manifest, begun.secret, begun.players, show)
            bots = await _start_bots(referee, manifest, file, settings.logs, begun, scheduler)
            await _attendance(referee.hall, begun, bots, scheduler)
            return await _until_done_or_interrupted(scheduler)
    finally:
        await asyncio.gather(*(bot.stop() for bot in bots))
        await referee.stop(0)


async def _until_done_or_interrupted(scheduler: Scheduler) -> bool:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    playing, interrupted = asyncio.ensure_future(scheduler.run()), asyncio.ensure_future(stop.wait())
    await asyncio.wait([playing, interrupted], return_when=asyncio.FIRST_COMPLETED)
    for task in (playing, interrupted):
        if not task.done():
            task.cancel()
    if playing.done() and not playing.cancelled():
        playing.result()
        return True
    return False


async def _begin(hall: Hall, manifest: Manifest, file: Path, data: Path, *, resume: bool) -> _Begun:
    """Find the ladder in the database, or put it there."""
    spec, stored = manifest.ladder, hall.store.ladder(manifest.ladder.name)
    text = _stored_form(manifest)
    if stored is None:
        return await _begin_anew(hall, manifest, text)
    if not resume:
        done = len(hall.store.fixtures(spec.name))
        raise LadderError(
            f"ladder {spec.name} is in {data} already ({done} tables opened); continue with: "
            f"rummyref ladder run {file} --data {data} --resume, or choose another --data"
        )
    if stored.manifest != text:
        raise LadderError(
            f"{file} has changed since ladder {spec.name} began; undo that, or begin it in another --data"
        )
    players = hall.store.entrants(spec.name)
    tokens = {entrant: await hall.players.renew_token(player_id) for entrant, player_id in players.items()}
    return _Begun(stored.secret, players, tokens)


async def _begin_anew(hall: Hall, manifest: Manifest, text: str) -> _Begun:
    spec = manifest.ladder
    secret = bytes.fromhex(spec.seed) if spec.seed else new_secret()
    players, tokens = {}, {}
    for name in manifest.names:
        player, token = await hall.players.register(name)
        players[name], tokens[name] = player.id, token
    row = Ladder(name=spec.name, manifest=text, secret=secret, created_us=time.time_ns() // 1000)
    entrants = [{"ladder": spec.name, "entrant": name, "player_id": player} for name, player in players.items()]
    await hall.append([Write(_ADD_LADDER, [row.model_dump()]), Write(_ADD_ENTRANT, entrants)])
    return _Begun(secret, players, tokens)


def _stored_form(manifest: Manifest) -> str:
    """Return what must not change while a ladder is under way."""
    rules = manifest.rules()
    return json.dumps(
        {
            "preset": rules.preset,
            "options": dict(rules.options),
            "entrants": list(manifest.names),
            "sets": manifest.ladder.sets,
            "clock": manifest.ladder.clock,
            "design": manifest.ladder.design,
            "relabel_suits": manifest.ladder.relabel_suits,
            "seed": manifest.ladder.seed,
        },
        sort_keys=True,
    )


async def _start_bots(
    referee: Referee, manifest: Manifest, file: Path, logs: Path, begun: _Begun, scheduler: Scheduler
) -> list[BotProcess]:
    bots: dict[str, BotProcess] = {}

    def ended(entrant: str) -> None:
        scheduler.crashed(entrant)
        if bots[entrant].is_dead:
            scheduler.dead.add(entrant)

    try:
        for entrant in manifest.entrant:
            bots[entrant.name] = _bot(referee.address, entrant, file, logs, begun, ended)
            await bots[entrant.name].start()
    except StartError:
        await asyncio.gather(*(bot.stop() for bot in bots.values()))
        raise
    return list(bots.values())


def _bot(
    address: str, entrant: EntrantSpec, file: Path, logs: Path, begun: _Begun, ended: Callable[[str], None]
) -> BotProcess:
    extra = {"RUMMYREF_CAPACITY": str(entrant.capacity), **entrant.env}
    return BotProcess(
        entrant.name,
        entrant.command,
        bot_environment(address, begun.tokens[entrant.name], entrant.name, extra),
        file.resolve().parent,
        (logs / f"{entrant.name}.log").resolve(),
        ended,
    )


async def _attendance(hall: Hall, begun: _Begun, bots: list[BotProcess], scheduler: Scheduler) -> None:
    """Wait for every bot to say hello; those that do not in time are played without."""
    deadline = time.monotonic() + _ATTEND_WITHIN_S
    waiting = {bot.name for bot in bots}
    while waiting and time.monotonic() < deadline:
        waiting = {name for name in waiting - scheduler.dead if hall.attending(begun.players[name]) <= 0}
        await asyncio.sleep(0.02)
    for name in sorted(waiting):
        sys.stderr.write(f"rummyref ladder: entrant {name} has not connected; its rounds are forfeited until it does\n")
    scheduler.dead.update(waiting)


@contextlib.contextmanager
def _bar(manifest: Manifest) -> Iterator[Callable[[LadderProgress], None]]:
    """Show a live bar on stderr: sets, tables a second, time left."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("sets  {task.fields[speed]:.1f} tables/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    task = bar.add_task(manifest.ladder.name, total=manifest.ladder.sets, speed=0.0)

    def show(progress: LadderProgress) -> None:
        speed = progress.tables_done / max(time.monotonic() - progress.started, 1e-9)
        bar.update(task, completed=progress.sets_done, speed=speed)

    with bar:
        yield show
