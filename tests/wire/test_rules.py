"""Rule sets, settings and reasons on the wire."""

import re
from pathlib import Path

import pytest

import rummyref.v1
from engine.reasons import Reason
from engine.rules.options import OptionError
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from rummyref.v1 import reasons_pb2
from rummyref.v1 import rules_pb2 as pb
from tests.wire.playing import label, tables
from wire.rules import rule_set_from_message, rule_set_to_message, settings_from_messages, settings_to_messages

OWN_REASONS_FROM = 100


@pytest.mark.parametrize("rules", tables(), ids=label)
def test_a_rule_set_comes_back_through_its_bytes(rules: RuleSet) -> None:
    """A client rebuilds the rules of a table from their description."""
    encoded = rule_set_to_message(rules).SerializeToString()
    rebuilt = rule_set_from_message(pb.RuleSetDescription.FromString(encoded))
    assert rebuilt == rules


@pytest.mark.parametrize("rules", tables(), ids=label)
def test_settings_come_back_as_the_same_options(rules: RuleSet) -> None:
    """Every option and its value survive as text."""
    texts = settings_from_messages(settings_to_messages(rules.options))
    assert all(isinstance(text, str) for text in texts.values())
    assert rule_set(rules.preset, texts).options == rules.options


@pytest.mark.parametrize("preset", presets())
def test_a_description_is_for_people_too(preset: str) -> None:
    """A description has a title, every option with what may be written, and sections with lines."""
    message = rule_set_to_message(rule_set(preset))
    assert message.title
    assert message.about
    assert [option.name for option in message.options] == [setting.name for setting in message.settings]
    assert all(option.about and option.allowed and option.value for option in message.options)
    assert all(section.title and section.lines for section in message.sections)


@pytest.mark.parametrize(
    "settings",
    [
        {"no_such_option": "1"},
        {"players": "many"},
        {"players": "--2"},
        {"players": ""},
        {"rounds": "9" * 5000},
        {"show_hands": "maybe"},
    ],
    ids=str,
)
def test_bad_settings_are_named(settings: dict[str, str]) -> None:
    """A setting that does not exist or cannot be read is an error that names it."""
    name = next(iter(settings))
    message = pb.RuleSetDescription(preset=next(iter(presets())))
    message.settings.add(name=name, value=settings[name])
    with pytest.raises(OptionError, match=name):
        rule_set_from_message(message)


def test_reasons_of_the_engine_are_on_the_wire_in_order() -> None:
    """Every reason of the engine has a value, in order of precedence, below the service's own."""
    names = [name.removeprefix("REASON_") for name, value in reasons_pb2.Reason.items() if 0 < value < OWN_REASONS_FROM]
    assert names == [reason.name for reason in Reason]


def test_comments_of_reasons_are_their_sentences() -> None:
    """The API documents a reason with the sentence that the engine says."""
    text = (Path(next(iter(rummyref.v1.__path__))) / "reasons.proto").read_text("utf-8")
    said = dict(re.findall(r"// (.*)\n  REASON_(\w+) =", text))
    by_name = {name: sentence for sentence, name in said.items()}
    for reason in Reason:
        sentence = reason.value
        assert by_name[reason.name] == f"{sentence[0].upper()}{sentence[1:]}."
