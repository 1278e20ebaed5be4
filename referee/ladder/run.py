"""One ladder from beginning to end: its referee, its bot processes, its interruption."""

import asyncio
import os
import shlex
import signal
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.record.ladder import Absence
from referee.hall import Hall
from referee.keys import own_key
from referee.ladder.begin import Begun, LadderError, begin
from referee.ladder.logs import EntrantLog
from referee.ladder.manifest import EntrantSpec, Manifest
from referee.ladder.processes import BotProcess, Guard, StartError, bot_environment, limited, need_command
from referee.ladder.sandbox import ADDRESS, Sandbox
from referee.ladder.scheduler import Scheduler
from referee.ladder.trial import Trials
from referee.ladder.under_way import Progress
from referee.server import Referee, Storage, settle, start
from referee.settings import ServeSettings


class LadderRun:
    """A run of one ladder, first or continued."""

    def __init__(
        self,
        manifest: Manifest,
        file: Path,
        settings: ServeSettings,
        on_progress: Callable[[Progress], None],
        say: Callable[[str], None],
    ) -> None:
        """Prepare to run *manifest*, read from *file*.

        Args:
            manifest: The ladder.
            file: Where it was read; commands are relative to its folder.
            settings: Where everything is kept.
            on_progress: Called as tables end.
            say: Called with one line for people.
        """
        self._manifest = manifest
        self._file = file
        self._settings = settings
        self._on_progress = on_progress
        self._say = say
        self._guard = Guard()
        self._bots: dict[str, BotProcess] = {}
        self._renewals: set[asyncio.Task[None]] = set()
        self._scheduler: Scheduler | None = None
        self._sandbox: Sandbox | None = None

    async def play(self, *, resume: bool, readmit: Sequence[str] = (), sandbox: bool = False) -> bool:
        """Play the ladder; return whether it was finished rather than interrupted.

        The withdrawn entrants *readmit* play again. In a *sandbox* bots can reach nothing but the referee.

        Raises:
            KeyFileError: The key to sign with cannot be had.
            LadderError: It is there already, or has changed.
            ListenError: No port can be had.
            StartError: A bot's command cannot be run, or there can be no sandbox.
            StoreError: The database cannot be used.
        """
        stop = _stop_signals()
        for entrant in self._manifest.entrant:
            need_command(entrant.name, entrant.command, self._folder, entrant.env)
        sign = own_key(self._settings.data).sign
        self._sandbox = Sandbox(self._settings.data) if sandbox else None
        socket = self._sandbox.socket if self._sandbox else None
        kept = Storage(self._settings.database, self._settings.replays, self._manifest.ladder.power_safe)
        referee = await start("127.0.0.1:0", kept, sign=sign, socket=socket)
        settle()
        try:
            begun = await begin(referee.hall, self._manifest, self._file, self._settings.data, resume=resume)
            return await _unless(stop, self._play(referee, begun, readmit))
        finally:
            await self._end(referee.hall)
            await referee.stop(0)
            if self._sandbox is not None:
                self._sandbox.close()

    @property
    def _folder(self) -> Path:
        return self._manifest.folder_of(self._file)

    async def _play(self, referee: Referee, begun: Begun, readmit: Sequence[str]) -> None:
        scheduler = Scheduler(referee.hall, self._manifest, begun, self._on_progress, self._say)
        self._scheduler = scheduler
        await scheduler.prepare()
        for name in readmit:
            if not scheduler.readmit(name):
                raise LadderError(f"entrant {name} is not withdrawn; leave --readmit {name} out")
        trials = Trials(referee.hall, self._manifest.ladder, self._manifest.rules())
        for name in readmit:
            await trials.forget(begun.players[name])
        scheduler.on_misconduct = self._note
        await self._guard.start()
        for entrant in self._manifest.entrant:
            bot = self._bot(referee.address, entrant, begun.tokens[entrant.name], scheduler)
            self._bots[entrant.name] = bot
            await bot.start()
        if self._manifest.ladder.trial:
            await self._try_out(trials, begun, scheduler)
        if self._manifest.ladder.isolate:
            renewal = _Renewal(referee, begun.players, scheduler)
            scheduler.on_stood_up = lambda entrants: self._renew(entrants, renewal)
        await scheduler.run()

    async def _try_out(self, trials: Trials, begun: Begun, scheduler: Scheduler) -> None:
        """Leave out whoever does not pass its trial."""
        scheduler.attendance.begin()
        new = {name: player for name, player in begun.players.items() if name not in scheduler.withdrawn}
        problems = await trials.hold_all(new, scheduler.attendance)
        await scheduler.enter_trials()
        for name, problem in problems.items():
            scheduler.withdraw(name, Absence.TRIAL)
            self._note(name, f"its trial: {problem}")
            self._say(
                f"entrant {name} is not ranked, for its trial: {problem}; mend it and continue with --resume "
                f"--readmit {shlex.quote(name)}"
            )

    def _note(self, entrant: str, line: str) -> None:
        """Write to the log of *entrant* what it did wrong."""
        self._bots[entrant].log.note(line)

    def _renew(self, entrants: tuple[str, ...], renewal: "_Renewal") -> None:
        """Have the next table of *entrants* played by processes that have played none."""
        for entrant in self._manifest.entrant:
            if entrant.name in entrants and not self._bots[entrant.name].is_dead:
                renewal.scheduler.attendance.held.add(entrant.name)
                task = asyncio.get_running_loop().create_task(self._replace(entrant, renewal))
                self._renewals.add(task)
                task.add_done_callback(self._renewals.discard)

    async def _replace(self, entrant: EntrantSpec, renewal: "_Renewal") -> None:
        """End the process of *entrant*, let its token be worth nothing, and start another."""
        old, attendance = self._bots[entrant.name], renewal.scheduler.attendance
        try:
            await old.stop()
            token = await renewal.referee.hall.players.renew_token(renewal.players[entrant.name])
            new = self._bot(renewal.referee.address, entrant, token, renewal.scheduler)
            new.crashes, new.log = old.crashes, old.log
            self._bots[entrant.name] = new
            await new.start()
        except StartError as missing:
            attendance.dead.add(entrant.name)
            self._say(f"{missing}; its further rounds are forfeited")
        finally:
            attendance.held.discard(entrant.name)

    def _bot(self, address: str, entrant: EntrantSpec, token: str, scheduler: Scheduler) -> BotProcess:
        log = EntrantLog((self._settings.logs / f"{entrant.name}.log").resolve())

        def ended(bot: BotProcess) -> None:
            scheduler.crashed(bot.name)
            if bot.is_dead:
                scheduler.attendance.dead.add(bot.name)
                self._say(
                    f"entrant {bot.name} has ended again (exit code {bot.exit_code}); its further rounds are "
                    f"forfeited. What it said last is in {log.path}"
                )

        extra = {"RUMMYREF_CAPACITY": str(entrant.capacity), **entrant.env}
        inherited, address = (self._sandbox.inherited, ADDRESS) if self._sandbox else (os.environ, address)
        environment = bot_environment(inherited, address, token, entrant.name, extra)
        command, spec = entrant.command, self._manifest.ladder
        if self._sandbox is not None:
            command = self._sandbox.wrapped(command, self._folder, environment["PATH"])
        command = limited(command, entrant.limits.over(spec.limits))
        restarts = spec.policy.restarts
        return BotProcess(entrant.name, command, environment, self._folder, log, self._guard, restarts, ended)

    async def _end(self, hall: Hall) -> None:
        """End everything; the tables first, so that no clock runs against bots that are being ended."""
        if self._scheduler is not None:
            await self._scheduler.close()
        await asyncio.gather(*self._renewals, return_exceptions=True)
        await hall.close()
        await asyncio.gather(*(bot.stop() for bot in self._bots.values()))
        await self._guard.stop()


class _Renewal(NamedTuple):
    """What it takes to start bots again under way."""

    referee: Referee
    players: dict[str, str]
    scheduler: Scheduler


def _stop_signals() -> asyncio.Event:
    """Return an event that Ctrl-C and SIGTERM set instead of ending the process."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Do *work* until it is done or *stop* is set; return whether it was done."""
    working, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([working, stopped], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            await working
            return True
        return False
    finally:
        for task in (working, stopped):
            task.cancel()
        await asyncio.gather(working, stopped, return_exceptions=True)
