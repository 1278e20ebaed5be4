"""Engine values at random; legality does not matter to a codec."""

from hypothesis import strategies as st

from engine.cards import CARDS, JOKER, NATURALS, Card, CardBag, bag
from engine.events import (
    CardDrawn,
    DealerDrawn,
    Event,
    HandShown,
    MatchCause,
    MatchOver,
    PlayMade,
    RoundDealt,
    RoundOver,
    SeatPresence,
    StockReshuffled,
    YouDrew,
    YouWereDealt,
)
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.rules.position import RoundEnd
from wire.moves import MOST_CARDS, MOST_MOVES

SEAT = 3
"""The seat that private events are told to."""

naturals: st.SearchStrategy[Card] = st.sampled_from(NATURALS)
held: st.SearchStrategy[Card] = st.sampled_from((*NATURALS, JOKER))
named: st.SearchStrategy[Card] = st.sampled_from(CARDS)
few_cards = st.lists(named, min_size=1, max_size=7).map(tuple) | st.lists(
    named, min_size=1, max_size=MOST_CARDS, unique_by=lambda card: card.held_as
).map(tuple)
hands: st.SearchStrategy[CardBag] = st.lists(held, max_size=7).map(bag) | st.sets(held).map(bag)

seats = st.integers(0, 7)
counts = st.integers(0, 120)
points = st.integers(-(2**31), 2**31 - 1)
per_seat = st.lists(points, max_size=8).map(tuple)

moves: st.SearchStrategy[Move] = st.one_of(
    st.just(Draw()),
    st.just(TakeTurnUp()),
    st.builds(Take, st.integers(0, 2**32 - 1)),
    st.builds(Lay, few_cards),
    st.builds(LayOff, st.integers(0, 2**32 - 1), st.sampled_from((None, *End)), few_cards),
    st.builds(Swap, st.integers(0, 2**32 - 1), held),
    st.builds(Discard, held),
)
plays = st.lists(moves, min_size=1, max_size=8).map(tuple).map(Play) | st.lists(
    moves, min_size=MOST_MOVES, max_size=MOST_MOVES
).map(tuple).map(Play)

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(DealerDrawn, st.lists(st.tuples(seats, held), max_size=9).map(tuple), seats),
    st.builds(
        RoundDealt, counts, seats, seats, st.lists(counts, max_size=8).map(tuple), counts, st.none() | held
    ),
    st.builds(YouWereDealt, st.just(SEAT), hands, st.booleans()),
    st.builds(StockReshuffled, counts),
    st.builds(CardDrawn, seats, counts),
    st.builds(YouDrew, st.just(SEAT), held),
    st.builds(PlayMade, seats, plays, st.booleans()),
    st.builds(RoundOver, counts, st.sampled_from(RoundEnd), st.none() | seats, per_seat, per_seat),
    st.builds(HandShown, seats, hands),
    st.builds(MatchOver, st.sampled_from(MatchCause), per_seat, st.lists(seats, max_size=8).map(tuple)),
    st.builds(SeatPresence, seats, st.booleans()),
)  # fmt: skip
