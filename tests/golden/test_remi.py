"""The worked cases of remi."""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

import pytest

from engine.cards import Card, bag
from engine.match import Match, apply
from engine.melds import Meld
from engine.moves import DRAW, Discard, Lay, Play, Take
from engine.notation import parse_card, parse_cards
from engine.reasons import Reason, RuleViolation
from engine.rules.registry import rule_set
from engine.scenario.reader import read_file
from engine.verify import begin, can, check, step, still_open

Case = dict[str, "str | int | bool | list[str] | list[list[str]] | None"]
CASES: Final = [
    case
    for case in json.loads((Path(__file__).parent / "rules.json").read_text("utf-8"))
    if case["family"] == "remi"
]  # fmt: skip
REASONS: Final = {
    "set without a sequence": Reason.SET_WITHOUT_RUN,
    "uses a card not in hand before the pick-up": Reason.TWO_TAKEN_CARDS,
    "no card left to discard": Reason.NO_CARD_LEFT_TO_DISCARD,
    "not one of the top three": Reason.TAKE_TOO_DEEP,
}
MELDS: Final = rule_set("remi").melds


def of(test: str) -> list[Case]:
    """Return the cases of one test."""
    return [case for case in CASES if case["test"] == test]


def words(value: object) -> str:
    """Return a list of the file as the words it holds."""
    assert isinstance(value, list)
    return " ".join(value)


def position(*, hand: object, table: object, more: str) -> Match:
    """Return a match of one round in which seat 0 has *hand* and *table*."""
    assert isinstance(table, list)
    melds = "".join(f"meld 0: {words(meld)}\n" for meld in table)
    text = f"rules remi players=2 rounds=1\nhand 0: {words(hand)}\n{melds}{more}"
    return read_file(text, "case")[0].start


def read(cards: tuple[Card, ...]) -> Meld | None:
    """Return *cards* in their order as a meld, None if they are none."""
    try:
        return MELDS.read(cards)
    except RuleViolation:
        return None


def partitions(cards: tuple[Card, ...]) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Yield every way to part sorted *cards* into melds, tried one by one."""
    if not cards:
        yield ()
        return
    for size in range(2, len(cards)):
        for others in combinations(range(1, len(cards)), size):
            chosen = (cards[0], *(cards[place] for place in others))
            rest = tuple(card for place, card in enumerate(cards) if place and place not in others)
            if read(chosen):
                for more in partitions(rest):
                    yield (chosen, *more)


@pytest.mark.parametrize("case", of("combination"), ids=lambda case: words(case["cards"]))
def test_combination(case: Case) -> None:
    """Cards are the run, the set or the nothing that they should be."""
    meld = read(parse_cards(words(case["cards"])))
    assert (meld.kind.value if meld else None) == case["kind"]


@pytest.mark.parametrize("case", of("pickup"), ids=lambda case: f"{words(case['hand'])} take {case['depth']}")
def test_pickup(case: Case) -> None:
    """A discard is taken, or refused for the reason given."""
    pile = parse_cards(words(case["pile_top_first"]))
    match = position(
        hand=case["hand"], table=case["table"], more=f"discards: {words(case['pile_top_first'])}\nturn 0\n"
    )
    depth = case["depth"]
    assert isinstance(depth, int)
    cards = tuple(sorted((*parse_cards(words(case["use"])), pile[depth - 1])))
    moves = (Take(depth), Lay(cards))
    draft = begin(match.round.position(0), Play(moves))
    if not case["legal"]:
        with pytest.raises(RuleViolation) as refused:
            check(match.round.position(0), Play(moves))
        assert refused.value.violation.reason is REASONS[str(case["reason"])]
        return
    for move in moves:
        step(draft, move)
    assert [violation.reason for violation in still_open(draft)] == [Reason.PLAY_UNFINISHED]
    assert draft.hand == bag(parse_cards(words(case["hand_after"])))
    assert [meld.held for meld in draft.laid] == [bag(parse_cards(words(case["laid"])))]


@pytest.mark.parametrize("case", of("close"), ids=lambda case: f"{words(case['hand'])} with {case['closing']}")
def test_close(case: Case) -> None:
    """Of all ways to part the hand one goes out with the closing card, or none does."""
    match = position(hand=case["hand"], table=case["table"], more="turn 0 drawn\n")
    closing = parse_card(str(case["closing"]))
    rest = sorted(parse_cards(words(case["hand"])))
    rest.remove(closing)
    plays = [Play((*map(Lay, melds), Discard(closing))) for melds in partitions(tuple(rest))]
    accepted = [play for play in plays if can(match.round.position(0), play)]
    assert bool(accepted) == case["legal"]
    assert {apply(match, 0, play)[0].totals[0] for play in accepted} == ({case["score"]} if accepted else set())


@pytest.mark.parametrize("case", of("score"), ids=lambda case: words(case["hand"]))
def test_score(case: Case) -> None:
    """A hand and melds score what they should when nobody went out."""
    match = position(hand=case["hand"], table=case["table"], more="stock only:\nturn 0\n")
    ended, _ = apply(match, 0, DRAW)
    assert ended.totals[0] == case["score"]


def test_no_case_is_left_out() -> None:
    """The four tests run every case of the family."""
    assert sum(len(of(test)) for test in ("combination", "pickup", "close", "score")) == len(CASES)
