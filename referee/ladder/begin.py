"""A ladder in the database: put there once, found again by those who continue it."""

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import insert

from engine.record.ladder import LadderBegun
from referee import VERSION
from referee.hall import Hall
from referee.identity import new_secret
from referee.ladder.manifest import Manifest
from referee.store.models import Ladder, LadderEntrant
from referee.store.writer import Write

_ADD_LADDER: Final = insert(Ladder)
_ADD_ENTRANT: Final = insert(LadderEntrant)


class LadderError(Exception):
    """A ladder cannot be run or shown; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A ladder that is in the database.

    Attributes:
        secret: From which its sets are derived.
        lag: Sets that may be under way at once where later ones depend on their results; as it was begun.
        players: Player id by entrant.
        tokens: Fresh token by entrant.
        record: The first entry of the ladder's record.
    """

    secret: bytes
    lag: int
    players: dict[str, str]
    tokens: dict[str, str]
    record: LadderBegun


def resume_command(file: Path, data: Path, *flags: str) -> str:
    """Return the command that continues the ladder *file* with *flags*, as a shell takes it."""
    return shlex.join(["rummyref", "ladder", "run", str(file), "--data", str(data), "--resume", *flags])


async def begin(hall: Hall, manifest: Manifest, file: Path, data: Path, *, resume: bool) -> Begun:
    """Find the ladder in the database, or put it there.

    Raises:
        LadderError: It is there and is not to be resumed, or is another one by now.
    """
    spec, stored = manifest.ladder, hall.store.ladder(manifest.ladder.name)
    text = _stored_form(manifest)
    if stored is None:
        return await _begin_anew(hall, manifest, text)
    if not resume:
        done = len(hall.store.fixtures(spec.name))
        raise LadderError(
            f"ladder {spec.name} is in {data} already ({done} tables opened); continue with: "
            f"{resume_command(file, data)}, or choose another --data"
        )
    changed = _changed(stored.manifest, text)
    if changed:
        has = "have" if "," in changed else "has"
        raise LadderError(
            f"{file}: {changed} {has} changed since ladder {spec.name} began; undo that, or begin it in another --data"
        )
    players = hall.store.entrants(spec.name)
    tokens = {entrant: await hall.players.renew_token(player_id) for entrant, player_id in players.items()}
    return Begun(stored.secret, json.loads(stored.manifest)["lag"], players, tokens, _record_of(stored))


async def begin_season(hall: Hall, manifest: Manifest, players: dict[str, str], more: list[Write]) -> None:
    """Put a season with entrants that are *players* already into the database, in one transaction with *more*."""
    await hall.append([*_writes(_row(manifest, _stored_form(manifest), new_secret()), players), *more])


def resume_season(hall: Hall, name: str) -> Begun:
    """Find a season in the database; nobody's token changes.

    Raises:
        LadderError: It is not there.
    """
    stored = hall.store.ladder(name)
    if stored is None:
        raise LadderError(f"season {name} is not in the database")
    lag = json.loads(stored.manifest)["lag"]
    return Begun(stored.secret, lag, hall.store.entrants(name), {}, _record_of(stored))


def _row(manifest: Manifest, text: str, secret: bytes) -> Ladder:
    return Ladder(name=manifest.ladder.name, manifest=text, secret=secret, created_us=time.time_ns() // 1000)


def _writes(row: Ladder, players: dict[str, str]) -> list[Write]:
    entrants = [{"ladder": row.name, "entrant": entrant, "player_id": player} for entrant, player in players.items()]
    return [Write(_ADD_LADDER, [row.model_dump()]), Write(_ADD_ENTRANT, entrants)]


async def _begin_anew(hall: Hall, manifest: Manifest, text: str) -> Begun:
    spec = manifest.ladder
    secret = bytes.fromhex(spec.seed) if spec.seed else new_secret()
    players, tokens = {}, {}
    for name in manifest.names:
        player, token = await hall.players.register(name)
        players[name], tokens[name] = player.id, token
    row = _row(manifest, text, secret)
    await hall.append(_writes(row, players))
    return Begun(secret, manifest.sets_at_once, players, tokens, _record_of(row))


def _record_of(ladder: Ladder) -> LadderBegun:
    """Return the first entry of a ladder's record; the seed of a repeatable one is no part of it."""
    terms = {name: value for name, value in json.loads(ladder.manifest).items() if name != "seed"}
    wall = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ladder.created_us / 1e6))
    return LadderBegun(ladder.name, _plain(terms), wall, VERSION)


def _plain(value: Any) -> Any:
    """Return *value* with fractions as text: canonical JSON has none."""
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case float():
            return str(value)
        case _:
            return value


def _stored_form(manifest: Manifest) -> str:
    """Return what must not change while a ladder is under way; `lag` stays as it was begun."""
    rules, spec, shape = manifest.rules(), manifest.ladder, manifest.shape
    return json.dumps(
        {
            "preset": rules.preset,
            "options": dict(rules.options),
            "entrants": list(manifest.names),
            "owners": manifest.owners,
            "sets": spec.sets,
            "clock": spec.clock,
            "format": spec.format,
            "margin": spec.margin,
            "design": spec.design,
            "tables": shape.tables,
            "isolate": spec.isolate,
            "relabel_suits": spec.relabel_suits,
            "seed": spec.seed,
            "policy": spec.policy.model_dump(),
            "lag": manifest.sets_at_once,
        },
        sort_keys=True,
    )


def _changed(stored: str, now: str) -> str:
    """Return the keys in which two stored forms differ, for people."""
    before, after = json.loads(stored), json.loads(now)
    return ", ".join(key for key in after if key != "lag" and before.get(key) != after[key])
