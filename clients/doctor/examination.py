"""The examination: meets the bot, plays it in every preset, cuts it off, and sends it home."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clients.doctor import findings
from clients.doctor.comeback import STEPS, Comeback
from clients.doctor.findings import Finding, Outcome, skipped
from clients.doctor.house import BOT_NAME, BOT_SEAT, ENDED, PLAYED, STARTED, STOOD_IN, House, Seen
from clients.doctor.patient import Patient
from clients.doctor.selfplay import SelfPlayError, entries_of, self_play
from engine.clock import PROFILES, SECOND_US
from engine.record.conduct import Conduct, conduct

_ROUNDS: Final = 2
_LOOK_S: Final = 0.1
_SILENT_S: Final = 60.0
_LATE_S: Final = 5.0
"""How much longer than the time to enter the beginning of a match is waited for."""

_NOT_REACHED: Final = "the examination did not come so far"


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be examined.

    Attributes:
        command: The bot's program and arguments.
        presets: Rules, each with two players.
        clock: Clock profile, one with time.
        deterministic: Whether equal deals and seeds must give equal plays.
        memory_limit: Bytes that it may hold.
    """

    command: list[str]
    presets: tuple[str, ...]
    clock: str
    deterministic: bool
    memory_limit: int


@dataclass(slots=True)
class Examination:
    """One bot, examined once.

    Attributes:
        order: What is wanted.
        data: Folder for everything that is left of it.
        say: Called with one line for people as it goes on.
    """

    order: Order
    data: Path
    say: Callable[[str], object]
    _found: list[Finding] = field(default_factory=list)
    _timed: dict[str, list[str]] = field(default_factory=dict)
    _others: dict[str, list[str]] = field(default_factory=dict)
    _backs: dict[str, list[Finding]] = field(default_factory=dict)
    _fit: set[str] = field(default_factory=set)
    _weights: list[int] = field(default_factory=list)

    def run(self) -> list[Finding]:
        """Examine and return what was found, check by check.

        Raises:
            CommandError: The command cannot be run.
        """
        with ExitStack() as stack:
            house = House(self.data / "referee")
            stack.callback(house.close)
            table = house.seat_bot(self.order.presets[0], self.order.clock, _ROUNDS)
            patient = Patient(self.order.command, house.relay.address, house.bot_token, BOT_NAME)
            stack.callback(patient.end)
            if self._meet(house, patient, table):
                self._play(house, patient, table)
            unasked = patient.exit_code is not None
            ended = patient.end()
        if unasked:
            self._fit.clear()
        if self._met:
            self._judge(house, patient)
            self._found.append(_uptime(patient, ended.code) if unasked else findings.ending(ended))
        return self._found

    @property
    def _met(self) -> bool:
        return self._found[0].outcome is Outcome.OK

    # -- meeting ------------------------------------------------------------------

    def _meet(self, house: House, patient: Patient, table: str) -> bool:
        """Wait for the bot's hello; return whether it came."""
        self.say(f"starting {self.order.command[0]}")
        patience = PROFILES[self.order.clock].to_enter_us / SECOND_US + _LATE_S
        problem = ""
        while not problem:
            seen = house.next(_LOOK_S)
            if seen is not None and seen.what == STARTED:
                break
            problem = _problem(house, patient)
            if time.monotonic() - patient.started > patience:
                problem = problem or "the match did not begin"
        waited = time.monotonic() - patient.started
        if not problem and not house.bot_is_at(table):
            problem = _absence(house)
        if problem:
            said = f"; it said last: {patient.last_words}" if patient.last_words else ""
            self._found.append(Finding("handshake", "", Outcome.FAILED, problem + said, {"seconds": waited}))
            return False
        opened = (line for line in house.logged("stream_opened") if line.get("player_id") == house.players[BOT_SEAT])
        client = next((str(line.get("client")) for line in opened), "")
        text = f"welcomed and seated {waited:.2f} s after its start{f', as {client}' if client else ''}"
        self._found.append(Finding("handshake", "", Outcome.OK, text, {"seconds": waited}))
        return True

    # -- playing ------------------------------------------------------------------

    def _play(self, house: House, patient: Patient, first_table: str) -> None:
        table = first_table
        for preset in self.order.presets:
            self.say(f"{preset}: a match with the clock {self.order.clock}")
            table = table or house.seat_bot(preset, self.order.clock, _ROUNDS)
            played = self._match(house, patient, self._timed.setdefault(preset, []), table)
            table = ""
            if played[ENDED] and not played[STOOD_IN]:
                self._fit.add(preset)
            if patient.exit_code is not None or not played[ENDED] or not played[PLAYED]:
                return
        self._come_back(house, patient)

    def _match(
        self,
        house: House,
        patient: Patient,
        tables: list[str],
        table: str,
        react: Callable[[Seen], bool] = lambda _seen: True,
    ) -> dict[str, int]:
        """Follow a match to its end, or until *react* has seen enough; return what happened how often."""
        counts = dict.fromkeys((STARTED, PLAYED, STOOD_IN, ENDED), 0)
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < _SILENT_S and patient.exit_code is None:
            seen = house.next(_LOOK_S)
            self._weights.append(patient.weigh())
            if seen is None:
                continue
            quiet_since = time.monotonic()
            counts[seen.what] += 1
            if seen.what == ENDED:
                house.replay(table)
                tables.append(table)
                break
            if not react(seen):
                break
        return counts

    def _come_back(self, house: House, patient: Patient) -> None:
        for preset in self.order.presets:
            back = Comeback(house)
            if preset in self._fit:
                self.say(f"{preset}: a match in which its stream is cut and the referee restarted")
                for _ in range(back.TRIES):
                    table = house.seat_bot(preset, back.CLOCK, back.ROUNDS)
                    self._match(house, patient, self._others.setdefault(preset, []), table, back.react)
                    if back.is_settled or patient.exit_code is not None:
                        break
                gone = "" if patient.exit_code is None else f"it ended with exit code {patient.exit_code}"
                self._backs[preset] = back.findings(preset, gone or "the matches were too short", gone=bool(gone))
                if not back.is_well:
                    return

    # -- judging ------------------------------------------------------------------

    def _judge(self, house: House, patient: Patient) -> None:
        decisions = 0
        for preset in self.order.presets:
            timed = self._conduct_of(house, self._timed.get(preset, []))
            legal = timed + self._conduct_of(house, self._others.get(preset, []))
            decisions += len(legal.plays)
            alike, alone = self._twice(preset)
            self._found.append(findings.legal(preset, legal + alone))
            self._found.append(findings.in_time(preset, timed + alone, self.order.clock))
            self._found += self._backs.get(preset) or [skipped(step, preset, _NOT_REACHED) for step in STEPS]
            self._found.append(alike)
        weights = [weight for weight in self._weights if weight] or [0]
        matches = sum(map(len, (*self._timed.values(), *self._others.values())))
        self._found.append(
            findings.memory(patient.memory, weights[len(weights) // 4], weights[-1], matches, self.order.memory_limit)
        )
        self._found.append(findings.output(patient.output, decisions))

    def _conduct_of(self, house: House, tables: list[str]) -> Conduct:
        return sum((conduct(entries_of(house.replay(table)), BOT_SEAT) for table in tables), Conduct())

    def _twice(self, preset: str) -> tuple[Finding, Conduct]:
        """Play the same self-play set twice; return what that shows, and the conduct in both."""
        if preset not in self._fit:
            return skipped("determinism", preset, "it did not finish its matches by itself"), Conduct()
        self.say(f"{preset}: the same self-play set twice")
        try:
            first, second = (
                self_play(self.order.command, preset, self.order.clock, self.data / f"{preset}-{run}") for run in (1, 2)
            )
        except SelfPlayError as failed:
            text = f"its self-play set was not finished: {failed}"
            return Finding("determinism", preset, Outcome.FAILED, text), Conduct()
        both = sum((*first.values(), *second.values()), Conduct())
        return findings.alike(preset, first, second, required=self.order.deterministic), both


def _problem(house: House, patient: Patient) -> str:
    """Return why the bot will not come, empty while it may."""
    code = patient.exit_code  # read first: what it was told is in the log by then
    refused = next(house.logged("stream_refused"), None)
    if refused is not None:
        return f"the referee refused its stream: {refused.get('reason')}: {refused.get('message')}"
    if code is not None:
        return f"it ended with exit code {code} before it was welcomed"
    if any(line.get("player_id") not in house.players for line in house.logged("stream_opened")):
        return "it said hello as another player: it must use the token in RUMMYREF_TOKEN"
    return ""


def _absence(house: House) -> str:
    """Return what is known of a bot that is not at the table."""
    if house.relay.connections:
        return "it connected, but opened no Play stream and said no hello"
    return "nothing has connected to the address in RUMMYREF_ADDRESS"


def _uptime(patient: Patient, code: int | None) -> Finding:
    said = f"; it said last: {patient.last_words}" if patient.last_words else ""
    text = f"it ended by itself with exit code {code}: stay until SIGTERM says that the ladder is over{said}"
    return Finding("end", "", Outcome.FAILED, text, {"seconds": 0.0, "exit_code": code})
