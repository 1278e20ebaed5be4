"""Plays a round of two to its end in one's head, as if every card were known.

For bots that know, or believe to know, what others cannot: nothing here finds it out.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from engine.cards import JOKER, NATURALS, Card, CardBag, bag, less, listed
from engine.moves import Play
from engine.round import Round, play_in
from engine.rules.position import PublicRound
from engine.rules.ruleset import RuleSet
from engine.shuffle import SEED_BYTES, SeededDealing
from engine.stand_in import greedy
from engine.stock import Stock
from engine.views import SeatView

_DEALING: Final = SeededDealing(bytes(SEED_BYTES))
"""Reshuffles are not foreseen."""


def unseen(rules: RuleSet, seen: CardBag) -> tuple[Card, ...]:
    """Return the cards of the deck without those *seen*, in canonical order."""
    deck = bag((*NATURALS * rules.deck.packs, *[JOKER] * rules.deck.jokers))
    return listed(less(deck, seen))


def imagined(view: SeatView, across: CardBag, own_draws: Iterable[Card], their_draws: Iterable[Card]) -> Round:
    """Return the round of *view* as it is if the other seat holds *across*.

    Args:
        view: What a seat of two knows; that seat is to act.
        across: Cards of the other seat; as many as it holds, or nearly.
        own_draws: Cards that this seat will draw, in order, as far as known.
        their_draws: Cards that the other seat will draw, likewise.
    """
    public, own, theirs = view.round, list(own_draws), list(their_draws)
    table = [card.held_as for pile in public.piles for card in pile]
    melds = [card.held_as for laid in public.melds for card in laid.meld.cards]
    rest = list(unseen(view.rules, CardBag(view.hand + across + bag([*table, *melds, *own, *theirs]))))
    half = (public.stock_size + 1) // 2
    while len(own) < half and rest:
        own.append(rest.pop())
    while len(theirs) < half and rest:
        theirs.append(rest.pop())
    order = [card for pair in zip_longest(theirs[:half], own[:half]) for card in pair if card is not None]
    cards = tuple(order[: public.stock_size])
    hands = (view.hand, across) if view.seat == 0 else (across, view.hand)
    stock = Stock.of(cards, 1 - view.seat, 2)
    return Round(view.rules, _as_imagined(public, len(cards), across, view.seat), hands, stock, None)


def _as_imagined(public: PublicRound, stock_size: int, across: CardBag, seat: int) -> PublicRound:
    sizes = list(public.hand_sizes)
    sizes[1 - seat] = len(listed(across))
    return public._replace(stock_size=stock_size, hand_sizes=tuple(sizes))


def best_of(plays: Sequence[Play], state: Round, seat: int) -> Play:
    """Return which of *plays* leaves *seat* furthest ahead if both seats go on greedily; of equals the first."""
    return max(plays, key=lambda play: _lead(play, state, seat))


def _lead(play: Play, state: Round, seat: int) -> int:
    """Return by how many points *seat* is ahead at the end; more is better."""
    state, _ = play_in(state, _DEALING, seat, play)
    while not state.is_over:
        turn = state.public.turn
        state, _ = play_in(state, _DEALING, turn, greedy(state.position(turn)))
    points = state.rules.scoring.points(state.rules, state.ended())
    return state.rules.sense.value * (points[seat] - points[1 - seat])
