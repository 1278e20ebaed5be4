"""Matches of remik: dealer, deal, turns, reshuffles, ends, and that no card is lost."""

from collections.abc import Callable
from random import Random

import pytest

from engine.cards import JOKER, NATURALS, bag, count, distinct, listed, size
from engine.events import DealerDrawn, RoundDealt, StockReshuffled, audience
from engine.match import Match, apply, draw_dealer, start
from engine.melds import MeldKind
from engine.moves import DISCARDS, DRAW, Play, Take
from engine.notation import parse_cards
from engine.offers import offered
from engine.rules.position import Phase, Position
from engine.rules.registry import rule_set
from engine.scenario.reader import read_file
from engine.shuffle import SeededDealing
from engine.verify import can, verify
from engine.views import public_view

SEEDS = [SeededDealing(bytes([number]) * 32) for number in range(12)]


def stand(*lines: str) -> Match:
    """Return the match that *lines* set up under remik with two seats."""
    return read_file("\n".join(["rules remik players=2", *lines]), "test")[0].start


def tosser(position: Position) -> Play:
    """Draw and discard the first card; never opens."""
    return DRAW if position.public.phase is Phase.DRAW else DISCARDS[distinct(position.hand)[0].index]


def taker(position: Position) -> Play:
    """Take whatever may be taken and discarded; draw only where that is refused."""
    if position.public.phase is Phase.DRAW:
        pile = position.public.piles[0]
        back = Play((Take(1), *DISCARDS[pile[0].index].moves)) if pile else DRAW
        return back if can(position, back) else DRAW
    return tosser(position)


def hoarder(position: Position) -> Play:
    """Lay and lay off as much as is offered, but never go out."""
    best, left = tosser(position), size(position.hand)
    for play in offered(position):
        draft = verify(position, play)
        if draft.discarded is not None and draft.hand and size(draft.hand) < left:
            best, left = play, size(draft.hand)
    return best


@pytest.mark.clause("remik-1.1", "remik-1.2", "remik-3.2", "remik-3.3")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("jokers", [4, 6])
def test_deal(players: int, jokers: int) -> None:
    """Thirteen cards each, the dealer one more, the rest of two packs and the jokers in the stock."""
    match, _ = start(rule_set("remik", {"players": players, "jokers": jokers}), SEEDS[0])
    public = match.public
    assert sorted(public.hand_sizes) == [13] * (players - 1) + [14]
    assert public.hand_sizes[public.dealer] == 14
    assert public.stock_size == 104 + jokers - 13 * players - 1
    assert (public.turn, public.phase, public.piles, public.turn_up) == (public.dealer, Phase.PLAY, ((),), None)
    everything = [*match.round.stock.left(), *(card for hand in match.round.hands for card in listed(hand))]
    assert {count(bag(everything), card) for card in distinct(bag(everything))} == {2, jokers}
    assert everything.count(JOKER) == jokers


@pytest.mark.clause("remik-3.1")
@pytest.mark.parametrize(
    ("deck", "drawn", "dealer"),
    [
        ("2S KH 9C", "2S KH 9C", 1),
        ("AS KH JK", "AS KH JK", 2),
        ("AS KH QD", "AS KH QD", 0),
        ("KS 3D KH 4S 9D", "KS 3D KH 4S 9D", 2),
        ("JK JK 3D AS AH 4S 5H", "JK JK 3D AS AH 4S 5H", 1),
        ("TS TH TD 4S 5H 4D", "TS TH TD 4S 5H 4D", 1),
    ],
)
def test_high_card(deck: str, drawn: str, dealer: int) -> None:
    """The highest card deals; those who tie for it, and only they, draw again."""
    found = draw_dealer(parse_cards(deck + " 2C 2D 2H"), 3)
    assert (found.dealer, tuple(card for _, card in found.draws)) == (dealer, parse_cards(drawn))


@pytest.mark.clause("remik-3.1")
def test_dealer_is_told() -> None:
    """The draw for the dealer is the first event of a match, for everybody; all seats may come out of it."""
    dealers = set()
    for dealing in SEEDS:
        match, events = start(rule_set("remik", {"players": 3}), dealing)
        drawn, dealt = events[:2]
        assert isinstance(drawn, DealerDrawn)
        assert isinstance(dealt, RoundDealt)
        assert audience(drawn) is None
        assert drawn.dealer == dealt.dealer == dealt.starter == match.public.turn
        dealers.add(drawn.dealer)
    assert dealers == {0, 1, 2}


@pytest.mark.clause("remik-4.2")
def test_turns_go_to_the_left() -> None:
    """After each discard the next seat is to act, and no other may."""
    match, _ = start(rule_set("remik", {"players": 5}), SEEDS[1])
    seats = []
    for _ in range(21):
        seat = match.public.turn
        seats.append(seat)
        assert not can(match.round.position((seat + 1) % 5), DRAW)
        match, _ = apply(match, seat, tosser(match.round.position(seat)))
    first = seats[0]
    assert list(dict.fromkeys(seats)) == [(first + step) % 5 for step in range(5)]


@pytest.mark.clause("remik-8.4")
@pytest.mark.parametrize("dealing", SEEDS[:3])
def test_reshuffle(dealing: SeededDealing) -> None:
    """The new stock is the pile below its top, and everybody is told its size."""
    pile = parse_cards("9H 3C 4C 5C 6C KD JK 2H")
    match = stand("hand 0: 2S", "stock only:", "discards: 9H 3C 4C 5C 6C KD JK 2H", "turn 0")
    after, events = apply(match._replace(dealing=dealing), 0, DRAW)
    assert events[0] == StockReshuffled(7)
    assert audience(events[0]) is None
    assert after.public.piles == (pile[:1],)
    drawn = after.round.hands[0] - match.round.hands[0]
    assert bag(after.round.stock.left()) + drawn == bag(pile[1:])


@pytest.mark.clause("remik-11.5")
def test_totals_are_public() -> None:
    """Points and totals of every round are in the public view."""
    match, _ = start(rule_set("remik", {"players": 2}), SEEDS[2])
    while len(match.history) < 2:
        seat = match.public.turn
        match, _ = apply(match, seat, tosser(match.round.position(seat)))
    view = public_view(match)
    sums = tuple(map(sum, zip(*(played.points for played in view.history), strict=True)))
    assert view.totals == sums == view.history[1].totals
    assert min(view.history[0].points) > 0


@pytest.mark.clause("remik-8.5", "remik-12.1")
@pytest.mark.parametrize("bot", [tosser, taker])
@pytest.mark.parametrize("preset", ["remik", "remik-500"])
def test_every_match_ends(preset: str, bot: Callable[[Position], Play]) -> None:
    """Bots that never open come past the limit by rounds that nobody wins."""
    match, _ = start(rule_set(preset, {"players": 3}), SEEDS[3])
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, bot(match.round.position(seat)))
    assert max(match.totals) > (300 if preset == "remik" else 500)
    assert all(played.closer is None for played in match.history)


@pytest.mark.clause("remik-8.5")
def test_a_round_of_hoarders_ends() -> None:
    """Seats that lay all they can and never go out run out of reshuffles."""
    match, _ = start(rule_set("remik", {"players": 2, "rounds": 1}), SEEDS[4])
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, hoarder(match.round.position(seat)))
    assert match.history[0].closer is None
    assert match.public.melds
    assert min(match.history[0].points) > 0


@pytest.mark.parametrize("number", range(6))
def test_nothing_is_lost(number: int) -> None:
    """After every play of random matches all cards are somewhere, once, and every meld is a meld."""
    random = Random(number)
    rules = rule_set("remik", {"players": 2 + number % 3, "rounds": 1, "jokers": 6})
    match, _ = start(rules, SEEDS[number])
    for _ in range(400):
        if match.over is not None:
            break
        seat = match.public.turn
        position = match.round.position(seat)
        offers = offered(position)
        play = random.choice([offer for offer in offers if len(offer.moves) > 1] or offers)
        match, _ = apply(match, seat, play)
        public = match.public
        piles = sum(bag(pile) for pile in (*public.piles, match.round.stock.left()))
        melds = sum(laid.meld.held for laid in public.melds)
        everything = piles + melds + sum(match.round.hands)
        assert everything == 2 * bag(NATURALS) + 6 * bag([JOKER])
        assert public.hand_sizes == tuple(map(size, match.round.hands))
        assert public.stock_size == match.round.stock.size
        for laid in public.melds:
            read = rules.melds.read(laid.meld.cards)
            assert (read.kind, read.held) == (laid.meld.kind, laid.meld.held)
            assert read.kind is MeldKind.SET or len(set(read.cards)) == len(read.cards)
        for owner in {laid.owner for laid in public.melds}:
            assert public.opened[owner]
