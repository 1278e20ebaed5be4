"""Plays and moves."""

from functools import lru_cache
from typing import Final, assert_never

from engine.cards import Card
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import Reason, RuleViolation
from rummyref.v1 import moves_pb2 as pb
from wire.cards import card_from_value, card_to_value, few_cards_from_values, roles_of_cards, values_of_cards

MOST_MOVES: Final = 64
MOST_CARDS: Final = 20
"""Cards that one move may name; longer ones are malformed."""

_KEPT: Final = 4_096
"""Plays whose messages are kept: the lone discards, and the longer ones of late."""

_ENDS: Final = {End.LOW: pb.END_LOW, End.HIGH: pb.END_HIGH, None: pb.END_UNSPECIFIED}
_ENDS_BACK: Final = {value: end for end, value in _ENDS.items()}


def play_to_message(play: Play) -> pb.Play:
    """Return the message of *play*."""
    message = pb.Play()
    for move in play.moves:
        _fill(message.moves.add(), move)
    return message


@lru_cache(_KEPT)
def shared_play(play: Play) -> pb.Play:
    """Return the message of *play*, made once for all who put a copy of it into theirs; nobody changes it."""
    return play_to_message(play)


def play_from_message(message: pb.Play) -> Play:
    """Return the play of *message*.

    Raises:
        RuleViolation: `PLAY_EMPTY`, `MOVE_MALFORMED`, `CARD_MALFORMED`.
    """
    if not message.moves:
        raise RuleViolation(Reason.PLAY_EMPTY)
    if len(message.moves) > MOST_MOVES:
        raise _malformed("play", f"it has more than {MOST_MOVES} moves")
    return Play(tuple(map(_move_from_message, message.moves)))


def _malformed(move: str, problem: str) -> RuleViolation:
    return RuleViolation(Reason.MOVE_MALFORMED, move=move, problem=problem)


def _fill(message: pb.Move, move: Move) -> None:
    match move:
        case Draw():
            message.draw.SetInParent()
        case Discard(card):
            message.discard.card = card_to_value(card)
        case Take(depth):
            message.take.depth = depth
        case TakeTurnUp():
            message.take_turn_up.SetInParent()
        case Lay(cards):
            message.lay.cards.extend(values_of_cards(cards))
            message.lay.joker_roles.extend(roles_of_cards(cards))
        case LayOff(meld, end, cards):
            message.lay_off.meld = meld
            message.lay_off.end = _ENDS[end]
            message.lay_off.cards.extend(values_of_cards(cards))
            message.lay_off.joker_roles.extend(roles_of_cards(cards))
        case Swap(meld, card):
            message.swap.meld = meld
            message.swap.card = card_to_value(card)
        case _:
            assert_never(move)


def _move_from_message(message: pb.Move) -> Move:
    match message.WhichOneof("kind"):
        case "draw":
            return Draw()
        case "discard":
            return Discard(card_from_value(message.discard.card))
        case "take":
            return Take(message.take.depth)
        case "take_turn_up":
            return TakeTurnUp()
        case "lay":
            return Lay(_cards("lay", message.lay))
        case "lay_off":
            return _lay_off(message.lay_off)
        case "swap":
            return Swap(message.swap.meld, card_from_value(message.swap.card))
        case None:
            raise _malformed("move", "its kind is not set or not known")
        case kind:
            assert_never(kind)


def _cards(move: str, message: pb.Lay | pb.LayOff) -> tuple[Card, ...]:
    if not message.cards:
        raise _malformed(move, "it names no cards")
    if len(message.cards) > MOST_CARDS:
        raise _malformed(move, f"it names more than {MOST_CARDS} cards")
    return few_cards_from_values(message.cards, message.joker_roles)


def _lay_off(message: pb.LayOff) -> LayOff:
    if message.end not in _ENDS_BACK:
        raise _malformed("lay-off", f"end {message.end} is not known")
    return LayOff(message.meld, _ENDS_BACK[message.end], _cards("lay-off", message))
