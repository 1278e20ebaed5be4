"""What refusals and errors say: what is wrong, and what would be right."""

import pytest

from engine.ask import Question, ask
from engine.cards import bag
from engine.match import apply
from engine.notation import parse_cards, parse_play
from engine.reasons import RuleViolation
from engine.rules.options import OptionError, OptionValue
from engine.rules.registry import rule_set
from engine.scenario.lines import ScenarioError
from engine.scenario.reader import read_file

RUN, SET, WILD_RUN, WILD_SET = "meld 1: 7H 8H 9H", "meld 1: QS QH QC", "meld 1: JK 5C 6C", "meld 1: 8S 8H JK=8C"

REFUSALS = [
    ("9H 9S JK 7H 6H", (), "lay 9H 9S JK; discard 7H", "name the card that the joker stands for, such as JK=9D"),
    (
        "9H 9S JK 7H 6H",
        (),
        "lay 9H 9S JK=8C; discard 7H",
        "9H 9S JK=8C is no meld: the joker cannot stand for 8C there, only for 9D or 9C",
    ),
    (
        "9H 9S 9D JK 6H",
        (),
        "lay 9H 9S 9D JK=9H; discard 6H",
        "9H 9S 9D JK=9H is no meld: the joker cannot stand for 9H there, only for 9C",
    ),
    (
        "4C JK 6C 7H 6H",
        (),
        "lay 4C JK=7C 6C; discard 7H",
        "4C JK=7C 6C is no meld: in its place the joker JK=7C stands for 5C",
    ),
    ("5H TH 2D 3D", (RUN,), "lay-off m1 low TH; discard 2D", "TH cannot go on m1: at the high end it would fit"),
    ("6H TH 2D 3D", (RUN,), "lay-off m1 high 6H; discard 2D", "6H cannot go on m1: at the low end it would fit"),
    ("5H JH 2D 3D", (RUN,), "lay-off m1 high JH; discard 2D", "JH cannot go on m1: not consecutive low to high"),
    ("JK JH 2D 3D", (RUN,), "lay-off m1 JK; discard 2D", "JK fits both ends of m1: say low or high"),
    ("QH JH 2D 3D", (SET,), "lay-off m1 QH; discard 2D", "QH cannot go on m1: same suit twice in a set"),
    (
        "4C JH 2D 3D",
        (WILD_RUN,),
        "lay-off m1 low 4C; discard 2D",
        "4C cannot go on m1: a joker stands for it there; swap m1 4C takes the joker's place",
    ),
    (
        "8C JH 2D 3D",
        (WILD_SET,),
        "lay-off m1 8C; discard 2D",
        "8C cannot go on m1: a joker stands for it there; swap m1 8C takes the joker's place",
    ),
    ("8D JH 2D 3D", (WILD_SET,), "swap m1 8D; discard 2D", "no joker in m1 stands for 8D; its jokers stand for 8C"),
    ("8H JH 2D 3D", (RUN,), "swap m1 8H; discard 2D", "no joker in m1 stands for 8H; it has no joker"),
    ("8H JH 2D 3D", (), "lay-off m1 8H; discard 2D", "there is no meld m1 on the table; there are none"),
    ("8H JH 2D 3D", (RUN,), "lay-off m2 8H; discard 2D", "there is no meld m2 on the table; there is m1 only"),
    ("8H JH 2D 3D", (RUN, SET), "swap m3 8H; discard 2D", "there is no meld m3 on the table; there are m1 to m2"),
    (
        "8H JH 2D 3D",
        (),
        "draw",
        "draw is not possible in phase PLAY: no more cards come, and a discard ends the turn",
    ),
    (
        "8H JH 2D 3D",
        (),
        "discard 2D; discard 3D",
        "discard 3D is not possible in phase OVER: the discard before it has ended the turn",
    ),
    ("8H JH 2D 3D", (), "discard 1H", "1H is not a card that may stand here; cards are written as 9H, TC or JK"),
    ("8H JH 2D 3D", (), "LAY 2d 3Q", "3Q is not a card that may stand here; cards are written as 9H, TC or JK"),
]


@pytest.mark.parametrize(("hand", "table", "play", "said"), REFUSALS, ids=[said for *_, said in REFUSALS])
def test_a_refusal_says_what_would_be_right(hand: str, table: tuple[str, ...], play: str, said: str) -> None:
    """One sentence; cards are quoted as they were written."""
    lines = ["rules remik players=2", "opened 0", *table, f"hand 0: {hand}", "turn 0 drawn"]
    match = read_file("\n".join(lines), "test")[0].start
    with pytest.raises(RuleViolation) as refused:
        apply(match, 0, parse_play(play))
    assert str(refused.value) == said


OPTIONS: list[tuple[str, dict[str, OptionValue], str]] = [
    (
        "closed-rummy",
        {"packs": 1, "players": 3},
        "option packs is 1, which is for two seats; players is 3, set players=2",
    ),
    ("closed-rummy-duel", {"players": 3}, "option players is 3; allowed: 2"),
    ("remi", {"rounds": 3, "target": 100}, "options rounds and target contradict each other; give one of them"),
    ("remik", {"limit": 9, "rounds": 3}, "options rounds and limit contradict each other; give one of them"),
    ("remi-joker-karo", {"jokers": 0}, "option jokers is 0; remi-joker-karo is played with jokers, allowed: 2, 4"),
    (
        "remi-joker-karo",
        {"players": 8, "packs": 1},
        "option players is 8; 1 pack of cards seats 4, set packs=2",
    ),
    ("remik", {"tie": "maybe"}, "option tie is 'maybe'; allowed: share, extra_round"),
]


@pytest.mark.parametrize(("preset", "options", "said"), OPTIONS, ids=[said for *_, said in OPTIONS])
def test_options_that_cannot_be_are_told_so(preset: str, options: dict[str, OptionValue], said: str) -> None:
    """The option is named, and what would be allowed."""
    with pytest.raises(OptionError) as wrong:
        rule_set(preset, options)
    assert str(wrong.value) == said


@pytest.mark.parametrize(
    ("rules", "line", "said"),
    [
        ("remi", "hand 0: KS KS", "test:2 KS is named too often; the deck has 1"),
        ("remi", "hand 0: JK", "test:2 JK is named too often; the deck has none"),
        ("remik", "hand 0: 2H 2H 2H", "test:2 2H is named too often; the deck has 2"),
        ("remik", "hand 0: JK JK JK JK JK", "test:2 JK is named too often; the deck has 4"),
        ("remi", "stock: KS KS", "test:2 KS is named too often; the deck has 1"),
        ("remik", "meld 0: 9H 9S JK", "test:2 name the card that the joker stands for, such as JK=9D"),
        (
            "remik",
            "meld 0: 4C JK=7C 6C",
            "test:2 4C JK=7C 6C is no meld: in its place the joker JK=7C stands for 5C",
        ),
        ("remi", "row 0: KS", "test:2 these rules have one pile: write discards:"),
        ("remi", "hand 4: KS", "test:2 there is no seat 4; seats are 0 to 3"),
    ],
)
def test_a_scenario_with_a_card_too_many_is_told_so(rules: str, line: str, said: str) -> None:
    """File, line, and what the deck or the rules have."""
    with pytest.raises(ScenarioError) as wrong:
        read_file(f"rules {rules}\n{line}\n", "test")
    assert str(wrong.value) == said


def test_a_question_with_a_card_too_many_is_told_so() -> None:
    """The copy that the deck has not is named."""
    with pytest.raises(RuleViolation, match="2H number 2, of a deck with 1, is not a card that may stand here"):
        ask(rule_set("remi"), Question(bag(parse_cards("2H 2H"))))
