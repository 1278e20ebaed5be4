"""Plays put together move by move from what the meld search finds.

Everything here is a function of a `Position`. The moves are made by `verify`'s
own steps, so what it would refuse does not come about.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.cards import JOKER, ONE, Card, count, distinct, includes, size
from engine.melds import Meld, MeldKind
from engine.moves import Discard, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import RuleViolation
from engine.rules.position import Draft, Position
from engine.verify import step, still_open

MELDS_PER_TAKE: Final = 3
"""How many melds of a taken discard are tried, the dearest first."""


class Begun(NamedTuple):
    """A play begun: legal moves, and the draft that they leave, which nobody changes.

    Attributes:
        moves: Its moves so far.
        draft: The draft after them.
    """

    moves: tuple[Move, ...]
    draft: Draft

    def then(self, *moves: Move) -> "Begun | None":
        """Return the play with *moves* added, None if one of them is illegal."""
        draft = self.draft.copy()
        try:
            for move in moves:
                step(draft, move)
        except RuleViolation:
            return None
        return Begun(self.moves + moves, draft)

    def finished(self) -> Play | None:
        """Return it as a play to be sent, None where it may not end here."""
        return None if still_open(self.draft) else Play(self.moves)


def begun(position: Position, moves: tuple[Move, ...] = ()) -> Begun | None:
    """Return the play that begins with *moves*, None if one of them is illegal."""
    return Begun((), Draft(position, alone=False)).then(*moves)


def takes(start: Begun) -> list[Begun]:
    """Return the ways to begin a play, of which nothing is made yet, with a face-up card and the meld it owes."""
    draft = start.draft
    rules, public = draft.rules, draft.public
    pile = public.piles[rules.pile.own(draft.seat)]
    found: list[Begun | None] = []
    reached = pile[: rules.pile.depth]
    if reached and not (rules.pile.joker_blocks and reached[0].is_joker):
        if _owes_card(draft, reached[0]):
            found = _with_owed_melds(start, reached)
        else:
            found = [start.then(Take(depth)) for depth in range(1, len(reached) + 1)]
    if public.turn_up is not None and rules.moves.take_turn_up is not None:
        found.append(start.then(TakeTurnUp()))
    return [begun for begun in found if begun is not None] if found else []


def _owes_card(draft: Draft, card: Card) -> bool:
    """Return whether taking *card* obliges to meld it; what a take owes does not depend on its depth."""
    return card in [debt.card for debt in draft.rules.moves.take.debts(draft, card)]


def _with_owed_melds(start: Begun, reached: tuple[Card, ...]) -> list[Begun | None]:
    hand, arranger = start.draft.hand, start.draft.rules.arranger
    return [
        start.then(Take(place + 1), Lay(meld.cards))
        for place in arranger.partners.promising(reached, hand)
        for meld in arranger.melds_with(reached[place], hand)[:MELDS_PER_TAKE]
    ]


def ways_out(start: Begun) -> list[Begun | None]:
    """Return plays that begin as *start*, lay everything and go out; None for one that turns out illegal."""
    draft, owed = start.draft, None
    if draft.debts:
        owed = next((debt.card for debt in draft.debts if debt.card is not None), None)
    bar = None if draft.opened_before else draft.rules.moves.opening
    return [
        start.then(*(Lay(meld.cards) for meld in way.melds), Discard(way.discard))
        for way in draft.rules.arranger.ways_out(draft.hand, has_run=draft.owns_run(), using=owed, bar=bar)
    ]


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
    if start.draft.rules.moves.grow is None:
        return start
    moves, draft = list(start.moves), start.draft.copy()
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
    reached = _without_jokers(Begun(tuple(moves), draft))
    return reached if len(reached.moves) > len(start.moves) else start


def _without_jokers(start: Begun) -> Begun:
    """Return *start* with jokers laid off where that leaves nothing but the card to discard, else as it is."""
    hand = start.draft.hand
    jokers, held = count(hand, JOKER), size(hand)
    spare = jokers - 1 if held == jokers else jokers
    if spare < 1 or held - spare != 1:
        return start
    moves, draft = list(start.moves), start.draft.copy()
    for _ in range(spare):
        move = next((move for move in _joker_lay_offs(draft) if _try(draft, move)), None)
        if move is None:
            return start
        moves.append(move)
    return Begun(tuple(moves), draft)


def _joker_lay_offs(draft: Draft) -> Iterator[LayOff]:
    for number, laid in enumerate(draft.melds, start=1):
        ends = (None,) if laid.meld.kind is MeldKind.SET else (End.LOW, End.HIGH)
        for end in ends:
            yield LayOff(number, end, (JOKER,))


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


def ended(start: Begun) -> Begun | None:
    """Return *start* ended with the discard that leaves least deadwood, None where it may not end with a discard."""
    draft = start.draft
    if not draft.hand or (size(draft.hand) > 1 and any(debt.violation(draft) for debt in draft.debts)):
        return None  # a discard that leaves cards settles nothing that is owed
    card = draft.rules.arranger.best_discard(draft.hand, has_run=draft.owns_run())
    return start.then(Discard(card))
