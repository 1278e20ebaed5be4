"""A family that the engine has never seen is played from its one module."""

import ast
from pathlib import Path

import pytest

import engine
from engine.cards import bag, size
from engine.match import apply, start
from engine.notation import parse_cards, parse_play
from engine.offers import offered
from engine.rules.describe import describe
from engine.rules.options import OptionError
from engine.rules.registry import FAMILIES, presets, rule_set
from engine.scenario.printer import print_position
from engine.scenario.reader import read_file
from engine.scenario.runner import run
from engine.shuffle import SeededDealing
from engine.stand_in import STAND_INS
from engine.verify import can
from engine.views import seat_view
from tests.engine.fifth_family.fifth_wheel import FAMILY

WITH_FIFTH = (*FAMILIES, FAMILY)
DEALING = SeededDealing(bytes(range(32)))

POSITION = """rules fifth-wheel players=2 prize=20 rounds=1
hand 0: 4H 5H KS
hand 1: 2S 5C 6C
meld 1: 7C 8C 9C
discards: 6H
"""


def test_presets_and_options() -> None:
    """Its presets and options are known beside the others, and bad ones are refused."""
    assert set(presets(WITH_FIFTH)) - set(presets()) == {"fifth-wheel", "fifth-wheel-sudden"}
    assert rule_set("fifth-wheel", {"prize": "7"}, WITH_FIFTH).options["prize"] == 7
    assert rule_set("fifth-wheel-sudden", {}, WITH_FIFTH).players == 2
    with pytest.raises(OptionError, match="prize"):
        rule_set("fifth-wheel", {"prize": 51}, WITH_FIFTH)
    with pytest.raises(OptionError, match="unknown preset fifth-wheel"):
        rule_set("fifth-wheel")


@pytest.mark.parametrize("preset", ["fifth-wheel", "fifth-wheel-sudden"])
@pytest.mark.parametrize("name", sorted(STAND_INS))
def test_whole_matches(preset: str, name: str) -> None:
    """Stand-ins play whole matches of it, every offered play is accepted and no card is lost."""
    match, _ = start(rule_set(preset, {"draw_streams": True}, WITH_FIFTH), DEALING)
    while match.over is None:
        seat = match.public.turn
        position = seat_view(match, seat).position
        assert all(can(position, play) for play in offered(position))
        match, _ = apply(match, seat, STAND_INS[name](position))
        public = match.public
        melds = sum(len(laid.meld.cards) for laid in public.melds)
        assert sum(public.hand_sizes) + sum(map(len, public.piles)) + melds + public.stock_size == 52
        assert public.hand_sizes == tuple(map(size, match.round.hands))
    assert match.over.winners


def test_a_scenario_of_it() -> None:
    """Scenarios are written for it as for any family."""
    text = (
        POSITION
        + """turn 0
expect offers 0: take 1; lay 4H 5H 6H; discard KS
play 0: take 1; lay-off m1 high TC; discard KS
expect refused CARD_NOT_HELD
play 0: take 1; lay 4H 5H 6H; discard KS
expect score 0: +20
expect score 1: -3
expect winner 0
"""
    )
    (scenario,) = read_file(text, "fifth", WITH_FIFTH)
    assert run(scenario).failures == ()


def test_its_position_reads_back() -> None:
    """A position of it is printed and read like any other."""
    match, _ = start(rule_set("fifth-wheel", {"players": 4}, WITH_FIFTH), DEALING)
    (scenario,) = read_file(print_position(match, WITH_FIFTH), "printed", WITH_FIFTH)
    assert scenario.start.round.hands == match.round.hands
    assert scenario.start.public == match.public


def test_its_rules_in_words_and_hands() -> None:
    """Its rules are told, and its hands arranged, from the same value."""
    rules = rule_set("fifth-wheel", {}, WITH_FIFTH)
    lines = [line for section in describe(rules) for line in section.lines]
    assert "Each card in hand costs 1. Going out brings 10." in lines
    found = rules.arranger.arrange(bag(parse_cards("AS 2S 3S KD KH")))
    assert [meld.cards for meld in found.melds] == [parse_cards("AS 2S 3S")]
    assert found.left_points == 2
    assert rules.arranger.ways_out(bag(parse_cards("QS KS AS 4D 4H 4C"))) == []


def test_melds_grow_for_everybody() -> None:
    """Nobody has to open: any seat lays off from the start."""
    position = read_file(POSITION + "turn 1 drawn", "fifth", WITH_FIFTH)[0].start.round.position(1)
    assert can(position, parse_play("lay-off m1 low 6C; discard 2S"))
    assert can(position, parse_play("lay-off m1 low 5C 6C; discard 2S"))
    assert not can(position, parse_play("lay-off m1 low 5C; discard 2S"))


def test_no_family_is_named_outside_its_module() -> None:
    """Shared code of the engine compares nothing with the name of a family or preset."""
    root = Path(engine.__file__).parent
    modules = {family.name.replace("-", "_") for family in FAMILIES}
    names = {family.name for family in FAMILIES} | set(presets())
    found = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sorted(root.rglob("*.py"))
        if path.stem not in modules
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert found == []
