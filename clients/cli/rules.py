"""`rummyref rules`: what is played here."""

import json
import sys
from typing import Annotated

import typer

from clients.cli.options import AsJson, Settings, rules_or_stop
from engine.rules.describe import describe
from engine.rules.options import Option
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet

app = typer.Typer(no_args_is_help=True, help="List and explain the rules.")


@app.command("list")
def list_rules(as_json: AsJson = False) -> None:  # noqa: FBT002
    """List every preset."""
    known = presets()
    if as_json:
        data = [
            {"preset": name, "family": family.name, "title": family.title, "about": preset.about}
            for name, (family, preset) in known.items()
        ]
        sys.stdout.write(json.dumps(data) + "\n")
        return
    width = max(map(len, known))
    for name, (family, preset) in known.items():
        sys.stdout.write(f"{name:{width}}  {family.title}: {preset.about}\n")


@app.command("show")
def show_rules(
    preset: Annotated[str, typer.Argument(help="Rules, such as remi.")],
    settings: Settings = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Explain a preset with its options."""
    rules = rules_or_stop(preset, settings)
    sys.stdout.write(json.dumps(_as_json(rules)) + "\n" if as_json else _as_text(rules))


def _as_json(rules: RuleSet) -> dict[str, object]:
    return {
        "preset": rules.preset,
        "family": rules.family,
        "options": dict(rules.options),
        "sections": {section.title: list(section.lines) for section in describe(rules)},
    }


def _as_text(rules: RuleSet) -> str:
    family, preset = presets()[rules.preset]
    usual = rule_set(rules.preset).options
    other = [
        f"{option.name}={_shown(rules, option)}"
        for option in rules.declared
        if usual[option.name] != rules.options[option.name]
    ]
    lines = [f"{rules.preset}: {family.title}, {preset.about}"]
    lines += [f"but here {', '.join(other)}", ""] if other else [""]
    for section in describe(rules):
        lines += [section.title, *(f"  {line}" for line in section.lines), ""]
    lines.append("Options")
    for option in rules.declared:
        lines.append(f"  {option.name} = {_shown(rules, option)}  ({option.allowed}): {option.about}")
    return "\n".join(lines) + "\n"


def _shown(rules: RuleSet, option: Option) -> str:
    value = rules.options[option.name]
    return str(value).lower() if isinstance(value, bool) else str(value)
