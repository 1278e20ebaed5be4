"""Two worlds that differ only in what a seat may not know look the same to it, byte for byte."""

import random
from collections.abc import Iterator

import pytest

from engine.cards import JOKER, Card, CardBag, bag, listed, overlap
from engine.match import Match, apply, start
from engine.moves import DRAW, Discard, Lay, Play, Take
from engine.offers import offered
from engine.reasons import RuleViolation
from engine.rules.position import Phase
from engine.rules.registry import presets, rule_set
from engine.shuffle import SeededDealing
from engine.stand_in import STAND_INS
from engine.verify import check
from engine.views import seat_view
from wire.events import event_to_message
from wire.moves import play_to_message
from wire.views import seat_view_to_message

PLIES = 500


def other_world(match: Match, seat: int, rng: random.Random) -> Match:
    """Return *match* with everything that *seat* may not know dealt anew.

    Cards that everybody saw somebody take stay where they are.
    """
    state = match.round
    hidden = list(state.stock.left())
    hands = list(state.hands)
    kept: dict[int, CardBag] = {}
    for other in range(match.rules.players):
        if other != seat:
            kept[other] = overlap(hands[other], state.public.known[other])
            hidden += listed(CardBag(hands[other] - kept[other]))
    rng.shuffle(hidden)
    for other, known in kept.items():
        missing = state.public.hand_sizes[other] - len(listed(known))
        hands[other] = CardBag(known + bag(hidden[:missing]))
        del hidden[:missing]
    stock = state.stock.of(tuple(hidden), state.stock.first, 1)
    return match._replace(round=state._replace(hands=tuple(hands), stock=stock))


def seen(match: Match, seat: int) -> bytes:
    """Return the bytes of what *seat* is shown, with its offers."""
    view = seat_view(match, seat)
    shown = seat_view_to_message(view).SerializeToString(deterministic=True)
    return shown + b"".join(play_to_message(play).SerializeToString() for play in offered(view.position))


def probes(match: Match, seat: int, rng: random.Random) -> Iterator[Play]:
    """Yield plays with which a seat could try to feel for what it may not know."""
    hand = listed(match.round.hands[seat])
    cards: list[Card] = [rng.choice(hand or (JOKER,)) for _ in range(3)]
    yield DRAW
    yield Play((*DRAW.moves, Discard(cards[0])))
    yield Play((Take(1), Discard(cards[0])))
    yield Play((Lay(tuple(cards)),))
    yield Play((Take(rng.randrange(1, 5)), Lay(tuple(cards)), Discard(cards[0])))


def judged(match: Match, seat: int, play: Play) -> str:
    """Return all that is said of *play*, refused or checked."""
    try:
        return str(check(match.round.position(seat), play))
    except RuleViolation as refused:
        return f"{refused.violation.reason.name} {refused}"


@pytest.mark.parametrize("preset", presets())
def test_a_seat_cannot_tell_two_worlds_apart(preset: str) -> None:
    """Views, sizes, offers, refusals, checks and stand-ins are equal in both."""
    rng = random.Random(preset)
    rules = rule_set(preset, {"rounds": 1})
    plies = 0
    while plies < PLIES:
        match, _ = start(rules, SeededDealing(rng.randbytes(32)))
        while match.turn is not None and plies < PLIES:
            seat = match.turn
            world = other_world(match, seat, rng)
            assert seen(match, seat) == seen(world, seat)
            for play in probes(match, seat, rng):
                assert judged(match, seat, play) == judged(world, seat, play)
            for stand_in in STAND_INS.values():
                assert stand_in(match.round.position(seat)) == stand_in(world.round.position(seat))
            match, _ = apply(match, seat, rng.choice(offered(match.round.position(seat))[:20]))
            plies += 1


@pytest.mark.parametrize("preset", presets())
def test_what_others_are_told_of_a_play_is_the_same(preset: str) -> None:
    """The events of a draw or a discard that a bystander hears do not depend on hidden cards."""
    rng = random.Random(preset)
    match, _ = start(rule_set(preset, {"rounds": 1}), SeededDealing(bytes(32)))
    for _ in range(100):
        if match.turn is None:
            break
        seat = match.turn
        if match.public.phase is Phase.DRAW and match.public.stock_size:
            world = other_world(match, (seat + 1) % match.rules.players, rng)
            told = [told_to_bystander(each, seat) for each in (match, world)]
            assert told[0] == told[1]
        match, _ = apply(match, seat, rng.choice(offered(match.round.position(seat))[:20]))


def told_to_bystander(match: Match, seat: int) -> list[bytes]:
    """Return the bytes of the public events of a draw of *seat*."""
    _, events = apply(match, seat, DRAW)
    messages = [event_to_message(event) for event in events]
    return [message.SerializeToString() for message in messages if message.WhichOneof("body") != "you_drew"]
