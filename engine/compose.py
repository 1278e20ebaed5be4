"""Plays put together move by move from what the meld search finds.

Everything here is a function of a `Position`; the plays are candidates, and
`verify` decides which of them count.
"""

from collections.abc import Iterator
from typing import Final

from engine.cards import ONE, Card, distinct, includes, size
from engine.melds import Meld, MeldKind
from engine.moves import Discard, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import RuleViolation
from engine.rules.position import Draft, Position
from engine.verify import begin, step

MELDS_PER_TAKE: Final = 3
"""How many melds of a taken discard are tried, the dearest first."""


def draft_after(position: Position, moves: tuple[Move, ...]) -> Draft | None:
    """Return the draft after *moves*, None if one of them is illegal."""
    try:
        draft = begin(position, Play(moves))
        for move in moves:
            step(draft, move)
    except RuleViolation:
        return None
    return draft


def takes(position: Position) -> Iterator[tuple[Move, ...]]:
    """Yield the ways to begin a play with a face-up card, with the meld it owes."""
    rules, public = position.rules, position.public
    pile = public.piles[rules.pile.own(position.seat)]
    for depth in range(1, min(rules.pile.depth, len(pile)) + 1):
        if not (rules.pile.joker_blocks and pile[0].is_joker):
            yield from _with_owed_meld(position, Take(depth), pile[depth - 1])
    if public.turn_up is not None and rules.moves.take_turn_up is not None:
        yield (TakeTurnUp(),)


def _with_owed_meld(position: Position, take: Take, card: Card) -> Iterator[tuple[Move, ...]]:
    draft = draft_after(position, (take,))
    if draft is None:
        return
    if not any(debt.card is card for debt in draft.debts):
        yield (take,)
        return
    melds = position.rules.arranger.melds_with(card, position.hand)
    for meld in melds[:MELDS_PER_TAKE]:
        yield (take, Lay(meld.cards))


def ways_out(position: Position, moves: tuple[Move, ...] = ()) -> Iterator[Play]:
    """Yield plays that begin with *moves*, lay everything and go out."""
    draft = draft_after(position, moves) if moves else Draft(position, alone=False)
    if draft is None:
        return
    owed = next((debt.card for debt in draft.debts if debt.card is not None), None)
    arranger = position.rules.arranger
    for way in arranger.ways_out(draft.hand, has_run=draft.owns_run(), using=owed):
        lays = tuple(Lay(meld.cards) for meld in way.melds)
        yield Play((*moves, *lays, Discard(way.discard)))


def openings(position: Position, moves: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    """Yield the lays of a first laying down, where the family has a bar for it."""
    bar = position.rules.moves.opening
    if bar is None or position.public.opened[position.seat]:
        return
    found = position.rules.arranger.opening(position.hand, bar)
    if found is not None:
        yield (*moves, *(Lay(meld.cards) for meld in found.melds))


def swaps(position: Position, moves: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    """Yield swaps whose joker goes into a new meld at once."""
    draft = draft_after(position, moves) if moves else Draft(position, alone=False)
    if draft is None or position.rules.moves.grow is None:
        return
    for number, laid in enumerate(draft.melds, start=1):
        for card in laid.meld.cards:
            if card.is_joker and includes(draft.hand, ONE[card.face.index]):
                begun = (*moves, Swap(number, card.face))
                after = draft_after(position, begun)
                if after is not None:
                    yield from _lay_joker(after, begun)


def _lay_joker(draft: Draft, moves: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    for meld in draft.rules.arranger.arrange(draft.hand).melds:
        if not meld.clean and meld.held != draft.hand:
            yield (*moves, Lay(meld.cards))
            return


def laid_out(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Return *moves* with every further meld and lay-off that leaves a card to discard.

    Only where melds on the table may grow: elsewhere laying is going out.
    """
    draft = draft_after(position, moves) if moves else Draft(position, alone=False)
    if draft is None or position.rules.moves.grow is None:
        return moves
    for meld in position.rules.arranger.arrange(draft.hand).melds:
        more = _trimmed(draft, meld)
        if more is not None and _try(draft, Lay(more.cards)):
            moves = (*moves, Lay(more.cards))
    grown = True
    while grown:
        grown = False
        for move in _lay_offs(draft):
            if size(draft.hand) > 1 and _try(draft, move):
                moves, grown = (*moves, move), True
                break
    return moves


def _trimmed(draft: Draft, meld: Meld) -> Meld | None:
    """Return *meld*, less a card at its end where it would empty the hand, or None."""
    if meld.held != draft.hand:
        return meld if includes(draft.hand, meld.held) else None
    if len(meld.cards) == 3:
        return None
    try:
        return draft.rules.melds.read(meld.cards[:-1])
    except RuleViolation:
        return None


def _try(draft: Draft, move: Move) -> bool:
    try:
        step(draft, move)
    except RuleViolation:
        return False
    return True


def _lay_offs(draft: Draft) -> Iterator[LayOff]:
    for card in distinct(draft.hand):
        for number, laid in enumerate(draft.melds, start=1):
            if fits(laid.meld, card):
                if laid.meld.kind is MeldKind.SET:
                    yield LayOff(number, None, (card,))
                else:
                    yield LayOff(number, End.LOW, (card,))
                    yield LayOff(number, End.HIGH, (card,))


def fits(meld: Meld, card: Card) -> bool:
    """Return whether *card* could stand beside *meld*: a quick look before `verify`."""
    if card.is_joker:
        return False
    standing = next(stood.face for stood in meld.cards)
    if meld.kind is MeldKind.SET:
        return card.rank == standing.rank and len(meld.cards) < 4
    return card.suit == standing.suit


def finished(position: Position, moves: tuple[Move, ...]) -> Play | None:
    """Return *moves* ended with the discard that leaves least deadwood, None if illegal."""
    draft = draft_after(position, moves) if moves else Draft(position, alone=False)
    if draft is None or not draft.hand:
        return None
    card = position.rules.arranger.best_discard(draft.hand, has_run=draft.owns_run())
    return Play((*moves, Discard(card)))
