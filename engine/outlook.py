"""What a play would leave its seat with, as far as the seat can know."""

from typing import NamedTuple

from engine.cards import EMPTY
from engine.rules.position import Draft, Phase, Position, RoundEnd
from engine.rules.ruleset import EndedRound, RuleSet


class Outlook(NamedTuple):
    """The prospects after a play. Audience: the seat that would make it.

    Attributes:
        goes_out: Whether the play ends the round.
        points: Points of the round if it goes out, more being better; else 0.
        deadwood: Least points that the hand could be left with, not negative.
    """

    goes_out: bool
    points: int
    deadwood: int


def outlook(draft: Draft) -> Outlook:
    """Return what the finished *draft* leads to."""
    rules = draft.rules
    if draft.hand or draft.discarded is None:
        return Outlook(
            goes_out=False, points=0, deadwood=rules.arranger.left_points(draft.hand, has_run=draft.owns_run())
        )
    return Outlook(goes_out=True, points=closer_points(draft) * rules.sense.value, deadwood=0)


def closer_points(draft: Draft) -> int:
    """Return the points of the seat that goes out with *draft*, other hands empty."""
    public = draft.public._replace(
        phase=Phase.OVER,
        end=RoundEnd.WENT_OUT,
        melds=draft.melds,
        closer=draft.seat,
        closing_card=draft.discarded,
        closed_unopened=not draft.opened_before,
    )
    ended = EndedRound(public, (EMPTY,) * public.players, None)
    return draft.rules.scoring.points(draft.rules, ended)[draft.seat]


def deadwood(position: Position) -> int:
    """Return the least points that the hand could be left with now."""
    rules: RuleSet = position.rules
    return rules.arranger.left_points(position.hand, has_run=position.public.has_run(position.seat))
