"""`rummyref arrange`: what a hand is worth."""

import json
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from clients.cli.exits import stop
from clients.cli.options import AsJson, Settings, rules_or_stop
from engine.ask import Findings, Question, ask
from engine.cards import Card, bag
from engine.melds import Meld
from engine.notation import parse_card, parse_cards, show_cards
from engine.reasons import Reason, RuleViolation
from engine.rules.ruleset import RuleSet


def arrange(
    preset: Annotated[str, typer.Argument(help="Rules, such as remi.")],
    cards: Annotated[list[str], typer.Argument(help="Cards, as one argument or many.")],
    settings: Settings = None,
    turn_up: Annotated[str | None, typer.Option("--turn-up", help="Card that may be taken to go out.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Own melds on the table, parted by ';'.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Part a hand into melds with fewest points left, and list every way to go out."""
    rules = rules_or_stop(preset, settings)
    try:
        melds = tuple(rules.melds.read(parse_cards(part)) for part in (table or "").split(";") if part.strip())
        held = _unnamed(parse_cards(" ".join(cards)))
        turned = _unnamed((parse_card(turn_up),))[0] if turn_up else None
        found = ask(rules, Question(bag(held), melds, turned))
    except RuleViolation as wrong:
        stop(str(wrong))
    if as_json:
        sys.stdout.write(json.dumps(_as_json(rules, found)) + "\n")
    else:
        sys.stdout.write(_as_text(rules, found))


def _unnamed(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return *cards*, refusing jokers named for a card: only those in melds are."""
    for card in cards:
        if card is not card.held_as:
            raise RuleViolation(Reason.CARD_MALFORMED, card=card.text)
    return cards


def _texts(cards: Iterable[Card]) -> list[str]:
    return [card.text for card in cards]


def _meld_texts(melds: Iterable[Meld]) -> list[list[str]]:
    return [_texts(meld.cards) for meld in melds]


def _as_json(rules: RuleSet, found: Findings) -> dict[str, object]:
    best = found.arrangement
    answer: dict[str, object] = {
        "rules": rules.preset,
        "melds": _meld_texts(best.melds),
        "left": _texts(best.left),
        "left_points": best.left_points,
        "meld_points": best.meld_points,
        "going_out": [
            {"discard": way.discard.text, "melds": _meld_texts(way.melds), "points": points}
            for way, points in found.going_out
        ],
    }
    if rules.moves.opening is not None:
        opening = found.opening
        answer["opening"] = opening and {"melds": _meld_texts(opening.melds), "points": opening.points}
    return answer


def _as_text(rules: RuleSet, found: Findings) -> str:
    best = found.arrangement
    lines = [f"melds: {_melds_in_words(best.melds)} ({best.meld_points} points)"]
    lines.append(f"left:  {show_cards(best.left) or 'nothing'} ({best.left_points} points)")
    for way, points in found.going_out:
        lines.append(f"out:   discard {way.discard.text} with {_melds_in_words(way.melds)}: {points} points")
    if not found.going_out:
        short = found.cards_short
        lack = f"{short} card{'' if short == 1 else 's'} short" if short else "a card must remain to be discarded"
        lines.append(f"out:   not yet, {lack}")
    if found.opening is not None:
        lines.append(f"open:  {_melds_in_words(found.opening.melds)} ({found.opening.points} points)")
    elif rules.moves.opening is not None:
        lines.append(f"open:  not yet, {rules.moves.opening} points with a clean run are needed")
    return "\n".join(lines) + "\n"


def _melds_in_words(melds: Iterable[Meld]) -> str:
    return " | ".join(show_cards(meld.cards) for meld in melds) or "none"
