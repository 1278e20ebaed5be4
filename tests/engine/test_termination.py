"""Every round ends, whatever its seats refuse to do."""

from collections.abc import Callable

import pytest

from engine.match import apply, start
from engine.moves import Play, Take
from engine.offers import offered
from engine.outlook import outlook
from engine.rules.position import Phase, Position
from engine.rules.registry import presets, rule_set
from engine.shuffle import SeededDealing
from engine.stand_in import minimal
from engine.verify import verify

LONGEST_ROUND = 3_000
"""Plays after which a round is taken to have no end; the longest seen have a third of that."""


def never_lays(position: Position) -> Play:
    """Draw and discard, for ever."""
    return minimal(position)


def only_takes(position: Position) -> Play:
    """Take a discard wherever one can be had, and never go out."""
    if position.public.phase is Phase.DRAW:
        for play in offered(position):
            if isinstance(play.moves[0], Take) and len(play.moves) <= 3:
                return play
    return minimal(position)


def never_goes_out(position: Position) -> Play:
    """Take, open, lay, lay off and swap all that can be, and keep the last cards for ever."""
    for play in reversed(offered(position)):
        if len(play.moves) > 1 and not outlook(verify(position, play)).goes_out:
            return play
    return minimal(position)


def throws_back(position: Position) -> Play:
    """Take the top discard where that owes nothing, and throw the same card back."""
    pile = position.public.piles[position.rules.pile.own(position.seat)]
    for play in offered(position):
        if isinstance(play.moves[0], Take) and len(play.moves) == 2 and pile:
            return play
    return minimal(position)


def distinct_rounds() -> list[str]:
    """Return presets without those whose rounds are another's and only the match is longer."""
    found: dict[object, str] = {}
    for preset in presets():
        rules = rule_set(preset)
        found.setdefault((rules.family, rules.deck, rules.deal, rules.stock), preset)
    return list(found.values())


@pytest.mark.parametrize("player", [never_lays, only_takes, throws_back, never_goes_out])
@pytest.mark.parametrize("preset", distinct_rounds())
def test_a_round_ends(preset: str, player: Callable[[Position], Play]) -> None:
    """Nobody has to lay, open, draw or go out for a round to end."""
    rules = rule_set(preset, {"players": presets()[preset][1].seats[0], "rounds": 1})
    match, _ = start(rules, SeededDealing(bytes(32)))
    plays = 0
    while match.turn is not None:
        match, _ = apply(match, match.turn, player(match.round.position(match.turn)))
        plays += 1
        assert plays < LONGEST_ROUND
    assert match.public.end is not None
