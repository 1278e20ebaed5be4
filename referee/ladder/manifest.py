"""The ladder file: who plays what, read strictly."""

import tomllib
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError, field_validator

from engine.clock import PROFILES
from engine.rules.options import OptionError
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from referee.identity import NAME_RULE, is_name
from referee.ladder.fixtures import Design, Shape, rotation
from referee.ladder.pairing import Draw
from referee.ladder.plan import Outline
from referee.ladder.policy import Limits, Policy, Strict

Format = Literal["continuous", "round_robin", "gauntlet", "ab"]
"""Who meets whom.

`continuous`: everybody, for as long as it runs, most those whose ranks are uncertain.
`round_robin`: everybody, every two equally often.
`gauntlet`: the first entrant meets all others.
`ab`: the first two entrants meet until it is clear which is better; others fill the seats.
"""

_ALWAYS: Final[dict[Format, int]] = {"continuous": 0, "round_robin": 0, "gauntlet": 1, "ab": 2}
"""How many entrants, from the first, are in every set."""


_NAME: Final = f"a name has {NAME_RULE}"


class ManifestError(ValueError):
    """A ladder file that cannot be run; the message names the file and what is wrong."""


class EntrantSpec(Strict):
    """One bot.

    Attributes:
        name: Unique in the ladder.
        command: Program and arguments; relative paths are relative to the ladder file. None for a bot that attends
            by itself.
        env: Added to the bot's environment.
        capacity: Tables it plays at once.
        owner: Whose it is; two entrants of one owner are never in one set. Its own name unless said.
        limits: What it may use of the machine, where that differs from the ladder's.
    """

    name: str
    command: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    capacity: int = Field(default=8, ge=1, le=1000)
    owner: str = ""
    limits: Limits = Field(default_factory=Limits)

    @field_validator("name", "owner")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if not is_name(value):
            raise ValueError(_NAME)
        return value

    @field_validator("command")
    @classmethod
    def _words(cls, value: list[str]) -> list[str]:
        if any("\0" in word for word in value):
            raise ValueError("no program takes a word with a NUL in it")
        return value

    @field_validator("env")
    @classmethod
    def _variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if not name or "=" in name or "\0" in name + content:
                raise ValueError(f"{name!r} can be no variable: no name, a '=' in it, or a NUL")
        return value


class LadderSpec(Strict):
    """What is played.

    Attributes:
        sets: Sets to play in all.
        format: Who meets whom.
        design: How the tables of a set are made.
        isolate: Whether each table gets bot processes of its own, which remember no other.
        tables: Tables that play one deal in `bridge`; as many as the entrants fill unless said.
        margin: In `ab`, the difference in points a round that does not matter; without it every set is played.
        trial: Whether an entrant must pass a trial before it is ranked.
        power_safe: Whether the record survives a loss of power too; plays then wait for the disk.
        folder: Where commands run, and what their relative paths are relative to; that of the file unless said.
        seed: 64 hex digits for repeatable runs; else drawn.
        policy: What misconduct costs.
        limits: What each bot may use of the machine, unless it has limits of its own.
    """

    name: str
    preset: str
    players: int = Field(ge=2, le=8)
    sets: int = Field(ge=1, le=1_000_000)
    clock: str = "standard"
    format: Format = "continuous"
    design: Design = "rotation"
    isolate: bool = False
    tables: int | None = Field(default=None, ge=2, le=1000)
    margin: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    relabel_suits: bool = True
    draw_streams: bool = True
    parallel_tables: int = Field(default=8, ge=1, le=1000)
    trial: bool = False
    power_safe: bool = False
    folder: str | None = None
    seed: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    options: dict[str, int | bool | str] = Field(default_factory=dict)
    policy: Policy = Field(default_factory=Policy)
    limits: Limits = Field(default_factory=Limits)

    @field_validator("options")
    @classmethod
    def _with_closed_hands(cls, value: dict[str, int | bool | str]) -> dict[str, int | bool | str]:
        if value.get("show_hands"):
            raise ValueError("show_hands is not for ladders: other tables play the same cards; replays have the hands")
        return value


class Manifest(Strict):
    """A ladder file."""

    ladder: LadderSpec
    entrant: list[EntrantSpec]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entrants, in the order of the file."""
        return tuple(entrant.name for entrant in self.entrant)

    @property
    def owners(self) -> dict[str, str]:
        """Owner by entrant, in the order of the file."""
        return {entrant.name: entrant.owner or entrant.name for entrant in self.entrant}

    @property
    def shape(self) -> Shape:
        """What a set consists of."""
        spec = self.ladder
        if spec.design == "rotation":
            return rotation(spec.players)
        return Shape("bridge", spec.players, spec.tables or max(len(set(self.owners.values())) // spec.players, 2))

    def folder_of(self, file: Path) -> Path:
        """Return where the commands of the ladder *file* run."""
        folder = file.resolve().parent
        return folder / self.ladder.folder if self.ladder.folder else folder

    @property
    def always(self) -> tuple[str, ...]:
        """Entrants that are in every set."""
        return self.names[: _ALWAYS[self.ladder.format]]

    @property
    def sets_at_once(self) -> int:
        """Sets that are under way while all tables are busy, and one to come."""
        return self.ladder.parallel_tables // self.shape.tables + 2

    def outline(self, lag: int) -> Outline:
        """Return what is to be played; where later sets depend on results, *lag* sets may be under way."""
        spec, shape = self.ladder, self.shape
        draw = Draw(self.owners, shape.entrants, self.always, spec.format == "continuous")
        versus = (self.names[0], self.names[1]) if spec.format == "ab" else None
        return Outline(draw, shape, spec.sets, lag, versus, spec.margin, spec.policy.bad_share < 1)

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
        raise ManifestError(f"{path}: {_in_words(wrong)}") from wrong
    _check(path, manifest)
    return manifest


def _in_words(wrong: ValidationError) -> str:
    """Return where something does not fit first, and what should stand there."""
    first = wrong.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return f"{place}: there is no such key; docs/ladder.md has them"
        case "missing":
            return f"{place}: this key is needed"
        case "string_pattern_mismatch":
            return f"{place}: write 64 hex digits, 0 to 9 and a to f"
        case _:
            return f"{place}: {first['msg'].removeprefix('Value error, ')}"


def _check(path: Path, manifest: Manifest) -> None:
    spec = manifest.ladder
    repeated = next((name for name in manifest.names if manifest.names.count(name) > 1), None)
    if repeated is not None:
        raise ManifestError(f"{path}: entrant {repeated} is listed twice; names are unique")
    idle = next((place for place, entrant in enumerate(manifest.entrant) if not entrant.command), None)
    if idle is not None:
        raise ManifestError(f"{path}: entrant.{idle}.command: say what starts {manifest.names[idle]}")
    if not is_name(spec.name):
        raise ManifestError(f"{path}: ladder.name: {_NAME}")
    if spec.clock not in PROFILES:
        raise ManifestError(f"{path}: unknown clock {spec.clock}; there are {', '.join(PROFILES)}")
    problem = _settings_problem(spec) or _field_problem(manifest)
    if problem:
        raise ManifestError(f"{path}: {problem}")
    try:
        manifest.rules()
    except OptionError as wrong:
        raise ManifestError(f"{path}: {wrong}") from wrong


def _settings_problem(spec: LadderSpec) -> str:
    """Return which settings do not go together, or nothing."""
    if spec.margin is not None and spec.format != "ab":
        return "ladder.margin is for format ab alone"
    if spec.tables is not None and spec.design != "bridge":
        return "ladder.tables is for design bridge alone; a rotation has as many tables as seats"
    if spec.design == "bridge" and spec.format == "gauntlet":
        return "a gauntlet has no bridge: its first entrant would not meet those at other tables; choose rotation"
    if "\0" in (spec.folder or ""):
        return "ladder.folder: no folder has a NUL in its name"
    for option, value in (("players", spec.players), ("draw_streams", spec.draw_streams)):
        if spec.options.get(option, value) != value:
            return f"ladder.options.{option} and ladder.{option} differ; say it in [ladder] alone"
    return ""


def _field_problem(manifest: Manifest) -> str:
    """Return why the entrants do not fill the sets of the ladder, or nothing."""
    spec, shape, owners = manifest.ladder, manifest.shape, manifest.owners
    if len(owners) < shape.entrants:
        what = f"{spec.players} players" if spec.design == "rotation" else f"{shape.tables} tables of {spec.players}"
        return f"{what} need {shape.entrants} entrants, {len(owners)} are listed"
    fixed = {owners[entrant] for entrant in manifest.always}
    if len(fixed) < len(manifest.always) or len(set(owners.values())) < shape.entrants:
        return f"a set has {shape.entrants} entrants of different owners; list more owners"
    left_out = next((name for name in manifest.names if name not in manifest.always and owners[name] in fixed), None)
    if left_out is not None:
        return f"entrant {left_out} would never play: its owner {owners[left_out]} has an entrant in every set"
    return ""
