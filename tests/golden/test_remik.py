"""The worked cases of remik."""

import json
from pathlib import Path
from typing import Final

import pytest

from engine.cards import Card, bag, joker_for, natural
from engine.melds import Meld, MeldKind
from engine.moves import Discard, Lay, Play
from engine.notation import parse_card, parse_cards, show_cards
from engine.reasons import Reason, RuleViolation
from engine.rules.position import PublicRound, RoundEnd
from engine.rules.registry import rule_set
from engine.rules.ruleset import EndedRound
from engine.scenario.reader import read_file
from engine.verify import verify

Case = dict[str, "str | int | bool | None | list[str] | list[list[str]]"]
CASES: Final = [
    case for case in json.loads((Path(__file__).parent / "rules.json").read_text("utf-8")) if case["family"] == "remik"
]
RULES: Final = rule_set("remik")


def of(test: str) -> list[Case]:
    """Return the cases of one test."""
    return [case for case in CASES if case["test"] == test]


def cards_of(value: object) -> tuple[Card, ...]:
    """Return a list of the file as cards."""
    assert isinstance(value, list)
    return parse_cards(" ".join(value))


def read(cards: tuple[Card, ...]) -> Meld | None:
    """Return *cards* as they stand as a meld, None if they are none; naming is not asked."""
    try:
        return RULES.melds.read(cards, name_jokers=False)
    except RuleViolation:
        return None


def named(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return *cards* as a seat would send them: the jokers of a set are named."""
    meld = RULES.melds.read(cards, name_jokers=False)
    if meld.kind is MeldKind.RUN:
        return meld.cards
    suits = {card.suit for card in cards if not card.is_joker}
    rank = next(card.rank for card in cards if not card.is_joker)
    free = iter(suit for suit in "CDHS" if suit not in suits)
    return tuple(joker_for(natural(rank, next(free))) if card.is_joker else card for card in cards)


@pytest.mark.parametrize("case", of("meld"), ids=lambda case: show_cards(cards_of(case["cards"])))
def test_meld(case: Case) -> None:
    """Cards in their order are the meld of that value, or none."""
    meld = read(cards_of(case["cards"]))
    kind, value = (meld.kind.value, RULES.points.worth(meld)) if meld else (None, None)
    assert (kind, value) == (case["kind"], case["value"])


@pytest.mark.parametrize("case", of("open"), ids=lambda case: str(case["total"]))
def test_open(case: Case) -> None:
    """Melds open with their total, or fall short of the bar."""
    melds = case["melds"]
    assert isinstance(melds, list)
    laid = [cards_of(meld) for meld in melds]
    hand = show_cards([card.held_as for meld in laid for card in meld])
    match = read_file(f"rules remik players=2\nhand 0: {hand} 4D 6D\nturn 0 drawn\n", "case")[0].start
    play = Play((*(Lay(named(cards)) for cards in laid), Discard(parse_card("6D"))))
    assert sum(RULES.points.worth(RULES.melds.read(named(cards))) for cards in laid) == case["total"]
    if case["legal"]:
        assert verify(match.round.position(0), play).discarded is parse_card("6D")
        return
    with pytest.raises(RuleViolation) as refused:
        verify(match.round.position(0), play)
    assert refused.value.violation.reason is Reason.OPENING_TOO_LOW
    assert refused.value.violation.facts == {"points": case["total"], "bar": 51}


@pytest.mark.parametrize("case", of("hand_penalty"), ids=lambda case: show_cards(cards_of(case["cards"])))
@pytest.mark.parametrize("doubled", [False, True])
def test_hand_penalty(case: Case, doubled: bool) -> None:
    """A hand costs its value, double when the winner had not opened before."""
    hand = bag(cards_of(case["cards"]))
    start = read_file("rules remik players=2\nhand 0: 2S\nturn 0\n", "case")[0].start
    public: PublicRound = start.public._replace(closer=0, closed_unopened=doubled, end=RoundEnd.WENT_OUT)
    points = RULES.scoring.points(RULES, EndedRound(public, (bag(()), hand), None))
    assert points == (0, case["doubled" if doubled else "value"])


def test_no_case_is_left_out() -> None:
    """The three tests run every case of the family."""
    assert sum(len(of(test)) for test in ("meld", "open", "hand_penalty")) == len(CASES) > 0
