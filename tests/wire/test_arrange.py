"""Questions about hands on the wire."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import NATURALS, Card, bag, listed
from engine.reasons import Reason, RuleViolation
from engine.rules.registry import presets, rule_set
from rummyref.v1 import rules_service_pb2 as pb
from wire.arrange import MOST_CARDS, answer, question
from wire.cards import cards_from_values, values_of_cards

PRESET = next(iter(presets()))
RULES = rule_set(PRESET)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(NATURALS), min_size=1, max_size=10, unique=True), st.booleans())
def test_an_answer_parts_the_hand(cards: list[Card], opened: bool) -> None:
    """The melds and the cards left of an answer are the hand, and each way out spends all of it."""
    asked = pb.ArrangeRequest(preset=PRESET, cards=values_of_cards(cards), opened=opened)
    reply = answer(RULES, question(asked, RULES))
    melded = [card for meld in reply.melds for card in cards_from_values(meld.cards, meld.joker_roles)]
    assert bag([*melded, *cards_from_values(reply.left)]) == bag(cards)
    for way in reply.going_out:
        spent = [value for meld in way.melds for value in meld.cards]
        assert sorted([way.discard, *spent]) == sorted(asked.cards)
    assert not reply.going_out or reply.cards_short == 0


def test_what_lies_on_the_table_is_read() -> None:
    """Own melds, the turn-up and the opening come into the question."""
    run = NATURALS[1:4]
    asked = pb.ArrangeRequest(cards=[40], table=[pb.MeldCards(cards=values_of_cards(run))], turn_up=7, opened=True)  # type: ignore[list-item,arg-type]
    read = question(asked, RULES)
    assert [meld.cards for meld in read.table] == [run]
    assert read.turn_up is NATURALS[6]
    assert listed(read.hand) == (NATURALS[39],)
    assert question(pb.ArrangeRequest(), RULES).turn_up is None


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (pb.ArrangeRequest(cards=[0]), Reason.CARD_MALFORMED),  # type: ignore[list-item]
        (pb.ArrangeRequest(cards=[1] * 16), Reason.CARD_MALFORMED),  # type: ignore[list-item]
        (pb.ArrangeRequest(cards=[1] * (RULES.deck.packs + 1)), Reason.CARD_MALFORMED),  # type: ignore[list-item]
        (pb.ArrangeRequest(cards=range(1, MOST_CARDS + 2)), Reason.CARD_MALFORMED),  # type: ignore[arg-type]
        (pb.ArrangeRequest(cards=[1], turn_up=0), Reason.CARD_MALFORMED),  # type: ignore[list-item,arg-type]
        (pb.ArrangeRequest(table=[pb.MeldCards(cards=[1, 2, 30])]), Reason.MELD_INVALID),  # type: ignore[list-item]
    ],
    ids=["unset", "many copies", "more than the deck", "long hand", "unset turn-up", "no meld"],
)
def test_bad_questions_are_refused(asked: pb.ArrangeRequest, reason: Reason) -> None:
    """A question that cannot be read or answered is a refusal with its reason."""
    with pytest.raises(RuleViolation) as refused:
        answer(RULES, question(asked, RULES))
    assert refused.value.violation.reason is reason
