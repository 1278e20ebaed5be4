"""What a seat has seen of the deck."""

from engine.cards import NATURALS, ONE, bag
from engine.rules.position import Draft


def unseen_copies(draft: Draft) -> list[int]:
    """Return how many copies of each natural card the seat of *draft* has not seen, by index."""
    public = draft.public
    seen = draft.hand + sum(map(bag, public.piles)) + sum(laid.meld.held for laid in draft.melds) - bag(draft.taken)
    if public.turn_up is not None and not draft.took_turn_up:
        seen += ONE[public.turn_up.index]
    packs = draft.rules.deck.packs
    return [packs - (seen >> 4 * index & 7) for index in range(len(NATURALS))]
