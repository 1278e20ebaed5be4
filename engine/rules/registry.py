"""The families and presets there are: the only module that imports families."""

from dataclasses import replace
from typing import Final

from engine.rules import closed_rummy, remi, remik
from engine.rules.options import OptionError, Options, OptionValue, resolve
from engine.rules.ruleset import RULES_VERSION, Family, Preset, RuleSet

FAMILIES: Final[tuple[Family, ...]] = (closed_rummy.FAMILY, remi.FAMILY, remik.FAMILY)


def presets(families: tuple[Family, ...] = FAMILIES) -> dict[str, tuple[Family, Preset]]:
    """Return every preset by name, in order of declaration."""
    return {preset.name: (family, preset) for family in families for preset in family.presets}


def rule_set(
    preset: str,
    options: Options | None = None,
    families: tuple[Family, ...] = FAMILIES,
    version: int = RULES_VERSION,
) -> RuleSet:
    """Return the rules of *preset* with *options* set over its defaults.

    Values may be given as text; all others keep the preset's value.

    Args:
        preset: Its name.
        options: Values by name of the option.
        families: Those that there are.
        version: Of the rules, from 1 to `RULES_VERSION`.

    Raises:
        OptionError: Unknown preset or option, a value out of range, or options
            that contradict each other.
    """
    known = presets(families)
    if preset not in known:
        raise OptionError(f"unknown preset {preset}; there are {', '.join(known)}")
    family, chosen = known[preset]
    declared = tuple(
        type(option)(option.name, option.default, option.about, low=chosen.seats[0], high=chosen.seats[1])
        if option.name == "players" else option
        for option in family.options
    )  # fmt: skip
    low, high = chosen.seats
    seats: dict[str, OptionValue] = {"players": min(max(int(_default(family, "players")), low), high)}
    values = resolve(declared, {**seats, **chosen.values}, options or {})
    return replace(family.build(chosen.name, declared, values), version=version)


def _default(family: Family, name: str) -> OptionValue:
    return next(option.default for option in family.options if option.name == name)
