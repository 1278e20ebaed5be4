"""Views: the white list of what a seat or anybody may know, as messages."""

from typing import Final

from engine.match import PlayedRound
from engine.melds import Meld, MeldKind
from engine.rules.position import Phase, PublicRound, RoundEnd, TableMeld
from engine.rules.ruleset import RuleSet
from engine.views import PublicView, SeatView
from rummyref.v1 import moves_pb2, views_pb2
from wire.cards import (
    card_from_value,
    card_to_value,
    cards_from_values,
    hand_from_values,
    roles_of_cards,
    values_of_cards,
    values_of_hand,
)  # fmt: skip

_PHASES: Final = {
    Phase.DRAW: views_pb2.PHASE_DRAW,
    Phase.PLAY: views_pb2.PHASE_PLAY,
    Phase.OVER: views_pb2.PHASE_OVER,
}
_PHASES_BACK: Final = {value: phase for phase, value in _PHASES.items()}
ROUND_ENDS: Final = {
    RoundEnd.WENT_OUT: views_pb2.ROUND_END_WENT_OUT,
    RoundEnd.STOCK_EMPTY: views_pb2.ROUND_END_STOCK_EMPTY,
    RoundEnd.STALLED: views_pb2.ROUND_END_STALLED,
}
ROUND_ENDS_BACK: Final = {value: end for end, value in ROUND_ENDS.items()}
_KINDS: Final = {MeldKind.RUN: moves_pb2.MELD_KIND_RUN, MeldKind.SET: moves_pb2.MELD_KIND_SET}


def meld_to_message(owner: int, meld: Meld) -> moves_pb2.Meld:
    """Return the message of a meld on the table."""
    return moves_pb2.Meld(
        kind=_KINDS[meld.kind],
        owner=owner,
        cards=values_of_cards(meld.cards),
        joker_roles=roles_of_cards(meld.cards),
    )


def public_view_to_message(view: PublicView) -> views_pb2.PublicView:
    """Return the message of *view*."""
    state = view.round
    message = views_pb2.PublicView(
        preset=view.rules.preset,
        round=state.index,
        players=state.players,
        dealer=state.dealer,
        starter=state.starter,
        turn=state.turn,
        phase=_PHASES[state.phase],
        opened=state.opened,
        hand_sizes=state.hand_sizes,
        stock_size=state.stock_size,
        drew=state.drew,
        dry_turns=state.dry_turns,
        reshuffles=state.reshuffles,
        idle_reshuffles=state.idle_reshuffles,
        closer=state.closer,
        closed_unopened=state.closed_unopened,
        totals=view.totals,
        match_over=view.over,
    )
    for pile in state.piles:
        message.piles.add().cards.extend(values_of_cards(pile))
    for laid in state.melds:
        message.melds.append(meld_to_message(laid.owner, laid.meld))
    for known in state.known:
        message.known.add().cards.extend(values_of_hand(known))
    for played in view.history:
        message.history.add(points=played.points, totals=played.totals, closer=played.closer)
    _fill_rare(message, state)
    return message


def _fill_rare(message: views_pb2.PublicView, state: PublicRound) -> None:
    if state.turn_up is not None:
        message.turn_up = card_to_value(state.turn_up)
    if state.dealt_turn_up is not None:
        message.dealt_turn_up = card_to_value(state.dealt_turn_up)
    if state.closing_card is not None:
        message.closing_card = card_to_value(state.closing_card)
    if state.end is not None:
        message.end = ROUND_ENDS[state.end]


def seat_view_to_message(view: SeatView) -> views_pb2.SeatView:
    """Return the message of *view*."""
    return views_pb2.SeatView(
        public=public_view_to_message(view.public),
        own=views_pb2.PrivateView(seat=view.seat, hand=values_of_hand(view.hand), twin=view.twin),
    )


def public_view_from_message(message: views_pb2.PublicView, rules: RuleSet) -> PublicView:
    """Return the view of *message* at a table of *rules*."""
    state = PublicRound(
        index=message.round,
        players=message.players,
        dealer=message.dealer,
        starter=message.starter,
        turn=message.turn,
        phase=_PHASES_BACK[message.phase],
        piles=tuple(cards_from_values(pile.cards) for pile in message.piles),
        melds=tuple(TableMeld(laid.owner, _meld(laid, rules)) for laid in message.melds),
        opened=tuple(message.opened),
        hand_sizes=tuple(message.hand_sizes),
        known=tuple(hand_from_values(known.cards) for known in message.known),
        stock_size=message.stock_size,
        turn_up=card_from_value(message.turn_up) if message.HasField("turn_up") else None,
        dealt_turn_up=card_from_value(message.dealt_turn_up) if message.HasField("dealt_turn_up") else None,
        drew=message.drew,
        dry_turns=message.dry_turns,
        reshuffles=message.reshuffles,
        idle_reshuffles=message.idle_reshuffles,
        closer=message.closer if message.HasField("closer") else None,
        closing_card=card_from_value(message.closing_card) if message.HasField("closing_card") else None,
        closed_unopened=message.closed_unopened,
        end=ROUND_ENDS_BACK.get(message.end),
    )
    history = tuple(
        PlayedRound(tuple(score.points), tuple(score.totals), score.closer if score.HasField("closer") else None)
        for score in message.history
    )
    return PublicView(rules, state, history, tuple(message.totals), message.match_over)


def seat_view_from_message(message: views_pb2.SeatView, rules: RuleSet) -> SeatView:
    """Return the view of *message* at a table of *rules*."""
    own = message.own
    return SeatView(
        public_view_from_message(message.public, rules), own.seat, hand_from_values(own.hand), own.twin
    )  # fmt: skip


def _meld(message: moves_pb2.Meld, rules: RuleSet) -> Meld:
    return rules.melds.read(cards_from_values(message.cards, message.joker_roles), name_jokers=False)
