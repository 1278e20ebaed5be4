"""The text notation of cards, moves and plays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS, JOKER, NATURALS, Card
from engine.moves import DRAW, Discard, Draw, End, Lay, LayOff, Play, Swap, Take, TakeTurnUp
from engine.notation import parse_card, parse_cards, parse_move, parse_play, show_cards, show_move, show_play
from engine.reasons import Reason, RuleViolation

cards = st.sampled_from(CARDS)
naturals = st.sampled_from(NATURALS)
several = st.lists(cards, min_size=1, max_size=14).map(tuple)
numbers = st.integers(1, 999)
moves = st.one_of(
    st.just(Draw()),
    st.builds(Take, numbers),
    st.just(TakeTurnUp()),
    st.builds(Lay, several),
    st.builds(LayOff, numbers, st.sampled_from([None, *End]), several),
    st.builds(Swap, numbers, naturals),
    st.builds(Discard, cards),
)
plays = st.lists(moves, min_size=1, max_size=8).map(lambda made: Play(tuple(made)))


def refusal(text: str) -> Reason:
    """Return the reason for which the play *text* cannot be read."""
    with pytest.raises(RuleViolation) as refused:
        parse_play(text)
    assert str(refused.value)
    return refused.value.violation.reason


@given(several)
def test_cards_round_trip(shown: tuple[Card, ...]) -> None:
    """What is printed of cards reads as the same cards."""
    assert parse_cards(show_cards(shown)) == shown


@given(plays)
def test_plays_round_trip(play: Play) -> None:
    """What is printed of a play reads as the same play."""
    assert parse_play(show_play(play)) == play


@given(plays)
def test_printing_has_one_form(play: Play) -> None:
    """Printing what was read of a printed play prints it again."""
    assert show_play(parse_play(show_play(play))) == show_play(play)


@given(moves)
def test_moves_round_trip_in_either_case(move: Draw | Take | TakeTurnUp | Lay | LayOff | Swap | Discard) -> None:
    """Upper and lower case read as the same move."""
    assert parse_move(show_move(move).upper()) == move
    assert parse_move(show_move(move).lower()) == move


@pytest.mark.parametrize("text", ["TH", "th", "10H", "10h", "T♥", "10♡", "T♥\ufe0f", " TH "])
def test_a_ten_is_read_however_it_is_written(text: str) -> None:
    """Lower case, a ten in two digits and suit symbols are understood."""
    assert parse_card(text).text == "TH"


def test_jokers_are_read_plain_and_named() -> None:
    """`JK` is the joker, `JK=10c` a joker named for the ten of clubs."""
    assert parse_card("jk") is JOKER
    assert parse_card("JK=10c").text == "JK=TC"
    assert parse_card("JK=10c").face.text == "TC"


def test_cards_may_be_parted_by_commas() -> None:
    """Commas part cards as blanks do."""
    assert parse_cards("4H, 5H,6H") == parse_cards("4H 5H 6H")


@pytest.mark.parametrize("text", ["", "1H", "11H", "H", "TT", "JK=JK", "JK=", "9X", "9HH", "Joker", "0H"])
def test_what_is_no_card_is_refused(text: str) -> None:
    """Text that is no card is refused and shown in the sentence."""
    with pytest.raises(RuleViolation) as refused:
        parse_card(text)
    assert refused.value.violation.reason is Reason.CARD_MALFORMED
    assert (text or "nothing") in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "draw 2",
        "take",
        "take 00",
        "take -1",
        "take one",
        "take 1 2",
        "take-turn-up 1",
        "lay",
        "lay-off",
        "lay-off m1",
        "lay-off m1 high",
        "lay-off mx 4H",
        "lay-off m00 4H",
        "swap m1",
        "swap m1 4H 5H",
        "swap x 4H",
        "discard",
        "discard 4H 5H",
        "pass",
        "draw; burn 4H",
    ],
)
def test_what_is_no_move_is_refused(text: str) -> None:
    """Text that is no move is refused as such."""
    assert refusal(text) is Reason.MOVE_MALFORMED


@pytest.mark.parametrize("text", ["discard 1H", "lay 4H 5H XX", "swap m1 ZZ", "lay-off m1 low 44"])
def test_a_move_with_no_card_in_it_is_refused_for_the_card(text: str) -> None:
    """A move that names something which is no card is refused for that."""
    assert refusal(text) is Reason.CARD_MALFORMED


@pytest.mark.parametrize("text", ["", "  ", ";", " ; ;"])
def test_a_play_without_moves_is_refused(text: str) -> None:
    """A play has at least one move."""
    assert refusal(text) is Reason.PLAY_EMPTY


def test_a_last_semicolon_and_blanks_do_not_matter() -> None:
    """Moves may be ended as well as parted by semicolons."""
    assert parse_play("  draw ; ") == DRAW
    assert parse_play("take 1;lay 4H 5H 6H;discard 9C;") == parse_play("take 1; lay 4H 5H 6H; discard 9C")


def test_a_meld_may_be_named_by_its_number_alone() -> None:
    """`lay-off 1 7H` is `lay-off m1 7H`."""
    assert parse_move("lay-off 1 7H") == parse_move("lay-off m1 7H") == LayOff(1, None, parse_cards("7H"))
