"""What a person sees of a match, as lines of text."""

from collections.abc import Sequence

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
from engine.rules.position import RoundEnd
from engine.views import PublicView, SeatView

_ENDS = {
    RoundEnd.WENT_OUT: "went out",
    RoundEnd.STOCK_EMPTY: "the stock ran out",
    RoundEnd.STALLED: "nobody drew any more",
}
_PILE_SHOWN = 5


def view_lines(view: SeatView, names: Sequence[str]) -> list[str]:
    """Return the table as the seat of *view* sees it, its hand grouped by the best arrangement."""
    others = ", ".join(
        f"{names[seat]} {size}" for seat, size in enumerate(view.round.hand_sizes) if seat != view.seat
    )  # fmt: skip
    return [*table_lines(view.public, names), f"cards held: {others}", f"your hand: {hand_line(view)}"]


def table_lines(view: PublicView, names: Sequence[str]) -> list[str]:
    """Return what lies on the table, and the totals."""
    state, rules = view.round, view.rules
    lines = [f"round {state.index + 1} · stock {state.stock_size} · {totals_line(view.totals, names)}"]
    if state.turn_up is not None:
        lines.append(f"turn-up: {state.turn_up.text}")
    for number, pile in enumerate(state.piles):
        owner = f" of {names[number]}" if rules.pile.row_per_seat else ""
        hidden = f" … {len(pile) - _PILE_SHOWN} more" if len(pile) > _PILE_SHOWN else ""
        lines.append(f"discards{owner}, top first: {show_cards(list(pile[:_PILE_SHOWN])) or 'none'}{hidden}")
    for number, laid in enumerate(state.melds, start=1):
        lines.append(f"m{number} of {names[laid.owner]}: {show_cards(laid.meld.cards)}")
    return lines


def hand_line(view: SeatView) -> str:
    """Return the hand: melds of the best arrangement in brackets, then the rest."""
    best = view.rules.arranger.arrange(view.hand, has_run=view.round.has_run(view.seat))
    melds = [f"[{show_cards([card.held_as if card.is_joker else card for card in meld.cards])}]" for meld in best.melds]
    return " ".join([*melds, show_cards(best.left)]).strip() or "empty"


def totals_line(totals: Sequence[int], names: Sequence[str]) -> str:
    """Return names with their totals."""
    return ", ".join(f"{name} {total:+d}" for name, total in zip(names, totals, strict=True))


def event_lines(event: Event, seat: int, names: Sequence[str]) -> list[str]:
    """Return what *event* means to the player in *seat*."""
    match event:
        case RoundDealt(index, dealer, starter, _, _, turn_up):
            turned = f", {turn_up.text} is turned up" if turn_up else ""
            return [f"round {index + 1}: {names[dealer]} deals, {names[starter]} begins{turned}"]
        case YouWereDealt(_, hand, twin):
            return [f"you are dealt {show_cards(listed(hand))}" + (", the turn-up's twin among them" if twin else "")]
        case CardDrawn(who, left) if who != seat:
            return [f"{names[who]} draws; {left} left"]
        case YouDrew(_, card):
            return [f"you draw {card.text}"]
        case PlayMade(who, play, stand_in):
            return [f"{names[who]}{' (stand-in)' if stand_in else ''}: {show_play(play)}"]
        case StockReshuffled(size):
            return [f"the discards are shuffled into a new stock of {size}"]
        case DealerDrawn(draws, dealer):
            drawn = ", ".join(f"{names[who]} {card.text}" for who, card in draws)
            return [f"drawn for the deal: {drawn}; {names[dealer]} deals"]
        case SeatPresence(who, present):
            return [f"{names[who]} {'is back' if present else 'is away'}"]
        case HandShown(who, hand):
            return [f"{names[who]} held {show_cards(listed(hand)) or 'nothing'}"]
        case RoundOver():
            return _score_sheet(event, names)
        case MatchOver(_, totals, winners):
            won = " and ".join(names[winner] for winner in winners)
            return [
                f"the match is over: {totals_line(totals, names)}",
                f"{won} {'wins' if len(winners) == 1 and won != 'you' else 'win'}",
            ]
        case _:
            return []


def _score_sheet(over: RoundOver, names: Sequence[str]) -> list[str]:
    closer = "" if over.closer is None else f"{names[over.closer]} "
    width = max(map(len, names))
    lines = [f"round {over.round + 1} is over: {closer}{_ENDS[over.end]}"]
    for name, points, total in zip(names, over.points, over.totals, strict=True):
        lines.append(f"  {name:{width}}  {points:+5d}  total {total:+5d}")
    return lines
