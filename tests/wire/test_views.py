"""Views on the wire, over matches played at random."""

import pytest

from engine.melds import MeldKind
from engine.offers import offered
from engine.rules.position import Phase, RoundEnd
from engine.views import public_view, seat_view
from rummyref.v1 import cards_pb2, moves_pb2, views_pb2
from tests.wire.playing import label, played, tables
from wire.views import public_view_from_message, public_view_to_message, seat_view_from_message, seat_view_to_message

each_table = pytest.mark.parametrize("index", range(len(tables())), ids=[label(rules) for rules in tables()])


@each_table
def test_every_seat_view_comes_back_through_its_bytes(index: int) -> None:
    """At every ply the view of every seat comes back equal from the bytes of its message."""
    rules = tables()[index]
    for match in played(index)[0]:
        for seat in range(rules.players):
            view = seat_view(match, seat)
            encoded = seat_view_to_message(view).SerializeToString()
            assert seat_view_from_message(views_pb2.SeatView.FromString(encoded), rules) == view


@each_table
def test_the_public_view_comes_back_through_its_bytes(index: int) -> None:
    """At every ply the public view comes back equal from the bytes of its message."""
    rules = tables()[index]
    for match in played(index)[0]:
        view = public_view(match)
        encoded = public_view_to_message(view).SerializeToString()
        assert public_view_from_message(views_pb2.PublicView.FromString(encoded), rules) == view


@each_table
def test_seats_and_watchers_are_sent_the_same_public_bytes(index: int) -> None:
    """The public part of every seat's view is what a watcher gets, byte for byte."""
    for match in played(index)[0][::7]:
        public = public_view_to_message(public_view(match)).SerializeToString(deterministic=True)
        for seat in range(match.rules.players):
            message = seat_view_to_message(seat_view(match, seat))
            assert message.public.SerializeToString(deterministic=True) == public
            assert message.own.seat == seat


@each_table
def test_a_client_finds_the_plays_that_the_referee_offers(index: int) -> None:
    """The view that a client rebuilds gives the same offers as the one it was made from."""
    rules = tables()[index]
    for match in played(index)[0][::10]:
        view = seat_view(match, match.round.public.turn)
        rebuilt = seat_view_from_message(seat_view_to_message(view), rules)
        assert offered(rebuilt.position) == offered(view.position)


def test_the_matches_played_show_what_views_can_hold() -> None:
    """The random matches have melds, jokers in them, known cards, ended rounds and an ended match."""
    rounds = [match.round.public for index in range(len(tables())) for match in played(index)[0]]
    assert any(state.melds for state in rounds)
    assert any(card.is_joker for state in rounds for laid in state.melds for card in laid.meld.cards)
    assert any(any(state.known) for state in rounds)
    assert {state.phase for state in rounds} == set(Phase)
    assert any(match.history for index in range(len(tables())) for match in played(index)[0])
    assert any(match.over for index in range(len(tables())) for match in played(index)[0])


def test_jokers_on_the_table_are_sent_with_their_roles() -> None:
    """Each joker of a meld on the table is sent with the card it stands for."""
    seen = 0
    for index in range(len(tables())):
        for match in played(index)[0]:
            for laid in public_view_to_message(public_view(match)).melds:
                jokers = sum(card == cards_pb2.CARD_JOKER for card in laid.cards)
                assert len(laid.joker_roles) == jokers
                assert all(1 <= role <= 52 for role in laid.joker_roles)
                seen += jokers
    assert seen


@pytest.mark.parametrize(
    ("members", "enum", "prefix"),
    [
        (Phase, views_pb2.Phase, "PHASE_"),
        (RoundEnd, views_pb2.RoundEnd, "ROUND_END_"),
        (MeldKind, moves_pb2.MeldKind, "MELD_KIND_"),
    ],
)
def test_enums_have_the_members_of_the_engine(members: type[Phase], enum: object, prefix: str) -> None:
    """An enum of a view has a value for every member of the engine's, and one for none."""
    names = enum.keys()  # type: ignore[attr-defined]  # an enum wrapper
    assert names == [f"{prefix}UNSPECIFIED", *(prefix + member.name for member in members)]
