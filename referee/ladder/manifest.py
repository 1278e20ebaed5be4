"""The ladder file: who plays what, read strictly."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator

from engine.clock import PROFILES
from engine.rules.options import OptionError
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from referee.identity import is_name
from referee.ladder.policy import Policy, Strict


class ManifestError(ValueError):
    """A ladder file that cannot be run; the message names the file and what is wrong."""


class EntrantSpec(Strict):
    """One bot.

    Attributes:
        name: Unique in the ladder.
        command: Program and arguments; relative paths are relative to the ladder file.
        env: Added to the bot's environment.
        capacity: Tables it plays at once.
    """

    name: str
    command: list[str] = Field(min_length=1)
    env: dict[str, str] = Field(default_factory=dict)
    capacity: int = Field(default=8, ge=1, le=1000)

    @field_validator("name")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if not is_name(value):
            raise ValueError("a name has 1 to 32 letters, digits, blanks, '.', '_' or '-'")
        return value


class LadderSpec(Strict):
    """What is played.

    Attributes:
        sets: Sets to play in all.
        design: How the tables of a set are made; `rotation` turns the seats.
        seed: 64 hex digits for repeatable runs; else drawn.
        policy: What misconduct costs.
    """

    name: str
    preset: str
    players: int = Field(ge=2, le=8)
    sets: int = Field(ge=1, le=1_000_000)
    clock: str = "standard"
    design: Literal["rotation"] = "rotation"
    relabel_suits: bool = True
    draw_streams: bool = True
    parallel_tables: int = Field(default=8, ge=1, le=1000)
    seed: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    options: dict[str, int | bool | str] = Field(default_factory=dict)
    policy: Policy = Field(default_factory=Policy)


class Manifest(Strict):
    """A ladder file."""

    ladder: LadderSpec
    entrant: list[EntrantSpec]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entrants, in the order of the file."""
        return tuple(entrant.name for entrant in self.entrant)

    def rules(self) -> RuleSet:
        """Return the rules of its tables: one round unless the file says more.

        Raises:
            OptionError: An option is wrong.
        """
        spec = self.ladder
        fixed = {"players": spec.players, "draw_streams": spec.draw_streams}
        length = {} if {"rounds", "target"} & set(spec.options) else {"rounds": 1}
        return rule_set(spec.preset, {**length, **spec.options, **fixed})


def read_manifest(path: Path) -> Manifest:
    """Read and check a ladder file.

    Raises:
        ManifestError: It cannot be read, or something in it is wrong.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ManifestError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as unreadable:
        raise ManifestError(f"{path}: cannot be read: {unreadable}") from unreadable
    except tomllib.TOMLDecodeError as broken:
        raise ManifestError(f"{path}: not TOML: {broken}") from broken
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ManifestError(f"{path}: {place}: {first['msg']}") from wrong
    _check(path, manifest)
    return manifest


def _check(path: Path, manifest: Manifest) -> None:
    spec = manifest.ladder
    repeated = next((name for name in manifest.names if manifest.names.count(name) > 1), None)
    if repeated is not None:
        raise ManifestError(f"{path}: entrant {repeated} is listed twice; names are unique")
    if not is_name(spec.name):
        raise ManifestError(f"{path}: ladder.name {spec.name!r} is no name")
    if spec.clock not in PROFILES:
        raise ManifestError(f"{path}: unknown clock {spec.clock}; there are {', '.join(PROFILES)}")
    if len(manifest.entrant) < spec.players:
        raise ManifestError(f"{path}: {spec.players} players need as many entrants, {len(manifest.entrant)} are listed")
    try:
        manifest.rules()
    except OptionError as wrong:
        raise ManifestError(f"{path}: {wrong}") from wrong
