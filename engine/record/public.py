"""Canonical bytes of public events: what the chain that seats can compare runs over."""

from engine.cards import listed
from engine.events import (
    CardDrawn,
    DealerDrawn,
    Event,
    HandShown,
    MatchOver,
    PlayMade,
    RoundDealt,
    RoundOver,
    SeatPresence,
    StockReshuffled,
    YouDrew,
    YouWereDealt,
)  # fmt: skip
from engine.notation import show_cards, show_play
from engine.record.canonical import Json


def public_json(event: Event) -> dict[str, Json] | None:
    """Return the JSON form of *event*, None if it is not public."""
    match event:
        case YouWereDealt() | YouDrew():
            return None
        case CardDrawn(seat, stock_size):
            return {"event": "card_drawn", "seat": seat, "stock_size": stock_size}
        case PlayMade(seat, play, stand_in):
            return {"event": "play_made", "seat": seat, "play": show_play(play), "stand_in": stand_in}
        case StockReshuffled(stock_size):
            return {"event": "stock_reshuffled", "stock_size": stock_size}
        case DealerDrawn(draws, dealer):
            return {"event": "dealer_drawn", "dealer": dealer, "draws": [[seat, card.text] for seat, card in draws]}
        case RoundDealt(round_index, dealer, starter, hand_sizes, stock_size, turn_up):
            return {
                "event": "round_dealt", "round": round_index, "dealer": dealer, "starter": starter,
                "hand_sizes": list(hand_sizes), "stock_size": stock_size, "turn_up": turn_up.text if turn_up else "",
            }  # fmt: skip
        case RoundOver(round_index, end, closer, points, totals):
            return {
                "event": "round_over", "round": round_index, "end": end.value,
                "closer": -1 if closer is None else closer, "points": list(points), "totals": list(totals),
            }  # fmt: skip
        case HandShown(seat, hand):
            return {"event": "hand_shown", "seat": seat, "hand": show_cards(listed(hand))}
        case MatchOver(cause, totals, winners):
            return {
                "event": "match_over", "cause": cause.value, "totals": list(totals), "winners": list(winners),
            }  # fmt: skip
        case SeatPresence(seat, present):
            return {"event": "seat_presence", "seat": seat, "present": present}
