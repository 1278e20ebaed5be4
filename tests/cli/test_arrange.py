"""`rummyref arrange` and the service: every question, for every family."""

import io
import json
from contextlib import redirect_stdout
from typing import Any

import pytest
import typer

from clients.cli.arrange import arrange
from clients.cli.exits import BAD_INPUT
from engine.ask import Question, ask
from engine.cards import bag
from engine.notation import parse_card, parse_cards
from engine.rules.registry import presets, rule_set
from rummyref.v1 import rules_service_pb2 as pb
from tests.cli.command import rummyref
from wire.arrange import answer, question
from wire.cards import card_to_value, values_of_cards

ALMOST = "4H 6H TS JS QS KS 3C 3D 3S 9H 9D 9S 9C 2C"
"""Fourteen tiles that lack the five of hearts."""


def said(preset: str, cards: str, *, turn_up: str | None = None, table: str | None = None, as_json: bool) -> str:
    """Return what the command prints, without the time of a process for each question."""
    with redirect_stdout(io.StringIO()) as out:
        arrange(preset, [cards], None, turn_up, table, as_json=as_json)
    return out.getvalue()


def arranged(preset: str, cards: str, **more: str) -> Any:
    """Return the JSON answer of `arrange`."""
    return json.loads(said(preset, cards, **more, as_json=True))


def test_the_turn_up_makes_a_way_out() -> None:
    """Closed rummy: with the turn-up in a meld the whole hand goes out, without it not."""
    assert arranged("closed-rummy", ALMOST)["going_out"] == []
    (way,) = arranged("closed-rummy", ALMOST, turn_up="5H")["going_out"]
    assert (way["discard"], way["points"]) == ("2C", 90)
    assert ["4H", "5H", "6H"] in way["melds"]
    assert "out:   discard 2C with" in said("closed-rummy", ALMOST, turn_up="5H", as_json=False)
    assert "out:   discard 2C with" in rummyref("arrange", "closed-rummy", ALMOST, "--turn-up", "5H").stdout


def test_the_turn_up_is_never_the_discard() -> None:
    """Of the ways with the turn-up none discards it, be the hand complete without it."""
    hand = "AS 2S 3S QH KH AH 7S 7H 7D 7C TC JC QC KC"
    without = arranged("closed-rummy", hand)["going_out"]
    assert [way["discard"] for way in without] == ["7S", "7H", "7D", "7C", "TC", "KC"]
    assert arranged("closed-rummy", hand, turn_up="9D")["going_out"] == without
    ways = [way["discard"] for way in arranged("closed-rummy", hand, turn_up="4S")["going_out"]]
    assert ways == ["7S", "7H", "7D", "7C", "TC", "KC", "AS", "7S", "7H", "7D", "7C", "TC", "KC"]


def test_own_melds_on_the_table_count() -> None:
    """Remi: a run on the table lets sets count and pays; remik and closed rummy take the option too."""
    alone = arranged("remi", "9S 9H 9D AC")
    assert (alone["melds"], alone["going_out"]) == ([], [])
    (way,) = arranged("remi", "9S 9H 9D AC", table="4H 5H 6H; KS KH KD")["going_out"]
    assert (way["discard"], way["points"]) == ("AC", 15 + 30 + 15 + 150)
    assert arranged("remik", "9S 9H 9D AC", table="4H 5H 6H")["going_out"][0]["discard"] == "AC"
    assert arranged("closed-rummy", "9S 9H 9D AC", table="4H 5H 6H")["going_out"][0]["discard"] == "AC"


def test_the_opening_is_told_where_there_is_a_bar() -> None:
    """Remik: melds and points, or null; the key is missing elsewhere."""
    found = arranged("remik", "9S TS JS 8S 8H 8C 2D 4D")["opening"]
    assert sorted(found["melds"]) == [["8S", "8H", "8C"], ["9S", "TS", "JS"]]
    assert found["points"] == 53
    assert arranged("remik", "TS JK QS KS 8S 8H 8C 2D")["opening"] is None
    assert arranged("remik", "9S TS JS QS KS 2D")["opening"] is None
    assert arranged("remik", "TS JS QS KS AS")["opening"] is None
    assert "opening" not in arranged("remi", "9S TS 8S")
    assert "opening" not in arranged("closed-rummy", "9S TS JS")
    assert "open:  9S TS JS" in said("remik", "9S TS JS KS KH KD 4D", as_json=False).replace("| ", "")


@pytest.mark.parametrize("preset", presets())
def test_every_preset_answers_every_question(preset: str) -> None:
    """Fewest points left, best melds, ways out, cards short and opening of one hand; the wire says the same."""
    rules, hand = rule_set(preset), parse_cards("4H 5H 6H KS KH KD 7C 9D")
    found = ask(rules, Question(bag(hand)))
    assert found.going_out == ()
    assert {card.text for card in found.arrangement.left} == {"7C", "9D"}
    assert found.cards_short == 1
    assert found.opening is None
    way_out = ask(rules, Question(bag(hand[:-1])))
    assert [way.discard.text for way, _ in way_out.going_out] == ["7C"]
    reply = answer(rules, question(pb.ArrangeRequest(cards=values_of_cards(hand), opened=True), rules))
    assert (reply.left_points, reply.cards_short) == (found.arrangement.left_points, 1)
    assert reply.meld_points == found.arrangement.meld_points > 0


@pytest.mark.parametrize(
    ("cards", "discards"),
    [
        ("9D TD JD QD KD 2S 2C 2H 5C", {"5C"}),
        ("9D TD JD 8S 8H 8C 5C", {"5C"}),
        ("9D TD JD 2S 2C 2H 5C", set()),
        ("TS JK QS KS 8S 8H 8C 5C", set()),
    ],
    ids=["enough", "two melds", "too low", "no clean run"],
)
def test_who_has_not_opened_goes_out_with_an_opening(cards: str, discards: set[str]) -> None:
    """Remik: as an opened seat every one of these goes out; else only with 51 points and a clean run."""
    rules, hand = rule_set("remik"), parse_cards(cards)
    assert [way.discard.text for way, _ in ask(rules, Question(bag(hand))).going_out] == ["5C"]
    unopened = pb.ArrangeRequest(cards=values_of_cards(hand))
    reply = answer(rules, question(unopened, rules))
    assert {way.discard for way in reply.going_out} == {card_to_value(parse_card(text)) for text in discards}


@pytest.mark.parametrize(
    ("preset", "cards", "turn_up", "table", "part"),
    [
        ("remi", "5H 6H 2C", "7H", None, "remi has no such move as take-turn-up"),
        ("remik", "5H 6H 2C", "7H", None, "remik has no such move as take-turn-up"),
        ("closed-rummy-duel", "5H 6H 2C", "5H", None, "5H number 2, of a deck with 1,"),
        ("closed-rummy", "5H 6H 2C", "JK=5H", None, "JK=5H is not a card that may stand here"),
        ("remi", "9S 9H 9D AC", None, "9S 9H 9D", "9S number 2, of a deck with 1,"),
        ("remi", "9S 9H 9D AC", None, "4H 5H", "4H 5H is no meld: a meld has at least three cards"),
        ("remik", "8H 8D JK=8C", None, None, "JK=8C is not a card that may stand here"),
        ("remik", "8H 8D JK JK JK JK JK", None, None, "JK number 5, of a deck with 4,"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], preset: str, cards: str, turn_up: str | None, table: str | None, part: str
) -> None:
    """Exit code 2, and what is wrong."""
    with pytest.raises(typer.Exit) as ended:
        said(preset, cards, turn_up=turn_up, table=table, as_json=True)
    assert ended.value.exit_code == BAD_INPUT
    error = capsys.readouterr().err
    assert part in error
    assert len(error.splitlines()) == 1


def test_a_hand_without_a_card_to_discard_is_told_so() -> None:
    """All cards in melds: not out yet, though none is loose."""
    assert "out:   not yet, a card must remain to be discarded" in said("remik", "9S 9H 9D", as_json=False)
    assert "out:   not yet, 1 card short" in said("remik", "9S 9H 9D 2C 4D", as_json=False)
