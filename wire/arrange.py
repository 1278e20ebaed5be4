"""Questions about hands and their answers."""

from collections.abc import Iterable
from typing import Final

from engine.ask import Findings, Question, ask
from engine.melds import Meld
from engine.reasons import Reason, RuleViolation
from engine.rules.ruleset import RuleSet
from rummyref.v1 import rules_service_pb2 as pb
from wire.cards import (
    card_from_value,
    card_to_value,
    few_cards_from_values,
    hand_from_values,
    roles_of_cards,
    values_of_cards,
)

MOST_CARDS: Final = 20
"""Cards of a hand that may be asked about, more than any game gives; with jokers each more takes twice as long."""


def question(request: pb.ArrangeRequest, rules: RuleSet) -> Question:
    """Return the question of *request*.

    Raises:
        RuleViolation: `CARD_MALFORMED`, for a hand of more than `MOST_CARDS` too,
            or a meld that is none.
    """
    if len(request.cards) > MOST_CARDS:
        raise RuleViolation(Reason.CARD_MALFORMED, card=f"card number {MOST_CARDS + 1} of a hand")
    return Question(
        hand_from_values(request.cards),
        tuple(rules.melds.read(few_cards_from_values(meld.cards, meld.joker_roles)) for meld in request.table),
        card_from_value(request.turn_up) if request.HasField("turn_up") else None,
        request.opened,
    )


def answer(rules: RuleSet, asked: Question) -> pb.ArrangeResponse:
    """Return what the hand of *asked* is worth.

    Raises:
        RuleViolation: The hand has more copies of a card than the deck.
    """
    found: Findings = ask(rules, asked)
    response = pb.ArrangeResponse(
        melds=_melds(found.arrangement.melds),
        left=values_of_cards(found.arrangement.left),
        left_points=found.arrangement.left_points,
        meld_points=found.arrangement.meld_points,
        cards_short=found.cards_short,
        going_out=[
            pb.WayOut(discard=card_to_value(way.discard), melds=_melds(way.melds), points=points)
            for way, points in found.going_out
        ],
    )
    if found.opening is not None:
        response.opening.melds.extend(_melds(found.opening.melds))
        response.opening.points = found.opening.points
    return response


def _melds(melds: Iterable[Meld]) -> list[pb.MeldCards]:
    return [pb.MeldCards(cards=values_of_cards(meld.cards), joker_roles=roles_of_cards(meld.cards)) for meld in melds]
