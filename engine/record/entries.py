"""Entries: the truth of a match, one after another, and their JSON form.

Every accepted play, refusal, clock charge and change of a seat is an entry.
Keys with a leading underscore mean nothing to the rules but are covered by the
chain. Audience: the referee until the reveal; then everybody.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, NamedTuple

from engine.moves import Play
from engine.notation import parse_play, show_play
from engine.reasons import Reason, RuleViolation
from engine.record.canonical import Json
from engine.record.fields import EntryError, Fields, numbers_in
from engine.rules.options import OptionValue

FORMAT: Final = 1
"""Version of the entries and of the replay file."""


@unique
class Cause(Enum):
    """Why a stand-in played, or why a seat forfeits. May grow."""

    TIME_OUT = "time_out"
    ILLEGAL = "illegal"
    LEFT = "left"
    CRASHED = "crashed"
    NEVER_CAME = "never_came"
    STRIKES = "strikes"


@dataclass(frozen=True, slots=True)
class Header:
    """The first entry: what the match is.

    Attributes:
        match_id: Id of the match, which is also that of its table.
        preset: Rules.
        options: Every option and its value.
        seats: Names of the players, per seat.
        clock: Name of the clock profile.
        stand_in: Name of the stand-in.
        strikes: Faults in a match after which a seat forfeits the rest; 0 for never.
        commitment: Hex of SHA-256 over table id and secret.
        deal: `table` where the secret is this table's own, `set` where other tables play it too.
        rules_version: Version of the rules.
        wall: Wall-clock start, `_wall` in the entry; no part of the rules.
        referee: Version of the referee, `_referee` in the entry.
    """

    match_id: str
    preset: str
    options: Mapping[str, OptionValue]
    seats: tuple[str, ...]
    clock: str
    stand_in: str
    strikes: int
    commitment: str
    deal: str
    rules_version: int
    wall: str
    referee: str


@dataclass(frozen=True, slots=True)
class Played:
    """An accepted play.

    Attributes:
        seat: Who.
        play: What.
        used_us: Time charged.
        attempt: The client's number of the try.
    """

    seat: int
    play: Play
    used_us: int
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused play; changes nothing but is remembered.

    Attributes:
        seat: Who.
        play: What; None where it could not even be read.
        reason: Why.
        attempt: The client's number of the try.
    """

    seat: int
    play: Play | None
    reason: Reason
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class StoodIn:
    """The stand-in finished a turn.

    Attributes:
        seat: For whom.
        plays: One or two plays.
        cause: Why.
        used_us: Time charged to the seat.
    """

    seat: int
    plays: tuple[Play, ...]
    cause: Cause
    used_us: int


@dataclass(frozen=True, slots=True)
class Presence:
    """A player left a seat or came back.

    Attributes:
        seat: Which.
        present: Whether the player is there now.
    """

    seat: int
    present: bool


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat forfeits the round in play; the stand-in plays on for it.

    Attributes:
        seat: Which.
        cause: Why.
    """

    seat: int
    cause: Cause


class Forfeited(NamedTuple):
    """A forfeit as the result lists it.

    Attributes:
        round: Round forfeited, from 0; with `STRIKES` and `NEVER_CAME` all later ones too.
        seat: Who.
        cause: Why.
    """

    round: int
    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Result:
    """The match has ended.

    Attributes:
        points: Points of each round, per seat, before forfeits are counted.
        totals: Per seat.
        winners: Seats that win.
        forfeits: Every forfeit, in order.
        faults: Seat and cause of every time-out and every illegal answer, in order.
    """

    points: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    forfeits: tuple[Forfeited, ...]
    faults: tuple[tuple[int, Cause], ...]


@dataclass(frozen=True, slots=True)
class Reveal:
    """The secret of the deal, shown when nothing depends on it any more.

    Attributes:
        secret: Hex of the 32 bytes that the commitment is of.
        table: Number of this table in its set, from 0; -1 without a set.
        relabelled: Whether suits were relabelled for this table.
    """

    secret: str
    table: int = -1
    relabelled: bool = False


Entry = Header | Played | Refusal | StoodIn | Presence | Forfeit | Result | Reveal


def to_json(entry: Entry) -> dict[str, Json]:
    """Return the JSON form of *entry*."""
    match entry:
        case Played(seat, play, used_us, attempt):
            return {"kind": "play", "seat": seat, "play": show_play(play), "used_us": used_us, "attempt": attempt}
        case Refusal(seat, refused, reason, attempt):
            text = show_play(refused) if refused else ""
            return {"kind": "refusal", "seat": seat, "play": text, "reason": reason.name, "attempt": attempt}
        case StoodIn(seat, plays, cause, used_us):
            texts: list[Json] = [show_play(play) for play in plays]
            return {"kind": "stand_in", "seat": seat, "plays": texts, "cause": cause.value, "used_us": used_us}
        case Presence(seat, present):
            return {"kind": "presence", "seat": seat, "present": present}
        case Forfeit(seat, cause):
            return {"kind": "forfeit", "seat": seat, "cause": cause.value}
        case Result(points, totals, winners, forfeits, faults):
            return {
                "kind": "result",
                "points": [list(played) for played in points],
                "totals": list(totals),
                "winners": list(winners),
                "forfeits": [[lost.round, lost.seat, lost.cause.value] for lost in forfeits],
                "faults": [[seat, cause.value] for seat, cause in faults],
            }
        case Reveal(secret, table, relabelled):
            return {"kind": "reveal", "secret": secret, "table": table, "relabelled": relabelled}
        case Header():
            return _header_to_json(entry)


def _header_to_json(header: Header) -> dict[str, Json]:
    return {
        "kind": "header",
        "format": FORMAT,
        "match": header.match_id,
        "preset": header.preset,
        "options": dict(header.options),
        "seats": list(header.seats),
        "clock": header.clock,
        "stand_in": header.stand_in,
        "strikes": header.strikes,
        "commitment": header.commitment,
        "deal": header.deal,
        "rules_version": header.rules_version,
        "_wall": header.wall,
        "_referee": header.referee,
    }


def _member(kind: type[Cause], value: object) -> Cause:
    try:
        return kind(value)
    except ValueError as unknown:
        raise EntryError(f"unknown cause {value}") from unknown


def _play(text: str) -> Play:
    try:
        return parse_play(text)
    except RuleViolation as broken:
        raise EntryError(f"play {text!r} cannot be read") from broken


def _read_header(fields: Fields) -> Header:
    if fields.number("format") != FORMAT:
        raise EntryError(f"format {fields.number('format')} is not read by this version; it reads {FORMAT}")
    values: dict[str, OptionValue] = {}
    for name, value in fields.object("options").items():
        if not isinstance(value, int | str | bool):
            raise EntryError(f"option {name} has no plain value")
        values[name] = value
    return Header(
        match_id=fields.text("match"),
        preset=fields.text("preset"),
        options=values,
        seats=fields.texts("seats"),
        clock=fields.text("clock"),
        stand_in=fields.text("stand_in"),
        strikes=fields.number("strikes"),
        commitment=fields.text("commitment"),
        deal=fields.text("deal"),
        rules_version=fields.number("rules_version"),
        wall=fields.text("_wall"),
        referee=fields.text("_referee"),
    )


def _read_refusal(fields: Fields) -> Refusal:
    text, name = fields.text("play"), fields.text("reason")
    if name not in Reason.__members__:
        raise EntryError(f"unknown reason {name}")
    return Refusal(fields.number("seat"), _play(text) if text else None, Reason[name], fields.number("attempt"))


def _read_result(fields: Fields) -> Result:
    forfeits = []
    for item in fields.items("forfeits"):
        match item:
            case [int(round_index), int(seat), str(cause)]:
                forfeits.append(Forfeited(round_index, seat, _member(Cause, cause)))
            case _:
                raise EntryError("forfeits is not a list of round, seat and cause")
    rounds = tuple(numbers_in("points", item) for item in fields.items("points"))
    return Result(rounds, fields.numbers("totals"), fields.numbers("winners"), tuple(forfeits), _read_faults(fields))


def _read_faults(fields: Fields) -> tuple[tuple[int, Cause], ...]:
    faults = []
    for item in fields.items("faults"):
        match item:
            case [int(seat), str(cause)]:
                faults.append((seat, _member(Cause, cause)))
            case _:
                raise EntryError("faults is not a list of seat and cause")
    return tuple(faults)


_READERS: Final[dict[str, Callable[[Fields], Entry]]] = {
    "header": _read_header,
    "play": lambda of: Played(
        of.number("seat"), _play(of.text("play")), of.number("used_us"), of.number("attempt")
    ),
    "refusal": _read_refusal,
    "stand_in": lambda of: StoodIn(
        of.number("seat"), tuple(map(_play, of.texts("plays"))), _member(Cause, of.text("cause")), of.number("used_us")
    ),
    "presence": lambda of: Presence(of.number("seat"), of.flag("present")),
    "forfeit": lambda of: Forfeit(of.number("seat"), _member(Cause, of.text("cause"))),
    "result": _read_result,
    "reveal": lambda of: Reveal(of.text("secret"), of.number("table"), of.flag("relabelled")),
}  # fmt: skip


def from_json(value: Json) -> Entry:
    """Return the entry that *value* is the JSON form of.

    Raises:
        EntryError: It is none, or has a key that this version does not know.
    """
    if not isinstance(value, dict):
        raise EntryError("an entry is a JSON object")
    kind = value.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise EntryError(f"unknown kind of entry {kind}")
    fields = Fields(value)
    entry = reader(fields)
    unknown = set(value) - fields.used
    if unknown:
        raise EntryError(f"unknown key {min(unknown)}")
    return entry
