"""A ladder made from a few words: bots by name or command, written down as a ladder file."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from engine.rules.registry import presets
from referee.ladder.manifest import ManifestError

_INTERPRETERS: Final = re.compile(r"(python[0-9.]*|node|deno|bun|ruby|perl|java|dotnet|sh|bash|env|go|run)")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 28


@dataclass(frozen=True, slots=True)
class Match:
    """What is to be played.

    Attributes:
        preset: Rules.
        commands: A bot each, as a shell would read it; one word without a slash that is no program is a bot of ours.
        sets: Sets at most.
        players: Seats at a table; None for one a bot, as far as there are seats.
        rounds: Rounds at each table.
        clock: Clock profile.
        seed: 64 hex digits for a repeatable match; None to have it drawn.
        margin: Of two bots: points a round that do not matter; the match ends when it is decided.
    """

    preset: str
    commands: tuple[str, ...]
    sets: int
    players: int | None
    rounds: int
    clock: str
    seed: str | None
    margin: float | None


def ladder_file(match: Match, ours: Sequence[str], folder: Path, name: str) -> str:
    """Return *match* as the text of a ladder file called *name*.

    Args:
        match: What is to be played.
        ours: Names that stand for `rummyref bot run NAME`.
        folder: Where commands run.
        name: Name of the ladder.

    Raises:
        ManifestError: There is no such preset, or a command cannot be read.
    """
    if match.preset not in presets():
        raise ManifestError(f"unknown preset {match.preset}; there are {', '.join(presets())}")
    if match.margin is not None and not isfinite(match.margin):
        raise ManifestError("the margin must be a number of points, 0 or more")
    most = presets()[match.preset][1].seats[1]
    ladder = {
        "name": name,
        "preset": match.preset,
        "players": match.players or min(len(match.commands), most),
        "sets": match.sets,
        "clock": match.clock,
        "format": "round_robin" if match.margin is None else "ab",
        "folder": str(folder),
        **({"margin": match.margin} if match.margin is not None else {}),
        **({"seed": match.seed} if match.seed else {}),
    }
    words = [_words(command, ours) for command in match.commands]
    lines = ["[ladder]", *(f"{key} = {_toml(value)}" for key, value in ladder.items())]
    lines += ["[ladder.options]", f"rounds = {match.rounds}"]
    for entrant, command in zip(_names(words), words, strict=True):
        lines += ["[[entrant]]", f"name = {_toml(entrant)}", f"command = [{', '.join(map(_toml, command))}]"]
    return "\n".join([*lines, ""])


def _words(command: str, ours: Sequence[str]) -> list[str]:
    if command in ours:
        return ["rummyref", "bot", "run", command]
    try:
        words = shlex.split(command)
    except ValueError as broken:
        raise ManifestError(f"command {command!r} cannot be read: {broken}") from broken
    if not words:
        raise ManifestError("a command is empty; give a bot's command in quotes")
    return words


def _names(commands: list[list[str]]) -> list[str]:
    """Return a name for each command: its program or script, numbered where several have the same."""
    stems = [_stem(command) for command in commands]
    return [
        stem if stems.count(stem) == 1 else f"{stem}-{stems[:place].count(stem) + 1}"
        for place, stem in enumerate(stems)
    ]


def _stem(command: list[str]) -> str:
    if command[:3] == ["rummyref", "bot", "run"] and len(command) > 3:
        return command[3]
    telling = (
        word for word in command if not word.startswith("-") and not _INTERPRETERS.fullmatch(Path(word).name)
    )  # fmt: skip
    return _NOT_IN_NAMES.sub("-", Path(next(telling, command[0])).stem).strip("-._")[:_LONGEST] or "bot"


def _toml(value: object) -> str:
    """Return *value* as TOML has it: its basic strings are JSON's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
