"""Plays on the wire."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS, JOKER
from engine.moves import Discard, Lay, LayOff, Play
from engine.notation import parse_play, show_play
from engine.reasons import Reason, RuleViolation
from engine.rules.position import Phase
from engine.verify import check
from rummyref.v1 import cards_pb2
from rummyref.v1 import moves_pb2 as pb
from tests.wire.playing import every_play
from tests.wire.strategies import plays
from wire.moves import MOST_CARDS, MOST_MOVES, play_from_message, play_to_message

ACE = cards_pb2.CARD_ACE_OF_SPADES


@given(plays)
def test_a_play_comes_back_through_its_bytes(play: Play) -> None:
    """A play comes back equal from the bytes of its message."""
    encoded = play_to_message(play).SerializeToString()
    assert play_from_message(pb.Play.FromString(encoded)) == play


def a_move(**kind: object) -> pb.Play:
    """Return a play of one move."""
    return pb.Play(moves=[pb.Move(**kind)])  # type: ignore[arg-type]  # a table of cases


def an_unknown_kind() -> pb.Play:
    """Return a play whose move has a kind of a later version: field 99, empty."""
    return pb.Play(moves=[pb.Move.FromString(b"\x9a\x06\x00")])


MALFORMED: dict[str, tuple[Callable[[], pb.Play], Reason]] = {
    "no move": (pb.Play, Reason.PLAY_EMPTY),
    "no kind": (a_move, Reason.MOVE_MALFORMED),
    "unknown kind": (an_unknown_kind, Reason.MOVE_MALFORMED),
    "no card": (lambda: a_move(discard=pb.Discard()), Reason.CARD_MALFORMED),
    "unknown card": (lambda: a_move(discard=pb.Discard(card=54)), Reason.CARD_MALFORMED),  # type: ignore[arg-type]
    "negative card": (lambda: a_move(discard=pb.Discard(card=-1)), Reason.CARD_MALFORMED),  # type: ignore[arg-type]
    "no card to swap": (lambda: a_move(swap=pb.Swap(meld=1)), Reason.CARD_MALFORMED),
    "unset card in a meld": (lambda: a_move(lay=pb.Lay(cards=[ACE, 0, ACE])), Reason.CARD_MALFORMED),  # type: ignore[list-item]
    "role without joker": (lambda: a_move(lay=pb.Lay(cards=[ACE], joker_roles=[ACE])), Reason.CARD_MALFORMED),
    "joker as role": (lambda: a_move(lay=pb.Lay(cards=[53], joker_roles=[53])), Reason.CARD_MALFORMED),  # type: ignore[list-item]
    "eight copies": (lambda: a_move(lay=pb.Lay(cards=[ACE] * 8)), Reason.CARD_MALFORMED),
    "sixteen copies": (lambda: a_move(lay_off=pb.LayOff(meld=1, cards=[ACE] * 16)), Reason.CARD_MALFORMED),
    "unknown end": (lambda: a_move(lay_off=pb.LayOff(meld=1, end=3, cards=[ACE])), Reason.MOVE_MALFORMED),  # type: ignore[arg-type]
    "many cards": (
        lambda: a_move(lay=pb.Lay(cards=[value % 52 + 1 for value in range(MOST_CARDS + 1)])),  # type: ignore[misc]
        Reason.MOVE_MALFORMED,
    ),
    "many moves": (
        lambda: pb.Play(moves=[pb.Move(draw=pb.Draw())] * (MOST_MOVES + 1)),
        Reason.MOVE_MALFORMED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_what_cannot_be_read_is_a_refusal(case: str) -> None:
    """A malformed play is refused with its reason, never made into another move."""
    message, reason = MALFORMED[case]
    with pytest.raises(RuleViolation) as refused:
        play_from_message(pb.Play.FromString(message().SerializeToString()))
    assert refused.value.violation.reason is reason
    assert str(refused.value)


def test_a_malformed_move_is_found_behind_good_ones() -> None:
    """Every move of a play is read before any of it counts."""
    message = pb.Play(moves=[pb.Move(draw=pb.Draw()), pb.Move()])
    with pytest.raises(RuleViolation) as refused:
        play_from_message(message)
    assert refused.value.violation.reason is Reason.MOVE_MALFORMED


@given(st.binary(max_size=60))
def test_no_bytes_do_worse_than_a_refusal(data: bytes) -> None:
    """Whatever parses as a play is a play or a refusal."""
    try:
        message = pb.Play.FromString(data)
    except Exception:  # noqa: BLE001 - what no parser accepts never gets here
        return
    try:
        play = play_from_message(message)
    except RuleViolation:
        return
    assert play.moves


@given(plays)
def test_no_readable_play_does_worse_than_a_refusal_in_a_round(play: Play) -> None:
    """The engine answers any play that can be read, in any phase, without failing."""
    for _, matches, _ in every_play():
        for match in matches[:2]:
            try:
                open_debts = check(match.round.position(match.round.public.turn), play)
            except RuleViolation:
                continue
            assert isinstance(open_debts, tuple)


def test_the_joker_is_a_card_to_discard() -> None:
    """A joker is discarded by its own value and laid off unnamed or named."""
    play = Play((Lay((JOKER,)), LayOff(1, None, (JOKER,)), Discard(JOKER)))
    message = play_to_message(play)
    assert message.moves[2].discard.card == cards_pb2.CARD_JOKER
    assert not message.moves[0].lay.joker_roles
    assert play_from_message(message) == play


@pytest.mark.parametrize("copies", [8, 9, 16])
def test_the_engine_refuses_impossible_numbers_of_a_card_by_itself(copies: int) -> None:
    """Copies beyond what a hand can count are a refusal too where a play comes from elsewhere than the wire."""
    for _, matches, _ in every_play():
        match = next(match for match in matches if match.round.public.phase is Phase.PLAY)
        with pytest.raises(RuleViolation):
            check(match.round.position(match.round.public.turn), Play((Lay((CARDS[0],) * copies), Discard(JOKER))))


@given(
    st.builds(
        pb.Play,
        moves=st.lists(
            st.one_of(
                st.builds(pb.Move, take=st.builds(pb.Take, depth=st.integers(0, 2**32 - 1))),
                st.builds(pb.Move, lay=st.builds(pb.Lay, cards=st.lists(st.integers(0, 60), max_size=5))),
                st.builds(
                    pb.Move,
                    lay_off=st.builds(
                        pb.LayOff,
                        meld=st.integers(0, 2**32 - 1),
                        end=st.integers(0, 3),
                        cards=st.lists(st.integers(1, 53), max_size=3),
                    ),
                ),
                st.builds(
                    pb.Move,
                    swap=st.builds(pb.Swap, meld=st.integers(0, 2**32 - 1), card=st.integers(0, 54)),
                ),
            ),
            max_size=3,
        ),
    )
)
def test_whatever_is_read_from_the_wire_can_be_kept_in_the_record(message: pb.Play) -> None:
    """A play that the codec accepts comes back from its notation, else a restart could not read a refusal."""
    try:
        play = play_from_message(message)
    except RuleViolation:
        return
    assert parse_play(show_play(play)) == play
