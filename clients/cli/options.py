"""Options of a table as arguments: `--option NAME=VALUE`."""

from typing import Annotated

import typer

from clients.cli.exits import stop
from engine.rules.options import OptionError, OptionValue
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet

Settings = Annotated[list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option.")]
Ca = Annotated[
    str | None,
    typer.Option("--ca", metavar="FILE", help="Certificate authorities of the referee, or `system`; else RUMMYREF_CA."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def read_settings(settings: list[str] | None) -> dict[str, OptionValue]:
    """Return *settings* by name, values as text; ends the command where one is not NAME=VALUE."""
    options: dict[str, OptionValue] = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals or not name:
            stop(f"option {setting!r} is not NAME=VALUE")
        options[name] = value
    return options


def rules_or_stop(preset: str, settings: list[str] | None) -> RuleSet:
    """Return the rules meant; ends the command with one line where there are none."""
    try:
        return rule_set(preset, read_settings(settings))
    except OptionError as wrong:
        stop(str(wrong))
