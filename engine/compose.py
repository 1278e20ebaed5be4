"""Plays put together move by move from what the meld search finds.

Everything here is a function of a `Position`; the plays are candidates, and
`verify` decides which of them count.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.cards import ONE, Card, CardBag, bag, distinct, includes, size
from engine.melds import Meld, MeldKind
from engine.moves import Discard, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import RuleViolation
from engine.rules.position import Draft, Position
from engine.verify import begin, step

MELDS_PER_TAKE: Final = 3
"""How many melds of a taken discard are tried, the dearest first."""


class Begun(NamedTuple):
    """A play begun: legal moves, and the draft that they leave, which nobody changes.

    Attributes:
        position: Where it began.
        moves: Its moves so far.
        draft: The draft after them.
    """

    position: Position
    moves: tuple[Move, ...]
    draft: Draft

    def then(self, *moves: Move) -> "Begun | None":
        """Return the play with *moves* added, None if one of them is illegal."""
        return begun(self.position, (*self.moves, *moves))


def begun(position: Position, moves: tuple[Move, ...] = ()) -> Begun | None:
    """Return the play that begins with *moves*, None if one of them is illegal."""
    draft = Draft(position, alone=False)
    try:
        if moves:
            draft = begin(position, Play(moves))
        for move in moves:
            step(draft, move)
    except RuleViolation:
        return None
    return Begun(position, moves, draft)


def takes(position: Position) -> Iterator[Begun]:
    """Yield the ways to begin a play with a face-up card, with the meld it owes."""
    rules, public = position.rules, position.public
    pile = public.piles[rules.pile.own(position.seat)]
    found: list[Begun | None] = []
    reached = pile[: rules.pile.depth]
    if reached and not (rules.pile.joker_blocks and reached[0].is_joker):
        if _owes_card(position, reached[0]):
            found += _with_owed_melds(position, reached)
        else:
            found += [begun(position, (Take(depth),)) for depth in range(1, len(reached) + 1)]
    if public.turn_up is not None and rules.moves.take_turn_up is not None:
        found.append(begun(position, (TakeTurnUp(),)))
    return (start for start in found if start is not None)


def _owes_card(position: Position, card: Card) -> bool:
    """Return whether taking *card* obliges to meld it; what a take owes does not depend on its depth."""
    debts = position.rules.moves.take.debts(Draft(position, alone=False), card)
    return card in [debt.card for debt in debts]


def _with_owed_melds(position: Position, reached: tuple[Card, ...]) -> Iterator[Begun | None]:
    arranger = position.rules.arranger
    loose = arranger.table.loose(CardBag(position.hand + bag(reached)))
    for depth, card in enumerate(reached, start=1):
        if not includes(loose, ONE[card.index]):
            for meld in arranger.melds_with(card, position.hand)[:MELDS_PER_TAKE]:
                yield begun(position, (Take(depth), Lay(meld.cards)))


def ways_out(start: Begun) -> Iterator[Play]:
    """Yield plays that begin as *start*, lay everything and go out."""
    draft = start.draft
    owed = next((debt.card for debt in draft.debts if debt.card is not None), None)
    bar = None if draft.opened_before else draft.rules.moves.opening
    for way in draft.rules.arranger.ways_out(draft.hand, has_run=draft.owns_run(), using=owed, bar=bar):
        lays = tuple(Lay(meld.cards) for meld in way.melds)
        yield Play((*start.moves, *lays, Discard(way.discard)))


def openings(start: Begun) -> Iterator[Begun]:
    """Yield the lays of a first laying down, where the family has a bar for it."""
    bar = start.draft.rules.moves.opening
    if bar is None or start.draft.opened_before:
        return
    found = start.draft.rules.arranger.opening(start.draft.hand, bar)
    laid = start.then(*(Lay(meld.cards) for meld in found.melds)) if found is not None else None
    if laid is not None:
        yield laid


def swaps(start: Begun) -> Iterator[Begun]:
    """Yield swaps whose joker goes into a new meld at once."""
    for number, laid in enumerate(start.draft.melds, start=1):
        for card in laid.meld.cards:
            if card.is_joker and includes(start.draft.hand, ONE[card.face.index]):
                after = start.then(Swap(number, card.face))
                settled = _lay_joker(after) if after is not None else None
                if settled is not None:
                    yield settled


def _lay_joker(start: Begun) -> Begun | None:
    for meld in start.draft.rules.arranger.arrange(start.draft.hand).melds:
        if not meld.clean and meld.held != start.draft.hand:
            return start.then(Lay(meld.cards))
    return None


def laid_out(start: Begun) -> Begun:
    """Return *start* with every further meld and lay-off that leaves a card to discard.

    Only where melds on the table may grow: elsewhere laying is going out.
    """
    own = start.then() if start.draft.rules.moves.grow is not None else None
    if own is None:
        return start
    moves, draft = list(start.moves), own.draft
    for meld in draft.rules.arranger.arrange(draft.hand).melds:
        more = _trimmed(draft, meld)
        if more is not None and _try(draft, Lay(more.cards)):
            moves.append(Lay(more.cards))
    grown = _may_grow(draft)
    while grown:
        grown = False
        for move in _lay_offs(draft):
            if size(draft.hand) > 1 and _try(draft, move):
                moves.append(move)
                grown = True
                break
    return Begun(start.position, tuple(moves), draft) if len(moves) > len(start.moves) else start


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


def _may_grow(draft: Draft) -> bool:
    grow = draft.rules.moves.grow
    try:
        if grow is not None:
            grow.verify(draft)
    except RuleViolation:
        return False
    return grow is not None


def _lay_offs(draft: Draft) -> Iterator[LayOff]:
    for card in distinct(draft.hand):
        if not card.is_joker:
            for number, laid in enumerate(draft.melds, start=1):
                for end in _ends(laid.meld, card, draft.rules.melds.runs.sequences):
                    yield LayOff(number, end, (card,))


def _ends(meld: Meld, card: Card, sequences: tuple[str, ...]) -> Iterator[End | None]:
    """Yield where *card* may be worth trying on *meld*: a quick look before `verify`."""
    first, last = meld.cards[0], meld.cards[-1]
    if meld.kind is MeldKind.SET:
        if card.rank == first.rank and len(meld.cards) < 4:
            yield None
    elif card.suit == first.suit:
        if any(card.rank + first.rank in sequence for sequence in sequences):
            yield End.LOW
        if any(last.rank + card.rank in sequence for sequence in sequences):
            yield End.HIGH


def finished(start: Begun) -> Play | None:
    """Return *start* ended with the discard that leaves least deadwood, None if no card is left."""
    draft = start.draft
    if not draft.hand:
        return None
    card = draft.rules.arranger.best_discard(draft.hand, has_run=draft.owns_run())
    return Play((*start.moves, Discard(card)))
