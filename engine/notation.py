"""Text notation of cards, moves and plays: parser and printer, each other's inverse.

Input is forgiving (`10H`, lower case, suit symbols); output has one form.
"""

import re
from typing import Final

from engine.cards import CARDS, Card
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import Reason, RuleViolation

_BY_TEXT: Final = {card.text: card for card in CARDS}
_SYMBOLS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f")
# Numbers that no table has are read too: a refused play must be kept as it was sent.
_NUMBER: Final = r"0|[1-9][0-9]{0,9}"
_MELD: Final = re.compile(f"m?({_NUMBER})")
_DEPTH: Final = re.compile(_NUMBER)


def parse_card(text: str) -> Card:
    """Read one card such as `TH`, `10h`, `T♥`, `JK` or `JK=8C`.

    Raises:
        RuleViolation: `CARD_MALFORMED` if *text* is no card.
    """
    word = text.strip().upper().translate(_SYMBOLS).replace("10", "T")
    card = _BY_TEXT.get(word)
    if card is None:
        raise RuleViolation(Reason.CARD_MALFORMED, card=text.strip()[:20] or "nothing")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards parted by blanks or commas, in the order written."""
    return tuple(parse_card(word) for word in text.replace(",", " ").split())


def show_cards(cards: tuple[Card, ...] | list[Card]) -> str:
    """Return *cards* in notation, parted by blanks, in their order."""
    return " ".join([card.text for card in cards])


def _malformed(move: str, problem: str) -> RuleViolation:
    return RuleViolation(Reason.MOVE_MALFORMED, move=move[:40], problem=problem)


def _meld_number(move: str, words: list[str]) -> int:
    found = _MELD.fullmatch(words[0].lower()) if words else None
    if found is None:
        raise _malformed(move, "name a meld, such as m1")
    return int(found[1])


def parse_move(text: str) -> Move:
    """Read one move, such as `take 2` or `lay-off m1 high 9H TH`.

    Raises:
        RuleViolation: `MOVE_MALFORMED` or `CARD_MALFORMED`.
    """
    verb, *words = text.split() or [""]
    verb = verb.lower()
    match verb, words:
        case "draw", []:
            return Draw()
        case "take", [depth] if _DEPTH.fullmatch(depth):
            return Take(int(depth))
        case "take-turn-up", []:
            return TakeTurnUp()
        case "lay", [_, *_]:
            return Lay(parse_cards(" ".join(words)))
        case "lay-off", [_, *rest]:
            end = End(rest.pop(0).lower()) if rest and rest[0].lower() in ("low", "high") else None
            cards = parse_cards(" ".join(rest))
            if not cards:
                raise _malformed(text, "name the cards to add")
            return LayOff(_meld_number(text, words), end, cards)
        case "swap", [_, card]:
            return Swap(_meld_number(text, words), parse_card(card))
        case "discard", [card]:
            return Discard(parse_card(card))
        case (("draw" | "take-turn-up"), _):
            raise _malformed(text, f"{verb} takes nothing after it")
        case "take", _:
            raise _malformed(text, "say how deep, such as take 1")
        case "lay", _:
            raise _malformed(text, "name the cards of the meld")
        case (("lay-off" | "swap"), _):
            raise _malformed(text, f"write {verb} MELD {'CARD' if verb == 'swap' else '[low|high] CARDS'}")
        case "discard", _:
            raise _malformed(text, "name one card")
        case _:
            raise _malformed(text, "a move is draw, take, take-turn-up, lay, lay-off, swap or discard")


def show_move(move: Move) -> str:
    """Return *move* in notation."""
    match move:
        case Draw():
            return "draw"
        case Take(depth):
            return f"take {depth}"
        case TakeTurnUp():
            return "take-turn-up"
        case Lay(cards):
            return f"lay {show_cards(cards)}"
        case LayOff(meld, end, cards):
            return f"lay-off m{meld} {end.value + ' ' if end else ''}{show_cards(cards)}"
        case Swap(meld, card):
            return f"swap m{meld} {card.text}"
        case Discard(card):
            return f"discard {card.text}"


def parse_play(text: str) -> Play:
    """Read a play: moves joined by `;`, a last `;` allowed.

    Raises:
        RuleViolation: `PLAY_EMPTY`, `MOVE_MALFORMED` or `CARD_MALFORMED`.
    """
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise RuleViolation(Reason.PLAY_EMPTY)
    return Play(tuple(parse_move(part) for part in parts))


def show_play(play: Play) -> str:
    """Return *play* in notation."""
    return "; ".join([show_move(move) for move in play.moves])
