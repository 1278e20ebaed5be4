"""Offered plays: every one is accepted if sent back as it is.

`draw` and every legal lone `discard` are always among them; of the many longer
plays the good ones that the meld search finds.
"""

from collections.abc import Iterator

from engine.cards import distinct
from engine.compose import finished, laid_out, openings, swaps, takes, ways_out
from engine.moves import DISCARDS, DRAW, Move, Play
from engine.rules.position import Phase, Position
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
    for begun in takes(position):
        yield from ways_out(position, begun)
        yield from _without_going_out(position, begun)


def _from_hand(position: Position) -> Iterator[Play]:
    yield from ways_out(position)
    yield from _without_going_out(position, ())


def _without_going_out(position: Position, begun: tuple[Move, ...]) -> Iterator[Play]:
    starts = [begun]
    if not begun:
        starts += openings(position)
    if position.rules.moves.grow is not None:
        starts += [swapped for start in list(starts) for swapped in swaps(position, start)]
    for start in starts:
        for moves in dict.fromkeys((start, laid_out(position, start))):
            play = finished(position, moves) if moves else None
            if play is not None:
                yield play
