"""Remik beyond its scenarios: values, options, jokers of sets, first reasons, what lay-offs tell."""

from itertools import permutations

import pytest

from engine.cards import bag, natural
from engine.events import PlayMade
from engine.match import Match, apply
from engine.moves import End, LayOff
from engine.notation import parse_cards, parse_play, show_play
from engine.reasons import Reason, RuleViolation
from engine.round import deal
from engine.rules.options import OptionError
from engine.rules.registry import rule_set
from engine.rules.ruleset import MatchLength
from engine.scenario.reader import read_file
from engine.shuffle import SeededDealing
from engine.verify import verify

RULES = rule_set("remik")


def stand(*lines: str) -> Match:
    """Return the match that *lines* set up under remik with two seats."""
    return read_file("\n".join(["rules remik players=2", *lines]), "test")[0].start


def refusal(match: Match, play: str) -> tuple[Reason, dict[str, str | int]]:
    """Return reason and facts of the refusal of *play* of seat 0."""
    with pytest.raises(RuleViolation) as refused:
        verify(match.round.position(0), parse_play(play))
    return refused.value.violation.reason, refused.value.violation.facts


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


@pytest.mark.clause("remik-3.2")
def test_cards_are_dealt_one_at_a_time() -> None:
    """From the dealer on each seat gets every so many-th card, and the dealer one more after all hands."""
    rules, dealing = rule_set("remik", {"players": 3}), SeededDealing(b"r" * 32)
    deck = dealing.deck(rules.deck, 0)
    dealt, _ = deal(rules, dealing, 0, dealer=2)
    assert dealt.hands == (bag(deck[1:39:3]), bag(deck[2:39:3]), bag([*deck[0:39:3], deck[39]]))
    assert dealt.stock.left() == deck[40:]


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
    assert rule_set("remik-500", {"target": 90}).length == MatchLength(0, target=90)
    assert rule_set("remik", {"limit": 0}).length == MatchLength(0)
    assert rule_set("remik", {"limit": 120}).length == MatchLength(0, limit=120)


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
