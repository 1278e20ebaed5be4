"""Suits under other names: a decision that is alike whatever the suits are called.

No rule tells one suit from another, but a choice between cards that are equally good
must end somewhere, and an order of the cards ends it by the name of a suit. At the
tables of a set, where suits are relabelled, such choices would differ and with them
all that follows: luck that the set was made to take out. So a position is looked at
under names that follow from what lies where.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Final

from engine.cards import SUIT_BITS, SUIT_MASK, SUITS, Card, relabelled, relabelled_bag
from engine.melds import Meld
from engine.moves import Discard, Lay, LayOff, Move, Play, Swap
from engine.rules.position import Position, PublicRound, TableMeld

Suits = tuple[int, ...]
"""Where each suit (S H D C) goes: four numbers from 0 to 3, all different."""

RELABELLINGS: Final[tuple[Suits, ...]] = tuple(permutations(range(4)))
"""Every way to relabel suits."""

_SAME: Final = RELABELLINGS[0]


def evenly(decide: Callable[[Position], Play], position: Position) -> Play:
    """Return what *decide* plays at *position* when it is shown under names that follow from the position.

    Of a position with relabelled suits it is the same play, relabelled; unless two suits look
    exactly alike to the seat, in hand and on the table.
    """
    suits = _names(position)
    if suits == _SAME:
        return decide(position)
    play = decide(renamed(position, suits))
    return renamed_play(play, tuple(suits.index(suit) for suit in range(4)))


def _names(position: Position) -> Suits:
    """Return names for the suits: by what the hand holds of them, then by what lies face up of them."""
    hand = position.hand
    held = [hand >> SUIT_BITS * suit & SUIT_MASK for suit in range(4)]
    order = sorted(range(4), key=held.__getitem__)
    if len(set(held)) < len(held):
        order.sort(key=lambda suit: (held[suit], _face_up(position.public, suit)))
    return tuple(order.index(suit) for suit in range(4))


def _face_up(public: PublicRound, suit: int) -> tuple[object, ...]:
    """Return what anybody sees of a suit, in the order in which it lies."""
    letter = SUITS[suit]
    turned = [card for card in (public.turn_up, public.dealt_turn_up) if card is not None]
    rows = (turned, *public.piles, *(laid.meld.cards for laid in public.melds))
    lies = [
        (row, place, card.rank)
        for row, cards in enumerate(rows)
        for place, card in enumerate(cards)
        if card.suit == letter
    ]
    return tuple(lies), tuple(known >> SUIT_BITS * suit & SUIT_MASK for known in public.known)


def renamed(position: Position, suits: Suits) -> Position:
    """Return *position* with its suits relabelled."""
    public = position.public

    def card(old: Card | None) -> Card | None:
        return None if old is None else relabelled((old,), suits)[0]

    turned = public._replace(
        piles=tuple(relabelled(pile, suits) for pile in public.piles),
        melds=tuple(TableMeld(laid.owner, _renamed_meld(laid.meld, suits)) for laid in public.melds),
        known=tuple(relabelled_bag(known, suits) for known in public.known),
        turn_up=card(public.turn_up),
        dealt_turn_up=card(public.dealt_turn_up),
        closing_card=card(public.closing_card),
    )
    return position._replace(public=turned, hand=relabelled_bag(position.hand, suits))


def _renamed_meld(meld: Meld, suits: Suits) -> Meld:
    return replace(meld, cards=relabelled(meld.cards, suits), held=relabelled_bag(meld.held, suits))


def renamed_play(play: Play, suits: Suits) -> Play:
    """Return *play* with its suits relabelled."""
    return Play(tuple(_renamed_move(move, suits) for move in play.moves))


def _renamed_move(move: Move, suits: Suits) -> Move:
    match move:
        case Lay(cards):
            return Lay(relabelled(cards, suits))
        case LayOff(meld, end, cards):
            return LayOff(meld, end, relabelled(cards, suits))
        case Swap(meld, card):
            return Swap(meld, relabelled((card,), suits)[0])
        case Discard(card):
            return Discard(relabelled((card,), suits)[0])
        case _:
            return move
