"""The JSON form of entries, both ways."""

from collections.abc import Callable
from typing import Final

from engine.moves import Play
from engine.notation import parse_play, show_play
from engine.reasons import Reason, RuleViolation
from engine.record.canonical import Json
from engine.record.entries import (
    FORMAT,
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Forfeited,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    SetProof,
    StoodIn,
    Void,
)  # fmt: skip
from engine.record.fields import EntryError, Fields, numbers_in
from engine.rules.options import OptionValue


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
        case Hashes(hashes):
            return {"kind": "hashes", "hashes": list(hashes)}
        case Dealt(nonces):
            return {"kind": "deal", "nonces": list(nonces)}
        case Void(cause, culprit):
            return {"kind": "void", "cause": cause.value, "culprit": -1 if culprit is None else culprit}
        case Reveal(secret, table, relabelled, proof):
            shown: dict[str, Json] = {"kind": "reveal", "secret": secret, "table": table, "relabelled": relabelled}
            return shown if proof is None else {**shown, "proof": proof_to_json(proof)}
        case Header():
            return _header_to_json(entry)


def proof_to_json(proof: SetProof) -> dict[str, Json]:
    """Return the JSON form of a set's proof."""
    return {
        "secret": proof.secret,
        "number": proof.number,
        "nonces": list(proof.nonces),
        "leaf": proof.leaf,
        "size": proof.size,
        "path": list(proof.path),
        "root": proof.root,
    }


def proof_from_json(value: Json) -> SetProof:
    """Return the proof that *value* is the JSON form of.

    Raises:
        EntryError: It is none.
    """
    if not isinstance(value, dict):
        raise EntryError("proof is not an object")
    fields = Fields(value, set())
    proof = SetProof(
        fields.text("secret"),
        fields.number("number"),
        fields.texts("nonces"),
        fields.number("leaf"),
        fields.number("size"),
        fields.texts("path"),
        fields.text("root"),
    )
    fields.need_no_more()
    return proof


def _header_to_json(header: Header) -> dict[str, Json]:
    return {
        "kind": "header",
        "format": header.format,
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
    version = fields.number("format")
    if not 1 <= version <= FORMAT:
        raise EntryError(f"format {version} is not read by this version; it reads 1 to {FORMAT}")
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
        format=version,
    )


def _read_refusal(fields: Fields) -> Refusal:
    text, name = fields.text("play"), fields.text("reason")
    if name not in Reason.__members__:
        raise EntryError(f"unknown reason {name}")
    return Refusal(fields.number("seat"), _play(text) if text else None, Reason[name], fields.number("attempt"))


def _read_void(fields: Fields) -> Void:
    culprit = fields.number("culprit")
    return Void(_member(Cause, fields.text("cause")), None if culprit == -1 else culprit)


def _read_reveal(fields: Fields) -> Reveal:
    proof = proof_from_json(fields.object("proof")) if "proof" in fields.data else None
    return Reveal(fields.text("secret"), fields.number("table"), fields.flag("relabelled"), proof)


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
    "hashes": lambda of: Hashes(of.texts("hashes")),
    "deal": lambda of: Dealt(of.texts("nonces")),
    "void": _read_void,
    "reveal": _read_reveal,
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
    fields.need_no_more()
    return entry
