"""A position of a match as scenario text that reads back as the same position."""

from engine.cards import Card, listed
from engine.match import Match
from engine.notation import show_cards
from engine.rules.options import OptionValue
from engine.rules.position import Phase
from engine.rules.registry import FAMILIES, rule_set
from engine.rules.ruleset import Family
from engine.scenario.position import COUNTERS


def print_position(match: Match, families: tuple[Family, ...] = FAMILIES) -> str:
    """Return the position of *match* as a scenario without plays.

    Reads back with the same hands, piles, melds, stock and totals. With draw
    streams the stock is given as the seats would draw it turn by turn: the same
    until a seat's own stream is empty. Points of single earlier rounds are lost.
    Audience: whoever may see every hand and the stock.

    Raises:
        ValueError: The match is over.
    """
    if match.over is not None:
        raise ValueError("the match is over: there is no position to play from")
    public = match.public
    lines = [_rules(match, families)]
    lines += [f"hand {seat}: {show_cards(listed(hand))}" for seat, hand in enumerate(match.round.hands)]
    by_row = match.rules.pile.row_per_seat
    lines += [
        f"{f'row {row}' if by_row else 'discards'}: {show_cards(pile)}" for row, pile in enumerate(public.piles) if pile
    ]
    lines.append(f"stock only: {show_cards(_in_draw_order(match))}")
    lines += [f"meld {laid.owner}: {show_cards(laid.meld.cards)}" for laid in public.melds]
    if any(public.opened):
        lines.append(f"opened {' '.join(str(seat) for seat, opened in enumerate(public.opened) if opened)}")
    if public.dealt_turn_up is not None:
        gone = " taken" if public.turn_up is None else ""
        lines.append(f"turn-up{gone}: {public.dealt_turn_up.text}")
    if match.round.twin is not None:
        lines.append(f"twin {match.round.twin}")
    lines += [f"known {seat}: {show_cards(listed(known))}" for seat, known in enumerate(public.known) if known]
    lines += [f"total {seat}: {total}" for seat, total in enumerate(match.totals) if total]
    counts = (public.dry_turns, public.reshuffles, public.idle_reshuffles)
    lines += [f"{name} {count}" for name, count in zip(COUNTERS, counts, strict=True) if count]
    if public.index:
        lines.append(f"round {public.index + 1}")
    lines.append(f"dealer {public.dealer}")
    lines.append(f"turn {public.turn}{' drawn' if public.drew else ''}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _rules(match: Match, families: tuple[Family, ...]) -> str:
    usual = rule_set(match.rules.preset, {}, families).options
    set_here = [f"{name}={_text(value)}" for name, value in match.rules.options.items() if value != usual.get(name)]
    return " ".join(["rules", match.rules.preset, *set_here])


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_draw_order(match: Match) -> tuple[Card, ...]:
    stock, public = match.round.stock, match.public
    if stock.streams == 1:
        return stock.left()
    seat = public.turn if public.phase is Phase.DRAW else (public.turn + 1) % public.players
    cards: list[Card] = []
    while stock.size:
        card, stock = stock.draw(seat)
        cards.append(card)
        seat = (seat + 1) % public.players
    return tuple(cards)
