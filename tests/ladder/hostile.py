"""What came of bots that misbehave in a ladder beside honest ones, against what must."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from clients.bots.faulty.catalogue import FAULTY
from clients.bots.faulty.expected import Expected, Outcome
from clients.bots.greedy import GreedyBot
from engine.offers import offered
from engine.record.audit import Step, chained, steps
from engine.record.entries import Cause, Played, Result, StoodIn
from engine.record.fold import TableState, finish_turn
from engine.record.replay import only_entries
from engine.views import seat_view
from referee.ladder.conduct import PLAYED, ending_of
from referee.store.database import open_database
from referee.store.queries import Store

STRIKES: Final = 3


class Seat(NamedTuple):
    """What one entrant did and bore at one table.

    Attributes:
        plays: Plays of it that were accepted.
        faults: Causes of its faults.
        forfeits: Causes of its forfeits.
    """

    plays: int
    faults: tuple[str, ...]
    forfeits: tuple[str, ...]


class Table(NamedTuple):
    """A finished table.

    Attributes:
        entrants: By seat.
        replay: Every entry with what it led to.
        result: Its result.
    """

    entrants: tuple[str, ...]
    replay: tuple[Step, ...]
    result: Result

    def seat(self, entrant: str) -> Seat:
        """Return what *entrant* did and bore here."""
        seat = self.entrants.index(entrant)
        played = sum(isinstance(step.entry, Played) and step.entry.seat == seat for step in self.replay)
        faults = tuple(cause.value for who, cause in self.result.faults if who == seat)
        return Seat(played, faults, tuple(lost.cause.value for lost in self.result.forfeits if lost.seat == seat))


def tables_of(data: Path, ladder: str) -> Iterator[Table]:
    """Yield every table of a ladder that has ended, from replays that are checked as they are read."""
    store = Store(open_database(f"sqlite:///{data / 'rummyref.db'}"))
    for row in store.fixtures(ladder):
        with (data / "replays" / f"{row.table_id}.rummy.jsonl").open(newline="") as lines:
            replay = tuple(steps(list(only_entries(chained(lines)))))
        [result] = [step.entry for step in replay if isinstance(step.entry, Result)]
        yield Table(tuple(json.loads(row.seats)), replay, result)


def difference(expected: Expected, seats: list[Seat]) -> str:
    """Return how *seats*, all of one entrant, differ from what is expected; empty if they do not."""
    if not seats:
        return "it has played no table"
    return _CHECKS[expected.outcome](expected, seats)


def _plays(_: Expected, seats: list[Seat]) -> str:
    bad = [seat for seat in seats if seat.faults or seat.forfeits]
    if bad:
        return f"expected to play without a fault: {bad[0]}"
    return "" if any(seat.plays for seat in seats) else "expected it to play"


def _strikes(expected: Expected, seats: list[Seat]) -> str:
    for seat in seats:
        struck = ("strikes",) if len(seat.faults) == STRIKES else ()
        if seat.plays or set(seat.faults) - {expected.fault} or seat.forfeits != struck:
            return f"expected {expected.fault} in every turn, and the third to forfeit: {seat}"
    return "" if any(seat.faults for seat in seats) else "expected a fault"


def _crashes(expected: Expected, seats: list[Seat]) -> str:
    causes = Counter(seat.forfeits for seat in seats)
    fewest, most = expected.crashes
    crashed = causes.pop(("crashed",), 0)
    causes.pop(("never_came",), 0)
    if causes or any(seat.faults for seat in seats) or not fewest <= crashed <= most:
        return f"expected {fewest} to {most} tables to be forfeited as crashed, the others as never_came: {seats}"
    return ""


def _never_comes(_: Expected, seats: list[Seat]) -> str:
    bad = [seat for seat in seats if seat != Seat(0, (), ("never_came",))]
    return f"expected never_came and nothing else: {bad[0]}" if bad else ""


_CHECKS: Final[dict[Outcome, Callable[[Expected, list[Seat]], str]]] = {
    Outcome.PLAYS: _plays,
    Outcome.STRIKES: _strikes,
    Outcome.CRASHES: _crashes,
    Outcome.NEVER_COMES: _never_comes,
}


def honest_difference(table: Table, honest: set[str]) -> str:
    """Return what an honest greedy bot at *table* suffered from the others, or nothing.

    Each of its plays is its own choice at that point, each of the others' that it
    did not make itself is the published stand-in's: so its result is that beside
    a bot that forfeits at the same place, and nothing else of the other shows in it.
    """
    before: TableState | None = None
    for _, entry, state, _ in table.replay:
        if before is not None and isinstance(entry, Played | StoodIn):
            mine = table.entrants[entry.seat] in honest
            if mine and (isinstance(entry, StoodIn) or entry.play != _choice(before, entry.seat)):
                return f"{table.entrants[entry.seat]} did not make its own play: {entry}"
            if isinstance(entry, StoodIn) and entry.plays != finish_turn(before):
                return f"the stand-in played otherwise: {entry}"
        before = state
    return ""


def _choice(state: TableState, seat: int) -> object:
    view = seat_view(state.match, seat)
    return GreedyBot(view.rules, 0).play(view, offered(view.position))


def culprit_difference(table: Table) -> str:
    """Return what is wrong with the cause of the match at *table*: there is one, with at most one culprit."""
    cause, culprit = ending_of(table.result)
    blamed = [lost.seat for lost in table.result.forfeits if lost.cause.value == cause]
    if (cause == PLAYED) == (culprit is None) == (not blamed) and (cause == PLAYED or Cause(cause)):
        return ""
    return f"cause {cause}, culprit {culprit}"


def differences(data: Path, ladder: str, names: dict[str, str], honest: set[str]) -> dict[str, str]:
    """Return what differs, by entrant; empty texts where nothing does.

    Args:
        data: Where the ladder was run.
        ladder: Its name.
        names: Name of its faulty bot by entrant that misbehaves.
        honest: Entrants that run the greedy bot.
    """
    seats: dict[str, list[Seat]] = {entrant: [] for entrant in names}
    found = dict.fromkeys(honest, "it has played no table")
    for table in tables_of(data, ladder):
        problem = honest_difference(table, honest) or culprit_difference(table)
        for entrant in table.entrants:
            if entrant in names:
                seats[entrant].append(table.seat(entrant))
            elif problem or found[entrant].startswith("it has"):
                found[entrant] = problem
    return {**{entrant: difference(FAULTY[name].expected, seats[entrant]) for entrant, name in names.items()}, **found}
