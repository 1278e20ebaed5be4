"""Remik beyond its scenarios: values, dealer, options, what lay-offs tell, how matches end."""

from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest

from engine.cards import JOKER, bag, count, distinct, listed, natural, size
from engine.events import DealerDrawn, PlayMade, RoundDealt, StockReshuffled, audience
from engine.match import Match, apply, draw_dealer, start
from engine.melds import MeldKind
from engine.moves import DISCARDS, DRAW, End, LayOff, Play, Take
from engine.notation import parse_cards, parse_play, show_play
from engine.offers import offered
from engine.reasons import Reason, RuleViolation
from engine.rules.options import OptionError
from engine.rules.position import Phase, Position
from engine.rules.registry import rule_set
from engine.rules.ruleset import MatchLength
from engine.scenario.reader import read_file
from engine.shuffle import SeededDealing
from engine.verify import can, verify
from engine.views import public_view

RULES = rule_set("remik")
SEEDS = [SeededDealing(bytes([number]) * 32) for number in range(12)]


def stand(*lines: str) -> Match:
    """Return the match that *lines* set up under remik with two seats."""
    return read_file("\n".join(["rules remik players=2", *lines]), "test")[0].start


def refusal(match: Match, play: str) -> tuple[Reason, dict[str, str | int]]:
    """Return reason and facts of the refusal of *play* of seat 0."""
    with pytest.raises(RuleViolation) as refused:
        verify(match.round.position(0), parse_play(play))
    return refused.value.violation.reason, refused.value.violation.facts


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


@pytest.mark.clause("remik-2.1", "remik-2.2", "remik-2.3")
@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("2H 3H 4H", 9),
        ("8S 8H 8C", 24),
        ("9S TS JS", 29),
        ("QS QH QC", 30),
        ("AS 2S 3S", 6),
        ("QH KH AH", 31),
        ("AS AH AD", 33),
        ("JK 2D 3D", 6),
        ("QD KD JK", 31),
        ("JK KD AD", 31),
        ("AS AD JK", 33),
        ("9H 9S JK JK", 36),
        ("5C JK 7C JK 9C", 35),
        ("JK 5C JK", 15),
        ("AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD", 85),
        ("2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", 95),
    ],
)
def test_worth(cards: str, worth: int) -> None:
    """What a meld is worth, an ace by its place and a joker by what it stands for (C-15 to C-19)."""
    assert RULES.points.worth(RULES.melds.read(parse_cards(cards), name_jokers=False)) == worth


@pytest.mark.clause("remik-2.4")
@pytest.mark.parametrize(("price", "left"), [(25, 25), (30, 30), (50, 50)])
def test_cost(price: int, left: int) -> None:
    """What single cards cost in a hand."""
    rules = rule_set("remik", {"joker_price": price})
    costs = [rules.points.cost(card) for card in parse_cards("AS 2S 9D TH JC QC KD JK")]
    assert costs == [11, 2, 9, 10, 10, 10, 10, left]


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


@pytest.mark.clause("remik-1.1")
def test_seats() -> None:
    """Two to six seats; four where a table names no number."""
    assert RULES.players == 4
    for players in (1, 7):
        with pytest.raises(OptionError, match="players"):
            rule_set("remik", {"players": players})


@pytest.mark.clause("remik-1.3")
def test_lowest_total_leads() -> None:
    """Points are penalties: the lowest total leads."""
    assert RULES.leaders((30, 0, 12)) == (1,)
    assert RULES.leaders((30, 12, 12)) == (1, 2)


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


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("jokers", 2),
        ("joker_price", 40),
        ("limit", -1),
        ("limit", 100_001),
        ("tie", "split"),
        ("run_joker_limit", 7),
        ("idle_reshuffles", 11),
        ("packs", 1),
        ("limit", "many"),
    ],
)
def test_bad_options(option: str, value: str | int) -> None:
    """An unknown option or value is refused by its name."""
    with pytest.raises(OptionError, match=option):
        rule_set("remik", {option: value})


@pytest.mark.clause("remik-12.6")
def test_one_end_of_a_match() -> None:
    """Rounds, target and limit exclude each other; one that is given turns the preset's limit off."""
    for ends in ({"rounds": 3, "limit": 500}, {"target": 100, "limit": 500}, {"rounds": 3, "target": 100}):
        with pytest.raises(OptionError, match="contradict each other"):
            rule_set("remik", ends)
    assert rule_set("remik", {"rounds": 3}).options["limit"] == 0
    assert rule_set("remik-500", {"target": 90}).length == MatchLength(0, ceiling=90, floor=-90)
    assert rule_set("remik", {"limit": 0}).length == MatchLength(0)
    assert rule_set("remik", {"limit": 120}).length == MatchLength(0, ceiling=121)


@pytest.mark.clause("remik-12.2", "remik-12.5")
def test_extra_rounds() -> None:
    """A tie is played on for ten rounds at most; a decision in between ends it."""
    length = rule_set("remik", {"tie": "extra_round"}).length
    tied = [(250, 250), (301, 301)]
    for _ in range(10):
        assert not length.is_over(tuple(tied), tied=True)
        assert length.is_over(tuple(tied), tied=False)
        tied.append((301 + len(tied), 301 + len(tied)))
    assert len(tied) == 12
    assert length.is_over(tuple(tied), tied=True)
    assert not length.is_over(((300, 300),), tied=False)
    assert rule_set("remik").length.is_over(((301, 301),), tied=True)


@pytest.mark.clause("remik-12.5", "remik-12.6")
def test_extra_rounds_after_a_number_of_rounds() -> None:
    """With a number of rounds, too, a tie may be played on."""
    length = rule_set("remik", {"tie": "extra_round", "rounds": 2}).length
    assert not length.is_over(((5, 5),), tied=True)
    assert not length.is_over(((5, 5), (9, 9)), tied=True)
    assert length.is_over(((5, 5), (9, 8)), tied=False)
    assert length.is_over(((9, 9),) * 12, tied=True)


@pytest.mark.clause("remik-5.2")
@pytest.mark.parametrize("cards", ["9H 9S JK=9D", "9H 9S JK JK", "9H 9S JK=9C JK", "9H 9S JK", "9H 9H JK=9D"])
def test_order_of_a_set(cards: str) -> None:
    """The order of a set changes no verdict and no value."""
    found: set[object] = set()
    for order in permutations(parse_cards(cards)):
        try:
            meld = RULES.melds.read(order)
            found.add((meld.kind, RULES.points.worth(meld), bag(meld.cards)))
        except RuleViolation as refused:
            found.add(refused.violation.reason)
    assert len(found) == 1


@pytest.mark.clause("remik-7.8")
@pytest.mark.parametrize("names", ["JK=9D JK=9C", "JK=9C JK=9D", "JK JK", "JK=9D JK", "JK JK=9D"])
@pytest.mark.parametrize("freed", ["9D", "9C"])
def test_two_jokers_of_a_set(names: str, freed: str) -> None:
    """However the two jokers were named, each of the two missing cards frees one, and the other stays."""
    match = stand("opened 0", f"hand 0: 9H 9S JK JK {freed} QS QD 3H 4H", "turn 0 drawn")
    play = parse_play(f"lay 9H 9S {names}; swap m1 {freed}; lay QS QD JK=QH; discard 3H")
    draft = verify(match.round.position(0), play)
    standing = draft.melds[0].meld
    assert bag(standing.cards) == bag(parse_cards(f"9H 9S {freed} JK"))
    assert {card.face for card in standing.cards} == {natural("9", suit) for suit in "SHDC"}


@pytest.mark.clause("remik-9.5")
@pytest.mark.parametrize(
    ("play", "needs"),
    [
        ("lay-off m1 high TD; discard 2S", "the opening lays 0 points and needs 51"),
        ("swap m2 8C; discard 2S", "the opening lays 0 points and needs 51"),
        ("lay KS KH KD; lay-off m1 high TD; discard 2S", "the opening lays 30 points and needs 51"),
        (
            "lay KS KH KD; lay QS QH QD; lay-off m1 high TD; discard 2S",
            "the opening needs a run without a joker",
        ),
    ],
)
def test_what_an_opening_lacks(play: str, needs: str) -> None:
    """A lay-off or swap before the opening is told what is lacking."""
    match = stand("meld 1: 7D 8D 9D", "meld 1: 8S 8H JK=8C", "hand 0: KS KH KD QS QH QD TD 8C 2S 3S", "turn 0 drawn")
    assert refusal(match, play) == (Reason.NOT_OPENED, {"needs": needs})


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        ("swap m1 AS; discard 2S", Reason.CARD_NOT_HELD),
        ("swap m3 8C; discard 2S", Reason.MELD_UNKNOWN),
        ("swap m1 8C; discard 2S", Reason.NOT_OPENED),
        ("lay-off m9 high AS; discard 2S", Reason.CARD_NOT_HELD),
        ("lay-off m9 high TD; discard 2S", Reason.MELD_UNKNOWN),
        ("lay-off m1 low TD; discard 2S", Reason.NOT_OPENED),
        ("lay 8C TD 2S", Reason.MELD_INVALID),
        ("lay KS KH JK", Reason.JOKER_UNNAMED),
        ("lay KS KH KD", Reason.PLAY_UNFINISHED),
        ("take-turn-up; discard 2S", Reason.WRONG_PHASE),
    ],
)
def test_first_reason(play: str, reason: Reason) -> None:
    """Of several reasons the first one that applies is given."""
    match = stand("meld 1: 7D 8D 9D", "meld 1: 8S 8H JK=8C", "hand 0: KS KH KD JK TD 8C 2S", "turn 0 drawn")
    assert refusal(match, play)[0] is reason


def test_no_turn_up() -> None:
    """There is no turn-up to take."""
    assert refusal(stand("hand 0: 2S 3S", "turn 0"), "take-turn-up; discard 2S")[0] is Reason.MOVE_NOT_IN_RULES


@pytest.mark.clause("remik-7.1", "remik-9.4")
def test_what_a_lay_off_tells() -> None:
    """Everybody is told the end of a run and what a joker stands for, also where the play left it out."""
    match = stand(
        "opened 0", "meld 1: 7D 8D 9D", "meld 1: 4S 4H JK=4C", "hand 0: JK JK TD 2S 3S KS KH KD", "turn 0 drawn"
    )
    _, events = apply(
        match, 0, parse_play("lay-off m1 TD; lay-off m1 high JK; lay-off m2 JK; lay KS KH KD; discard 2S")
    )
    made = events[0]
    assert isinstance(made, PlayMade)
    assert show_play(made.play) == (
        "lay-off m1 high TD; lay-off m1 high JK=JD; lay-off m2 JK=4D; lay KS KH KD; discard 2S"
    )
    assert made.play.moves[0] == LayOff(1, End.HIGH, parse_cards("TD"))


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
        assert everything == sum((2 * bag(parse_cards(_PACK)), 6 * bag([JOKER])))
        assert public.hand_sizes == tuple(map(size, match.round.hands))
        assert public.stock_size == match.round.stock.size
        for laid in public.melds:
            read = rules.melds.read(laid.meld.cards)
            assert (read.kind, read.held) == (laid.meld.kind, laid.meld.held)
            assert read.kind is MeldKind.SET or len(set(read.cards)) == len(read.cards)
        for owner in {laid.owner for laid in public.melds}:
            assert public.opened[owner]


_PACK = " ".join(rank + suit for suit in "SHDC" for rank in "A23456789TJQK")
