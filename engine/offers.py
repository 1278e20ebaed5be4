"""Offered plays: every one is accepted if sent back as it is.

`draw` and every legal lone `discard` are always among them; of the many longer
plays the good ones that the meld search finds.
"""

from collections.abc import Iterator

from engine.cards import distinct
from engine.compose import Begun, ended, laid_out, openings, swaps, takes, ways_out
from engine.moves import DISCARDS, DRAW, Play
from engine.rules.position import Draft, Phase, Position
from engine.verify import can


def offered(position: Position) -> tuple[Play, ...]:
    """Return plays open to the seat of *position*, none if it is not to act.

    Order: `draw` or the lone discards in canonical order, then longer plays in
    the order found. No play occurs twice. Audience: that seat.
    """
    public = position.public
    if public.turn != position.seat or public.phase is Phase.OVER:
        return ()
    start = Begun((), Draft(position, alone=False))
    if public.phase is Phase.DRAW:
        single = [DRAW]
        longer = [made for taken in takes(start) for made in _going_on(taken)]
    else:
        single = [DISCARDS[card.index] for card in distinct(position.hand)]
        if len(single) == 1:
            single = [play for play in single if can(position, play)]
        longer = _going_on(start)
    if not longer:
        return tuple(single)
    plays = [made.finished() for made in longer if made is not None and len(made.moves) > 1]
    return (*single, *dict.fromkeys(play for play in plays if play is not None))


def _going_on(start: Begun) -> list[Begun | None]:
    """Return the ways to go on from *start*: first out, then otherwise."""
    found = ways_out(start)
    rules = start.draft.rules.moves
    if start.moves or rules.grow is not None or rules.opening is not None:
        # Elsewhere melds are laid with a taken card or in going out only.
        found += _without_going_out(start)
    return found


def _without_going_out(start: Begun) -> Iterator[Begun | None]:
    rules = start.draft.rules.moves
    starts = [start] if start.moves else [start, *openings(start)]
    if rules.grow is not None:
        starts += [swapped for one in starts for swapped in swaps(one)]
    for one in starts:
        more = laid_out(one)
        for reached in (one,) if more is one else (one, more):
            if reached.moves:
                yield ended(reached)
