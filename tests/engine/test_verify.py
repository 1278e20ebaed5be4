"""Legality of plays: which reasons there are in remi, in which order, and what a refusal leaves."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import JOKER, NATURALS, bag, joker_for
from engine.match import Match, apply
from engine.moves import DRAW, Discard, Draw, Lay, Move, Play, Take
from engine.notation import parse_cards, parse_play
from engine.reasons import Reason, RuleViolation
from engine.rules.position import Position
from engine.scenario.reader import read_file
from engine.verify import can, check, verify

NAMED = joker_for(NATURALS[0])


def stand(*lines: str) -> Match:
    """Return the match that *lines* set up under remi with two seats."""
    return read_file("\n".join(["rules remi players=2 rounds=1", *lines]), "test")[0].start


DRAWING = stand("hand 0: 5H 6H KS KD 2C 9D 3S", "discards: KH 7H 4S")
PLAYING = stand("hand 0: 4H 5H 6H KS KD KC 2C 9D")
WAITING = stand("hand 0: 5H 6H KS KD 2C 9D 3S", "turn 1")
OVER = apply(stand("stock only:"), 0, DRAW)[0]
SETS_ONLY = stand("hand 0: 9S 9H 9D 2C", "turn 0 drawn")
LAST_TWO = stand("hand 0: 5H 6H", "discards: 7H")
PAIR = stand("hand 0: KS KD", "discards: KH")
ONE_SIX = stand("hand 0: 6H", "discards: 8H 7H")
ONE_EIGHT = stand("hand 0: 8S 2C 3D", "discards: 8C 8H")


def reason(match: Match, play: Play | str, seat: int = 0) -> Reason | None:
    """Return why *play* of *seat* is refused, None if it is accepted."""
    try:
        apply(match, seat, parse_play(play) if isinstance(play, str) else play)
    except RuleViolation as refused:
        return refused.violation.reason
    return None


REFUSALS: list[tuple[Match, Play | str, Reason]] = [
    (DRAWING, Play((Discard(NAMED),)), Reason.CARD_MALFORMED),
    (DRAWING, Play(()), Reason.PLAY_EMPTY),
    (DRAWING, Play((Lay(()),)), Reason.MOVE_MALFORMED),
    (OVER, "draw", Reason.MATCH_OVER),
    (WAITING, "draw", Reason.NOT_YOUR_TURN),
    (PLAYING, "draw", Reason.WRONG_PHASE),
    (PLAYING, "lay-off m1 7H; discard 9D", Reason.MOVE_NOT_IN_RULES),
    (DRAWING, "draw; discard 9D", Reason.DRAW_NOT_ALONE),
    (DRAWING, "take 4", Reason.TAKE_TOO_DEEP),
    (PLAYING, "discard AS", Reason.CARD_NOT_HELD),
    (PLAYING, "lay 4H 5H 2C; discard 9D", Reason.MELD_INVALID),
    (ONE_SIX, "take 2; lay 6H 7H 8H", Reason.TWO_TAKEN_CARDS),
    (DRAWING, "take 1; lay KS KD KH; discard 9D", Reason.SET_WITHOUT_RUN),
    (LAST_TWO, "take 1; lay 5H 6H 7H", Reason.NO_CARD_LEFT_TO_DISCARD),
    (SETS_ONLY, "lay 9S 9H 9D; discard 2C", Reason.NO_RUN_TO_GO_OUT),
    (DRAWING, "take 2; lay 5H 6H 7H", Reason.PLAY_UNFINISHED),
    (DRAWING, "take 2; discard 9D", Reason.TAKEN_CARD_NOT_MELDED),
    (PLAYING, "lay 4H 5H 6H; discard 9D", Reason.MUST_GO_OUT),
]
ELSEWHERE = {
    Reason.DECISION_STALE,
    Reason.ROW_BLOCKED,
    Reason.TURN_UP_GONE,
    Reason.MELD_UNKNOWN,
    Reason.JOKER_UNNAMED,
    Reason.NOT_OPENED,
    Reason.LAY_OFF_AMBIGUOUS,
    Reason.LAY_OFF_INVALID,
    Reason.JOKER_NOT_SWAPPABLE,
    Reason.JOKER_NOT_MELDED,
    Reason.OPENING_TOO_LOW,
    Reason.NO_CLEAN_RUN,
}


@pytest.mark.clause("remi-5.7")
@pytest.mark.parametrize(("match", "play", "wanted"), REFUSALS, ids=[wanted.name for _, _, wanted in REFUSALS])
def test_each_reason_of_remi_is_given(match: Match, play: Play | str, wanted: Reason) -> None:
    """A play is refused for the reason, and the match is as it was."""
    before = (match.round, match.history, match.totals, match.over)
    assert reason(match, play) is wanted
    with pytest.raises(RuleViolation) as refused:
        apply(match, 0, parse_play(play) if isinstance(play, str) else play)
    assert str(refused.value) == wanted.value.format_map(refused.value.violation.facts)
    assert (match.round, match.history, match.totals, match.over) == before


def test_every_reason_is_given_here_or_belongs_elsewhere() -> None:
    """No reason is forgotten: those missing here belong to other families or to the referee."""
    assert {wanted for _, _, wanted in REFUSALS} | ELSEWHERE == set(Reason)
    assert {wanted for _, _, wanted in REFUSALS} & ELSEWHERE == set()


ORDER: list[tuple[Match, Play | str, Reason, str]] = [
    (WAITING, Play((Discard(NAMED),)), Reason.CARD_MALFORMED, "form before turn"),
    (WAITING, Play(()), Reason.PLAY_EMPTY, "emptiness before turn"),
    (OVER, Play((Draw(), Lay(()))), Reason.MOVE_MALFORMED, "form of a later move before the end of the match"),
    (OVER, "draw; discard AS", Reason.MATCH_OVER, "end of the match before moves"),
    (WAITING, "discard AC", Reason.NOT_YOUR_TURN, "turn before phase and card"),
    (PLAYING, "draw; draw", Reason.WRONG_PHASE, "phase before a draw with company"),
    (DRAWING, "discard AC", Reason.WRONG_PHASE, "phase before card"),
    (PLAYING, "take 9", Reason.WRONG_PHASE, "phase before depth"),
    (DRAWING, "lay-off m1 AC", Reason.WRONG_PHASE, "phase before what the rules know"),
    (PLAYING, "lay-off m9 AC", Reason.MOVE_NOT_IN_RULES, "what the rules know before card and meld"),
    (DRAWING, "draw; discard AC", Reason.DRAW_NOT_ALONE, "the left move before the right one"),
    (DRAWING, "take 9; lay AC AS AD", Reason.TAKE_TOO_DEEP, "the left move before the right one"),
    (PLAYING, "lay AC KS", Reason.CARD_NOT_HELD, "card before meld"),
    (PLAYING, "lay 4H 4H 4H", Reason.CARD_NOT_HELD, "copies held before meld"),
    (ONE_SIX, "take 2; lay 8H 7H 6H", Reason.MELD_INVALID, "meld before taken cards"),
    (ONE_EIGHT, "take 2; lay 8S 8H 8C; discard 2C", Reason.TWO_TAKEN_CARDS, "taken cards before the run beside a set"),
    (ONE_SIX, "take 2; lay 6H 7H 8H", Reason.TWO_TAKEN_CARDS, "taken cards before the card to discard"),
    (PAIR, "take 1; lay KS KD KH", Reason.SET_WITHOUT_RUN, "the run beside a set before the card to discard"),
    (LAST_TWO, "take 1; lay 7H 6H 5H", Reason.MELD_INVALID, "meld before the card to discard"),
    (SETS_ONLY, "lay 9S 9H 9D; discard 2C; discard 2C", Reason.NO_RUN_TO_GO_OUT, "the left move before the right one"),
    (DRAWING, "take 1", Reason.PLAY_UNFINISHED, "the missing discard before debts"),
    (PLAYING, "lay 4H 5H 6H", Reason.PLAY_UNFINISHED, "the missing discard before debts"),
    (PLAYING, "lay 4H 5H 6H; discard 9D; discard 2C", Reason.WRONG_PHASE, "a second discard before debts"),
]


@pytest.mark.parametrize(("match", "play", "wanted", "what"), ORDER, ids=[what for *_, what in ORDER])
def test_the_first_reason_is_given(match: Match, play: Play | str, wanted: Reason, what: str) -> None:
    """Of several reasons the one that comes first in the documented order is given."""
    assert reason(match, play) is wanted, what


def test_debts_are_named_in_the_order_in_which_they_arose() -> None:
    """A taken card left over comes before the duty to go out that arose later."""
    match = stand("hand 0: 4H 5H 6H KS 2C 9D 3S", "discards: KH")
    play = parse_play("take 1; lay 4H 5H 6H; discard 9D")
    owed = [violation.reason for violation in check(match.round.position(0), play)]
    assert owed == [Reason.TAKEN_CARD_NOT_MELDED, Reason.MUST_GO_OUT]
    assert reason(match, play) is Reason.TAKEN_CARD_NOT_MELDED


def test_a_depth_below_one_is_too_deep() -> None:
    """A depth that no notation can write is refused too."""
    for depth in (0, -1):
        assert reason(DRAWING, Play((Take(depth),))) is Reason.TAKE_TOO_DEEP


def test_a_joker_that_does_not_exist_is_not_held() -> None:
    """Without jokers in the deck a joker is a card not held, named or not."""
    assert reason(PLAYING, Play((Discard(JOKER),))) is Reason.CARD_NOT_HELD
    assert reason(PLAYING, "lay 4H 5H JK=6H; discard 9D") is Reason.CARD_NOT_HELD


@pytest.mark.clause("remi-4.6")
@pytest.mark.parametrize(
    ("match", "start", "cards", "end"),
    [
        (stand("hand 0: 4H 5H 6H KS KD KC 9D", "discards: KH"), "take 1; ", "KS KD KC KH", "; discard 9D"),
        (DRAWING, "take 1; ", "KS KD KH", "; discard 9D"),
        (SETS_ONLY, "", "9S 9H 9D", "; discard 2C"),
        (ONE_EIGHT, "take 2; ", "8S 8H 8C", "; discard 2C"),
        (stand("hand 0: 4H 5H 6H KS KD KC AS", "turn 0 drawn"), "lay 4H 5H 6H; ", "KS KD KC", "; discard AS"),
    ],
)
def test_the_order_of_a_set_changes_no_verdict(match: Match, start: str, cards: str, end: str) -> None:
    """However the cards of a set are written, the answer is one and the same."""
    orders = permutations(cards.split())
    answers = {reason(match, f"{start}lay {' '.join(order)}{end}") for order in orders}
    assert len(answers) == 1


def test_the_order_of_melds_changes_no_closing() -> None:
    """The melds of a closing may be laid in any order."""
    match = stand("hand 0: 2H 3H 4H KS KD KH AC AD AH TS", "turn 0 drawn")
    for melds in permutations(["2H 3H 4H", "KS KD KH", "AC AD AH"]):
        lays = "; ".join(f"lay {meld}" for meld in melds)
        assert apply(match, 0, parse_play(f"{lays}; discard TS"))[0].totals[0] == 140


hands = st.permutations(NATURALS).map(lambda deck: tuple(deck[:8]))


@settings(max_examples=60)
@given(hands, st.data())
def test_the_order_of_a_hand_changes_no_verdict(hand: tuple[object, ...], data: st.DataObject) -> None:
    """A hand is a multiset: the order in which a seat was given its cards decides nothing."""
    listed = " ".join(map(str, hand))
    other = " ".join(map(str, data.draw(st.permutations(hand))))
    moves: list[Move] = [Lay(parse_cards(" ".join(map(str, data.draw(st.permutations(hand))[:3]))))]
    moves.append(Discard(parse_cards(str(hand[0]))[0]))
    for play in (Play(tuple(moves)), Play(tuple(moves[1:]))):
        assert reason(stand(f"hand 0: {listed}"), play) is reason(stand(f"hand 0: {other}"), play)


def test_verdicts_depend_on_what_the_seat_knows_only() -> None:
    """Two worlds that differ in hidden cards alone answer alike, to the word."""
    shown = ["hand 0: 5H 6H KS KD 2C 9D 3S", "discards: KH 7H 4S"]
    one = stand(*shown, "hand 1: AS 2S 4H 5S 6S 7S 8S", "stock: 9S")
    other = stand(*shown, "hand 1: AC JC QC 3C 4C 5C 6C", "stock: TD")
    for text in ("take 1; lay KS KD KH; discard 9D", "take 2; lay 5H 6H 7H; discard 9D", "take 3", "draw"):
        assert answer(one.round.position(0), text) == answer(other.round.position(0), text)


def answer(position: Position, text: str) -> str:
    """Return the whole answer to a play as one text."""
    try:
        draft = verify(position, parse_play(text))
    except RuleViolation as refused:
        return str(refused)
    return f"{draft.hand} {draft.spent} {draft.discarded}"


def test_check_accepts_an_unfinished_play_and_verify_does_not() -> None:
    """An unfinished play can be checked: what it owes is told, and nothing changes."""
    position = DRAWING.round.position(0)
    play = parse_play("take 2; lay 5H 6H 7H")
    assert [violation.reason for violation in check(position, play)] == [Reason.PLAY_UNFINISHED]
    assert not can(position, play)
    assert check(position, DRAW) == ()
    assert position.hand == bag(parse_cards("5H 6H KS KD 2C 9D 3S"))
