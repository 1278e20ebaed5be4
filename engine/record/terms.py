"""What a ladder has bound itself to, and whether a set and its matches are what follows from that."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.record.canonical import Json
from engine.record.entries import Header, Reveal
from engine.record.fields import EntryError, Fields
from engine.record.ladder import DealClosed, LadderTable, Outcome
from engine.shuffle import shuffled

_SEATS: Final = b"seats\0"
_DESIGNS: Final = ("rotation", "bridge")
_MOST_TABLES: Final = 1_000
"""Tables that a set may claim, and seats that a table may."""

_STAND_IN: Final = "minimal"
"""What finishes turns at the tables of every ladder."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a ladder that its record can be held against.

    Attributes:
        preset: Rules.
        options: Every option and its value.
        clock: Name of the clock profile.
        strikes: Faults in a match after which a seat forfeits the rest.
        relabelled: Whether suits are relabelled at each table.
        sets: Sets to be played.
        is_rotation: Whether everybody takes every seat of a set; else everybody sits once.
        tables: Tables at which a set plays its deal.
        owners: Owner by entrant.
    """

    preset: str
    options: Mapping[str, Json]
    clock: str
    strikes: int
    relabelled: bool
    sets: int
    is_rotation: bool
    tables: int
    owners: Mapping[str, str]

    @property
    def entrants(self) -> int:
        """Entrants in a set."""
        return self.tables if self.is_rotation else self.tables * self.players

    @property
    def players(self) -> int:
        """Seats at a table."""
        players = self.options.get("players")
        return players if isinstance(players, int) else 0


class MatchFound(NamedTuple):
    """What the replay of a table is.

    Attributes:
        problem: What is wrong with it, or nothing.
        played: Whether the match was played to its end.
        header: What it was, None where there is no replay.
        reveal: Where its cards came from, None where there is no replay.
    """

    problem: str = ""
    played: bool = False
    header: Header | None = None
    reveal: Reveal | None = None


def terms_of(written: Mapping[str, Json]) -> Terms:
    """Return the terms that are *written* in the first entry of a ladder.

    Raises:
        EntryError: One is missing or makes no sense.
    """
    fields = Fields(written)
    design, policy = fields.text("design"), Fields(fields.object("policy"))
    terms = Terms(
        fields.text("preset"), fields.object("options"), fields.text("clock"), policy.number("strikes"),
        fields.flag("relabel_suits"), fields.number("sets"), design == _DESIGNS[0], fields.number("tables"),
        fields.texts_by_name("owners"),
    )  # fmt: skip
    sound = 2 <= terms.players <= _MOST_TABLES and 1 <= terms.tables <= _MOST_TABLES and terms.sets >= 0
    if design not in _DESIGNS or not sound or (terms.is_rotation and terms.tables != terms.players):
        raise EntryError(f"no ladder has {terms.sets} sets of {terms.tables} tables for {terms.players} in {design}")
    if sorted(fields.texts("entrants")) != sorted(terms.owners):
        raise EntryError("not every entrant has an owner")
    return terms


def drawn_tables(
    entrants: Iterable[str], seed: bytes, players: int, tables: int, *, is_rotation: bool
) -> tuple[tuple[str, ...], ...]:
    """Return the entrants of a set by table and seat, drawn from the set's *seed* and the entrants' names.

    In a rotation they move one seat on from table to table; else each sits once.
    """
    names = sorted(entrants)
    coded = (name.encode("utf-8") for name in names)
    message = _SEATS + b"".join(len(name).to_bytes(2, "big") + name for name in coded)
    order = shuffled(names, hmac.digest(seed, message, "sha256"))
    if is_rotation:
        return tuple(order[-turn:] + order[:-turn] if turn else order for turn in range(tables))
    return tuple(order[start : start + players] for start in range(0, len(order), players))


def set_problem(terms: Terms, entry: DealClosed, seed: bytes) -> str:
    """Return what is wrong with who sat where when the deal of *entry* was played from *seed*, or nothing."""
    seated = {entrant for table in entry.tables for entrant in table.seats}
    stranger = next((entrant for entrant in sorted(seated) if entrant not in terms.owners), None)
    if stranger is not None:
        return f"{stranger} is no entrant"
    if len({terms.owners[entrant] for entrant in seated}) != len(seated):
        return "two entrants of one owner in a set"
    numbers, every = [table.table for table in entry.tables], list(range(terms.tables))
    played = entry.outcome is Outcome.PLAYED
    if (numbers != every) if played else (len(set(numbers)) != len(numbers) or not set(numbers) <= set(every)):
        return f"a set has tables 0 to {terms.tables - 1}, not {', '.join(map(str, numbers))}"
    if len(seated) != terms.entrants:
        return f"a set has {terms.entrants} entrants, not {len(seated)}" if played else ""
    return _seats_problem(terms, entry.tables, seated, seed)


def _seats_problem(terms: Terms, tables: Sequence[LadderTable], seated: Iterable[str], seed: bytes) -> str:
    drawn = drawn_tables(seated, seed, terms.players, terms.tables, is_rotation=terms.is_rotation)
    wrong = next((table for table in tables if table.seats != drawn[table.table]), None)
    if wrong is None:
        return ""
    return f"at table {wrong.table} sat {', '.join(wrong.seats)}, drawn were {', '.join(drawn[wrong.table])}"


def match_problem(terms: Terms, found: MatchFound) -> str:
    """Return where a match is not one by the *terms*, or nothing."""
    header, reveal = found.header, found.reveal
    if header is None or reveal is None:
        return ""
    due = {
        "preset": (header.preset, terms.preset),
        "options": (dict(header.options), dict(terms.options)),
        "clock": (header.clock, terms.clock),
        "stand_in": (header.stand_in, _STAND_IN),
        "strikes": (header.strikes, terms.strikes),
        "relabelled": (reveal.relabelled, terms.relabelled),
    }
    name = next((name for name, (is_so, should) in due.items() if is_so != should), None)
    return "" if name is None else f"its {name} is {due[name][0]}, the ladder's {due[name][1]}"
