"""The worked cases of closed rummy."""

import json
from pathlib import Path
from typing import Final

import pytest

from engine.match import apply
from engine.notation import parse_cards, parse_play
from engine.reasons import Reason, RuleViolation
from engine.rules.registry import rule_set
from engine.scenario.reader import read_file

Case = dict[str, "str | int | bool | None | list[str] | list[list[str]]"]
CASES: Final = [
    case
    for case in json.loads((Path(__file__).parent / "rules.json").read_text("utf-8"))
    if case["family"] == "closed-rummy"
]
RULES: Final = rule_set("closed-rummy")
BOARD: Final = "AS 2S 3S / QH KH AH / 7S 7H 7D 7C / TC JC QC KC"
RACK: Final = "2D 3D 5D 6D 8D 9D TD JD 4H 6H 8H TH 2H JH"


def of(test: str) -> list[Case]:
    """Return the cases of one test."""
    return [case for case in CASES if case["test"] == test]


def words(value: object) -> str:
    """Return a list of the file as the words it holds."""
    assert isinstance(value, list)
    return " ".join(value)


def scored(board: str, closing: object, rack: str, more: str) -> tuple[int, ...]:
    """Return the points when seat 0 goes out with *board* and seat 1 is caught with *rack*."""
    melds = board.split(" / ")
    match = read_file(
        f"rules closed-rummy players=2\nhand 0: {' '.join(melds)} {closing}\nhand 1: {rack}\n{more}\nturn 0 drawn\n",
        "case",
    )[0].start
    play = parse_play("; ".join([*(f"lay {meld}" for meld in melds), f"discard {closing}"]))
    return apply(match, 0, play)[0].history[-1].points


@pytest.mark.clause("closed-rummy-4.1", "closed-rummy-4.2", "closed-rummy-4.3", "closed-rummy-8.2")
@pytest.mark.parametrize("case", of("formation"), ids=lambda case: words(case["tiles"]))
def test_formation(case: Case) -> None:
    """Tiles as they stand are the meld of that worth, or none for the reason given."""
    cards = parse_cards(words(case["tiles"]))
    if case["legal"]:
        meld = RULES.melds.read(cards)
        assert (meld.kind.value, RULES.points.worth(meld)) == (case["kind"], case["value"])
        return
    with pytest.raises(RuleViolation) as refused:
        RULES.melds.read(cards)
    assert refused.value.violation.reason is Reason.MELD_INVALID
    assert refused.value.violation.facts["problem"] == case["reason"]


@pytest.mark.parametrize("case", of("closer_round"), ids=lambda case: f"{case['closing']} {case['atu']} {case['twin']}")
def test_closer_round(case: Case) -> None:
    """The seat that goes out scores its melds with bonus and doublings."""
    formations = case["formations"]
    assert isinstance(formations, list)
    board = " / ".join(words(meld) for meld in formations)
    twin = "twin 0" if case["twin"] else ""
    assert scored(board, case["closing"], RACK, f"turn-up: {case['atu']}\n{twin}")[0] == case["score"]


@pytest.mark.parametrize("case", of("caught_round"), ids=lambda case: f"{case['atu']} {case['twin']}")
def test_caught_round(case: Case) -> None:
    """A seat that is caught loses its rack, with bonus and doubling."""
    twin = "twin 1" if case["twin"] else ""
    assert scored(BOARD, "9D", words(case["rack"]), f"turn-up: {case['atu']}\n{twin}")[1] == case["score"]


def test_no_case_is_left_out() -> None:
    """The three tests run every case of the family."""
    assert sum(len(of(test)) for test in ("formation", "closer_round", "caught_round")) == len(CASES) > 0
