"""Rule sets and options."""

from collections.abc import Iterable

from engine.rules.describe import describe
from engine.rules.options import Options, OptionValue
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from rummyref.v1 import rules_pb2 as pb


def settings_to_messages(options: Options) -> list[pb.OptionSetting]:
    """Return *options* as settings, values as text."""
    return [pb.OptionSetting(name=name, value=option_text(value)) for name, value in options.items()]


def settings_from_messages(settings: Iterable[pb.OptionSetting]) -> dict[str, OptionValue]:
    """Return *settings* as options whose values are still text."""
    return {setting.name: setting.value for setting in settings}


def option_text(value: OptionValue) -> str:
    """Return *value* as it is written in settings."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rule_set_to_message(rules: RuleSet) -> pb.RuleSetDescription:
    """Return the description of *rules*."""
    family, preset = presets()[rules.preset]
    return pb.RuleSetDescription(
        preset=rules.preset,
        family=rules.family,
        title=family.title,
        about=preset.about,
        options=[
            pb.OptionDescription(
                name=option.name,
                about=option.about,
                allowed=option.allowed,
                value=option_text(rules.options[option.name]),
            )
            for option in rules.declared
        ],
        settings=settings_to_messages(rules.options),
        sections=[pb.RuleSection(title=section.title, lines=section.lines) for section in describe(rules)],
    )


def rule_set_from_message(message: pb.RuleSetDescription) -> RuleSet:
    """Return the rules that *message* describes.

    Raises:
        OptionError: This version does not know them.
    """
    return rule_set(message.preset, settings_from_messages(message.settings))
