"""Stand-ins: deterministic, published functions of what a seat knows.

They play for a seat that is out of time or gone, and an audit recomputes what
they must have played.
"""

from collections.abc import Callable
from typing import Final

from engine.moves import DISCARDS, DRAW, Play
from engine.offers import offered
from engine.outlook import deadwood, outlook
from engine.rules.position import Phase, Position
from engine.verify import verify

StandIn = Callable[[Position], Play]


def minimal(position: Position) -> Play:
    """Draw if a draw is due, else discard what leaves least deadwood.

    Ties the dearest card, then canonical order; a joker only where nothing else
    is held. Never takes, never lays. The one card that cannot be discarded (a
    last card without the run that going out needs) does not occur: a hand is
    never left with one card without it.
    """
    if position.public.phase is Phase.DRAW:
        return DRAW
    has_run = position.public.has_run(position.seat)
    return DISCARDS[position.rules.arranger.best_discard(position.hand, has_run=has_run).index]


def _hopeful(position: Position) -> Play:
    """Draw if a draw is due, else discard with an eye on near melds."""
    if position.public.phase is Phase.DRAW:
        return DRAW
    has_run = position.public.has_run(position.seat)
    return DISCARDS[position.rules.arranger.hopeful_discard(position.hand, has_run=has_run).index]


def greedy(position: Position) -> Play:
    """Go out where possible, else make the play that leaves least deadwood.

    Of ways out the one with most points; of other plays the first offered among
    the best, `minimal` before all. A face-up card is taken only if that leaves
    less deadwood than is held now.
    """
    plain = _hopeful(position)
    best, best_key = plain, (0, 0, -deadwood(position) if plain is DRAW else -outlook(verify(position, plain)).deadwood)
    for play in offered(position):
        if len(play.moves) == 1:
            continue
        prospect = outlook(verify(position, play))
        key = (int(prospect.goes_out), prospect.points, -prospect.deadwood)
        if key > best_key:
            best, best_key = play, key
    return best


STAND_INS: Final[dict[str, StandIn]] = {"minimal": minimal, "greedy": greedy}
"""The stand-ins by the name that tables and replays use."""
