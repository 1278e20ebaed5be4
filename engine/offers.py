"""Offered plays: every one is accepted if sent back as it is.

`draw` and every legal lone `discard` are always among them; of the many longer
plays the good ones that the meld search finds.
"""

from collections.abc import Iterator

from engine.cards import distinct
from engine.compose import Begun, finished, laid_out, openings, swaps, takes, ways_out
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
    if public.phase is Phase.DRAW:
        single = [DRAW]
        longer = _with_face_up(position)
    else:
        single = [DISCARDS[card.index] for card in distinct(position.hand)]
        if len(single) == 1:
            single = [play for play in single if can(position, play)]
        longer = _from_hand(position)
    found = dict.fromkeys(play for play in longer if len(play.moves) > 1 and can(position, play))
    return (*single, *found)


def _with_face_up(position: Position) -> Iterator[Play]:
    for start in takes(position):
        yield from ways_out(start)
        yield from _without_going_out(start)


def _from_hand(position: Position) -> Iterator[Play]:
    start = Begun(position, (), Draft(position, alone=False))
    yield from ways_out(start)
    yield from _without_going_out(start)


def _without_going_out(start: Begun) -> Iterator[Play]:
    rules = start.draft.rules.moves
    if not start.moves and rules.grow is None and rules.opening is None:
        # Melds are laid with a taken card or in going out only.
        return
    starts = [start] if start.moves else [start, *openings(start)]
    if rules.grow is not None:
        starts += [swapped for one in starts for swapped in swaps(one)]
    for one in starts:
        more = laid_out(one)
        for reached in (one,) if more is one else (one, more):
            play = finished(reached) if reached.moves else None
            if play is not None:
                yield play
