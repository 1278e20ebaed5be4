"""Events."""

from typing import Final

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
)  # fmt: skip
from rummyref.v1 import events_pb2 as pb
from wire.cards import card_from_value, card_to_value, hand_from_values, values_of_hand
from wire.moves import play_from_message, shared_play
from wire.views import ROUND_ENDS, ROUND_ENDS_BACK

_CAUSES: Final = {
    MatchCause.PLAYED_OUT: pb.MATCH_CAUSE_PLAYED_OUT,
    MatchCause.VOID: pb.MATCH_CAUSE_VOID,
}
_CAUSES_BACK: Final = {value: cause for cause, value in _CAUSES.items()}


def event_to_message(event: Event) -> pb.Event:
    """Return the message of *event*, without sequence and head."""
    match event:
        # The three of every turn are filled in place: made by constructors they take several times as long.
        case CardDrawn(seat, stock_size):
            message = pb.Event()
            message.card_drawn.seat, message.card_drawn.stock_size = seat, stock_size
            return message
        case YouDrew(_, card):
            message = pb.Event()
            message.you_drew.card = card_to_value(card)
            return message
        case PlayMade(seat, play, stand_in):
            message = pb.Event()
            made = message.play_made
            made.seat, made.stand_in = seat, stand_in
            made.play.CopyFrom(shared_play(play))
            return message
        case RoundDealt(round_index, dealer, starter, hand_sizes, stock_size, turn_up):
            dealt = pb.RoundDealt(
                round=round_index, dealer=dealer, starter=starter, hand_sizes=hand_sizes, stock_size=stock_size
            )
            if turn_up is not None:
                dealt.turn_up = card_to_value(turn_up)
            return pb.Event(round_dealt=dealt)
        case YouWereDealt(_, hand, twin):
            return pb.Event(you_were_dealt=pb.YouWereDealt(hand=values_of_hand(hand), twin=twin))
        case RoundOver(round_index, end, closer, points, totals):
            over = pb.RoundOver(
                round=round_index, end=ROUND_ENDS[end], closer=closer, points=points, totals=totals
            )  # fmt: skip
            return pb.Event(round_over=over)
        case HandShown(seat, hand):
            return pb.Event(hand_shown=pb.HandShown(seat=seat, hand=values_of_hand(hand)))
        case MatchOver(cause, totals, winners):
            return pb.Event(match_over=pb.MatchOver(cause=_CAUSES[cause], totals=totals, winners=winners))
        case SeatPresence(seat, present):
            return pb.Event(seat_presence=pb.SeatPresence(seat=seat, present=present), skippable=True)
        case StockReshuffled(stock_size):
            return pb.Event(stock_reshuffled=pb.StockReshuffled(stock_size=stock_size))
        case DealerDrawn(draws, dealer):
            drawn = pb.DealerDrawn(dealer=dealer)
            for seat, card in draws:
                drawn.draws.add(seat=seat, card=card_to_value(card))
            return pb.Event(dealer_drawn=drawn, skippable=True)


def event_from_message(message: pb.Event, seat: int) -> Event | None:
    """Return the event of *message* as told to *seat*, None where it is beyond this version.

    That is a body, or an enum value in it, which a newer referee knows; only
    `skippable` ones may be passed over.

    Raises:
        RuleViolation: `CARD_MALFORMED` or `MOVE_MALFORMED`; no referee sends such.
    """
    match message.WhichOneof("body"):
        case "card_drawn":
            return CardDrawn(message.card_drawn.seat, message.card_drawn.stock_size)
        case "you_drew":
            return YouDrew(seat, card_from_value(message.you_drew.card))
        case "play_made":
            made = message.play_made
            return PlayMade(made.seat, play_from_message(made.play), made.stand_in)
        case "round_dealt":
            return _round_dealt(message.round_dealt)
        case "you_were_dealt":
            return YouWereDealt(seat, hand_from_values(message.you_were_dealt.hand), message.you_were_dealt.twin)
        case "round_over":
            return _round_over(message.round_over)
        case "hand_shown":
            return HandShown(message.hand_shown.seat, hand_from_values(message.hand_shown.hand))
        case "match_over":
            return _match_over(message.match_over)
        case "seat_presence":
            return SeatPresence(message.seat_presence.seat, message.seat_presence.present)
        case "stock_reshuffled":
            return StockReshuffled(message.stock_reshuffled.stock_size)
        case "dealer_drawn":
            drawn = message.dealer_drawn
            return DealerDrawn(
                tuple((draw.seat, card_from_value(draw.card)) for draw in drawn.draws), drawn.dealer
            )  # fmt: skip
        case _:
            return None


def _round_dealt(message: pb.RoundDealt) -> RoundDealt:
    return RoundDealt(
        message.round,
        message.dealer,
        message.starter,
        tuple(message.hand_sizes),
        message.stock_size,
        card_from_value(message.turn_up) if message.HasField("turn_up") else None,
    )


def _round_over(message: pb.RoundOver) -> RoundOver | None:
    end = ROUND_ENDS_BACK.get(message.end)
    if end is None:
        return None
    return RoundOver(
        message.round,
        end,
        message.closer if message.HasField("closer") else None,
        tuple(message.points),
        tuple(message.totals),
    )


def _match_over(message: pb.MatchOver) -> MatchOver | None:
    cause = _CAUSES_BACK.get(message.cause)
    return None if cause is None else MatchOver(cause, tuple(message.totals), tuple(message.winners))


def public_event_to_message(event: Event) -> pb.PublicEvent:
    """Return the message that watchers get of *event*, without sequence and head.

    Raises:
        ValueError: *event* is one seat's own: a `PublicEvent` has no field for it.
    """
    told = event_to_message(event)
    body = told.WhichOneof("body")
    public = pb.PublicEvent(skippable=told.skippable)
    if body is None or body not in pb.PublicEvent.DESCRIPTOR.fields_by_name:
        raise ValueError(f"{body} is not public")
    getattr(public, body).CopyFrom(getattr(told, body))
    return public
