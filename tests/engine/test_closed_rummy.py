"""Closed rummy beyond its scenarios: deal, values, options, what is hidden, ends."""

from collections.abc import Callable
from itertools import permutations

import pytest

from engine.cards import JOKER, CardBag, bag, count, distinct, size
from engine.events import RoundDealt, YouDrew, YouWereDealt, audience
from engine.match import Match, apply, start
from engine.moves import DISCARDS, DRAW, Discard, Play, Take
from engine.notation import parse_cards, parse_play
from engine.reasons import RuleViolation
from engine.rules.options import OptionError
from engine.rules.position import Phase, Position, RoundEnd
from engine.rules.registry import rule_set
from engine.scenario.reader import read_file
from engine.shuffle import SeededDealing
from engine.stand_in import STAND_INS
from engine.verify import can
from engine.views import public_view, seat_view

SEEDS = [SeededDealing(bytes([number]) * 32) for number in range(12)]


def dealt(preset: str, players: int, dealing: SeededDealing = SEEDS[0]) -> Match:
    """Return a match of *preset* just dealt."""
    return start(rule_set(preset, {"players": players}), dealing)[0]


def tosser(position: Position) -> Play:
    """Draw and discard the first card; never goes out."""
    return DRAW if position.public.phase is Phase.DRAW else DISCARDS[distinct(position.hand)[0].index]


def taker(position: Position) -> Play:
    """Take whatever may be taken and discard it again; draw only where that is refused."""
    pile = position.public.piles[position.rules.pile.own(position.seat)]
    back = Play((Take(1), Discard(pile[0]))) if pile else DRAW
    return back if position.public.phase is Phase.DRAW and can(position, back) else tosser(position)


@pytest.mark.clause("closed-rummy-1.1", "closed-rummy-1.2", "closed-rummy-2.1", "closed-rummy-2.2", "closed-rummy-2.3")
@pytest.mark.parametrize(
    ("preset", "players", "hand", "stock"),
    [
        ("closed-rummy", 2, 14, 76),
        ("closed-rummy", 3, 14, 62),
        ("closed-rummy", 4, 14, 48),
        ("closed-rummy-duel", 2, 10, 32),
    ],
)
def test_deal(preset: str, players: int, hand: int, stock: int) -> None:
    """Every seat has its tiles, the starter one more, one is turned up and the rest is the stock."""
    match = dealt(preset, players)
    public = match.public
    assert public.hand_sizes == (hand + 1, *[hand] * (players - 1))
    assert (public.stock_size, public.turn, public.phase) == (stock, 0, Phase.PLAY)
    assert public.piles == ((),) * players
    turn_up = public.turn_up
    assert turn_up is not None
    tiles = [*match.round.stock.left(), turn_up]
    everything = CardBag(sum((*match.round.hands, bag(tiles))))
    packs = 1 if preset == "closed-rummy-duel" else 2
    assert size(bag(tiles)) + sum(public.hand_sizes) == 52 * packs + 2
    assert {count(everything, card) for card in distinct(everything)} == {packs, 2}
    assert count(everything, JOKER) == 2


@pytest.mark.clause("closed-rummy-1.1", "closed-rummy-1.4")
def test_seats() -> None:
    """Two to four seats with two packs, exactly two with one."""
    for players in ("1", "5"):
        with pytest.raises(OptionError, match="players"):
            rule_set("closed-rummy", {"players": players})
    for preset, options in (("closed-rummy", {"packs": 1, "players": 3}), ("closed-rummy-duel", {"players": 3})):
        with pytest.raises(OptionError, match="players"):
            rule_set(preset, options)
    assert rule_set("closed-rummy", {"packs": 1, "players": 2}).deal.hand_size == 10


@pytest.mark.clause("closed-rummy-9.5")
def test_one_end_of_a_match() -> None:
    """Rounds and target together are refused; the one that is given counts."""
    with pytest.raises(OptionError, match="rounds and target"):
        rule_set("closed-rummy", {"rounds": 3, "target": 500})
    assert rule_set("closed-rummy", {"target": 500}).length.rounds == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("stall_orbits", 0),
        ("stall_orbits", 11),
        ("laid_table", "round"),
        ("packs", 3),
        ("modifiers_on_dead_round", 1),
        ("jokers", 2),
    ],
)
def test_bad_options(option: str, value: str | int) -> None:
    """An unknown option or value is refused by its name."""
    with pytest.raises(OptionError, match=option):
        rule_set("closed-rummy", {option: value})


@pytest.mark.clause("closed-rummy-8.2", "closed-rummy-8.9")
@pytest.mark.parametrize(
    ("tiles", "positional", "flat", "mirror"),
    [
        ("7S 7H 7D", 15, 15, 15),
        ("7S 7H 7D 7C", 20, 20, 20),
        ("AS 2S 3S", 15, 35, 15),
        ("QH KH AH", 30, 45, 25),
        ("AS AH AD", 75, 75, 15),
        ("AS AH JK", 75, 100, 60),
        ("JK 2C 3C", 15, 60, 60),
        ("QC KC JK", 30, 70, 70),
        ("JK KC AC", 30, 85, 65),
        ("4D 5D JK 7D", 20, 65, 65),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 95, 130, 90),
        ("9H TH JH", 25, 25, 25),
        ("TC JK QC KC", 40, 80, 80),
        ("9D 9H JK 9C", 20, 65, 65),
    ],
)
def test_worth(tiles: str, positional: int, flat: int, mirror: int) -> None:
    """What a meld is worth under each table, jokers included (A-1 to A-11)."""
    for table, worth in (("positional", positional), ("flat", flat), ("mirror", mirror)):
        rules = rule_set("closed-rummy", {"laid_table": table})
        assert rules.points.worth(rules.melds.read(parse_cards(tiles))) == worth


@pytest.mark.clause("closed-rummy-4.1", "closed-rummy-4.2")
@pytest.mark.parametrize("tiles", ["7S 7H 7D 7C", "7S 7H JK 7C", "7S 7S 7D 7C", "7S 7H 7D 8C", "4D 5D JK 7D"])
def test_order_of_a_set(tiles: str) -> None:
    """The order of a set changes nothing; of all orders of a run one is the run."""
    rules = rule_set("closed-rummy")
    found = set()
    legal = []
    for cards in permutations(parse_cards(tiles)):
        try:
            found.add(rules.points.worth(rules.melds.read(cards)))
            legal.append(cards)
        except RuleViolation:
            found.add(-1)
    runs = tiles == "4D 5D JK 7D"
    assert len(found) == (2 if runs else 1)
    assert not runs or legal == [parse_cards(tiles)]


@pytest.mark.clause("closed-rummy-8.4")
@pytest.mark.parametrize("dealing", SEEDS)
def test_twin(dealing: SeededDealing) -> None:
    """The seat that was dealt the other copy of the turn-up, and only that seat, is told so."""
    match, events = start(rule_set("closed-rummy", {"players": 3}), dealing)
    turn_up = match.public.turn_up
    assert turn_up is not None
    holders = [seat for seat, hand in enumerate(match.round.hands) if count(hand, turn_up)]
    assert match.round.twin == (holders[0] if holders else None)
    assert len(holders) <= 1
    told = [event.seat for event in events if isinstance(event, YouWereDealt) and event.twin]
    assert told == holders
    assert [seat for seat in range(3) if seat_view(match, seat).twin] == holders
    assert all(audience(event) == event.seat for event in events if isinstance(event, YouWereDealt))
    assert [event.turn_up for event in events if isinstance(event, RoundDealt)] == [turn_up]


def test_twin_among_the_fifteen() -> None:
    """Somewhere among many deals the twin is the starter's, and somewhere nobody's."""
    rules = rule_set("closed-rummy", {"players": 3})
    twins = {start(rules, SeededDealing(bytes([number]) * 32))[0].round.twin for number in range(60)}
    assert twins == {None, 0, 1, 2}


@pytest.mark.clause("closed-rummy-2.4")
def test_starters() -> None:
    """Seat 0 starts, then the next seat to the left, round by round."""
    match = dealt("closed-rummy", 3)
    starters: list[int] = []
    while len(match.history) < 5:
        if match.public.index == len(starters):
            starters.append(match.public.starter)
        match, _ = apply(match, match.public.turn, tosser(match.round.position(match.public.turn)))
    assert starters == [0, 1, 2, 0, 1]


@pytest.mark.clause("closed-rummy-7.3")
@pytest.mark.parametrize(("players", "orbits"), [(3, 3), (2, 1), (4, 10)])
def test_stall(players: int, orbits: int) -> None:
    """A table that only takes ends its round after so many orbits, the opening discard not counted."""
    match, _ = start(rule_set("closed-rummy", {"players": players, "stall_orbits": orbits, "rounds": 1}), SEEDS[1])
    match, _ = apply(match, 0, tosser(match.round.position(0)))
    turns = 0
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, taker(match.round.position(seat)))
        turns += 1
    assert (match.public.end, turns) == (RoundEnd.STALLED, orbits * players)


@pytest.mark.clause("closed-rummy-9.1")
@pytest.mark.parametrize("preset", ["closed-rummy", "closed-rummy-duel"])
@pytest.mark.parametrize("bot", [tosser, taker])
def test_every_match_ends(preset: str, bot: Callable[[Position], Play]) -> None:
    """Bots that never go out, or only take, come to the end of the hundred rounds."""
    match, _ = start(rule_set(preset), SEEDS[2])
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, bot(match.round.position(seat)))
    assert len(match.history) == 100
    assert all(played.closer is None for played in match.history)


@pytest.mark.clause("closed-rummy-3.9", "closed-rummy-10.1")
def test_hidden_tiles() -> None:
    """Two worlds that differ in another rack and in the stock look the same, before a draw and after."""
    lines = ["rules closed-rummy players=2", "hand 1: AS 2S 3S QH KH AH 7S 7H 7D 7C TC JC QC 9D", "turn-up: 6H"]
    one, other = (
        read_file("\n".join([*lines, *more, "turn 0 drawn"]), "world")[0].start
        for more in (
            ["hand 0: 5S 6S 8S 2D 3D 4D 5D 8D TD JD QD KD 2C 3C 4C", "stock: 8H 9H"],
            ["hand 0: 9H 8H 3H 2H JK 4D 5D 8D TD JD QD KD 2C 3C 4C", "stock: JK 9C"],
        )
    )
    discard = parse_play("discard 4C")
    for match in (one, other):
        assert seat_view(match, 1).public == public_view(match)
    assert seat_view(one, 1) == seat_view(other, 1)
    (after_one, told_one), (after_other, told_other) = (apply(match, 0, discard) for match in (one, other))
    assert seat_view(after_one, 1) == seat_view(after_other, 1)
    assert told_one == told_other
    (drawn_one, told_one), (drawn_other, told_other) = (apply(match, 1, DRAW) for match in (after_one, after_other))
    public_one, public_other = ([event for event in told if audience(event) is None] for told in (told_one, told_other))
    assert public_one == public_other
    assert [type(event) for event in told_one if audience(event) == 1] == [YouDrew]
    assert public_view(drawn_one) == public_view(drawn_other)


@pytest.mark.clause("closed-rummy-10.2")
@pytest.mark.parametrize("name", sorted(STAND_INS))
def test_stand_in(name: str) -> None:
    """A stand-in plays a whole match, each play the same in a world where hidden tiles differ."""
    rules = rule_set("closed-rummy", {"players": 2, "rounds": 1})
    match, _ = start(rules, SEEDS[3])
    while match.over is None:
        seat = match.public.turn
        position = match.round.position(seat)
        play = STAND_INS[name](position)
        hands = tuple(hand if number == seat else bag(()) for number, hand in enumerate(match.round.hands))
        elsewhere = match.round._replace(hands=hands, stock=match.round.stock._replace(cards=()))
        assert STAND_INS[name](elsewhere.position(seat)) == play
        match, _ = apply(match, seat, play)
    assert len(match.history) == 1


@pytest.mark.clause("closed-rummy-5.3", "closed-rummy-9.6")
def test_what_everybody_sees() -> None:
    """Rows, points and totals are in the public view."""
    match, _ = start(rule_set("closed-rummy", {"players": 2}), SEEDS[4])
    discarded = []
    while not match.history:
        seat = match.public.turn
        play = tosser(match.round.position(seat))
        if match.public.phase is Phase.PLAY:
            discarded.append((seat, play.moves[-1]))
        match, _ = apply(match, seat, play)
        if not match.history:
            rows = public_view(match).round.piles
            for row in (0, 1):
                thrown = [move for seat, move in reversed(discarded) if seat != row]
                assert [Discard(card) for card in rows[row]] == thrown
    view = public_view(match)
    assert view.totals == view.history[0].points == match.totals
