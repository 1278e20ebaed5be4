"""Two worlds that differ only in what a viewer may not know are one to that viewer, byte for byte.

`RUMMYREF_PLIES` sets the number of plies a preset; 500 is what every run looks at.
"""

import os
import random
from itertools import count
from typing import Any, Final

import pytest

from engine.cards import CARDS, EMPTY, Card, CardBag, bag, listed, overlap, size
from engine.events import Event, RoundOver, audience
from engine.match import Match, apply, start
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.offers import offered
from engine.reasons import RuleViolation, Violation
from engine.record.canonical import canonical
from engine.record.public import public_json
from engine.rules.registry import presets, rule_set
from engine.shuffle import SeededDealing, derive
from engine.stand_in import STAND_INS
from engine.verify import check
from engine.views import public_view, seat_view
from wire.events import event_to_message, public_event_to_message
from wire.moves import play_to_message
from wire.views import public_view_to_message, seat_view_to_message

PLIES: Final = int(os.environ.get("RUMMYREF_PLIES", "500"))
ONE_IN: Final = 2
"""Of how many plies of a match one is looked at: so the looks of a number of players reach the end of a round."""

PROBES: Final = 6
"""Plays that are tried at each ply, most of them to be refused."""


def used_from_hand(match: Match, play: Play) -> CardBag:
    """Return the cards of the hand to act that *play* shows."""
    shown = EMPTY
    for move in play.moves:
        if isinstance(move, Lay | LayOff):
            shown = CardBag(shown + bag(move.cards))
        elif isinstance(move, Discard | Swap):
            shown = CardBag(shown + bag((move.card,)))
    return overlap(shown, match.round.hands[match.public.turn])


def other_world(
    match: Match, viewer: int | None, chance: random.Random, held: CardBag = EMPTY, drawn: Card | None = None
) -> Match:
    """Return *match* as it might be as well for all that *viewer* knows; None is a spectator.

    Args:
        match: The match.
        viewer: Who looks.
        chance: Where the differences come from.
        held: Cards that the seat to act is about to show.
        drawn: The card that the viewer is about to draw.
    """
    state, public = match.round, match.public
    fixed = []
    for seat, hand in enumerate(state.hands):
        shown = held if seat == public.turn else EMPTY
        known = public.known[seat]
        fixed.append(hand if seat == viewer else CardBag(known + shown - overlap(known, shown)))
    cards: list[Any] = list(range(len(state.stock.cards)))
    places = [int(place) for place in state.stock._replace(cards=tuple(cards)).left()]  # type: ignore[call-overload]
    if drawn is not None:
        places.remove(state.stock._replace(cards=tuple(cards)).draw(public.turn)[0])
    hidden = [state.stock.cards[place] for place in places]
    for hand, kept in zip(state.hands, fixed, strict=True):
        hidden += listed(CardBag(hand - kept))
    chance.shuffle(hidden)
    hands = []
    for hand, kept in zip(state.hands, fixed, strict=True):
        number = size(hand) - size(kept)
        hands.append(CardBag(kept + bag(hidden[:number])))
        hidden = hidden[number:]
    stock = list(state.stock.cards)
    for place, card in zip(places, hidden, strict=True):
        stock[place] = card
    others = [seat for seat in range(public.players) if seat != viewer]
    twin = state.twin if state.twin == viewer is not None or public.dealt_turn_up is None else chance.choice(others)
    after = state._replace(hands=tuple(hands), stock=state.stock._replace(cards=tuple(stock)), twin=twin)
    return match._replace(round=after)


def random_move(match: Match, chance: random.Random) -> Move:
    """Return any move, sensible or not."""
    cards = tuple(chance.choice(CARDS) for _ in range(chance.randint(3, 4)))
    piles = [card for pile in match.public.piles for card in pile] or list(CARDS)
    held = listed(match.round.hands[match.public.turn])
    one = chance.choice((chance.choice(CARDS[:53]), chance.choice(piles), chance.choice(held)))
    meld, end = chance.randint(1, 4), chance.choice((End.LOW, End.HIGH, None))
    few = tuple(chance.sample(held, min(3, len(held))))
    moves: tuple[Move, ...] = (
        Draw(), Take(chance.randint(1, 4)), TakeTurnUp(), Lay(cards), Lay(few), LayOff(meld, end, (one,)),
        Swap(meld, one), Discard(one),
    )  # fmt: skip
    return chance.choice(moves)


def probes(match: Match, chance: random.Random) -> list[Play]:
    """Return plays to try: random ones, and offers with a move too many."""
    plays = [Play(tuple(random_move(match, chance) for _ in range(chance.randint(1, 3)))) for _ in range(PROBES - 1)]
    offers = offered(match.round.position(match.public.turn))
    return [*plays, Play((*chance.choice(offers).moves, random_move(match, chance)))]


def answer(match: Match, seat: int, play: Play) -> Violation | None:
    """Return the refusal of *play*, None if it is accepted."""
    try:
        apply(match, seat, play)
    except RuleViolation as refused:
        return refused.violation
    return None


def checked(match: Match, seat: int, play: Play) -> tuple[Violation, ...] | Violation:
    """Return what a check of *play* says."""
    try:
        return check(match.round.position(seat), play)
    except RuleViolation as refused:
        return refused.violation


def seen(match: Match, viewer: int | None) -> list[bytes]:
    """Return every byte that *viewer* can be sent of a position: view, offers, what stand-ins would play."""
    if viewer is None:
        return [public_view_to_message(public_view(match)).SerializeToString()]
    view = seat_view(match, viewer)
    found = [seat_view_to_message(view).SerializeToString()]
    found += [play_to_message(play).SerializeToString() for play in offered(view.position)]
    if match.turn == viewer:
        found += [play_to_message(play(view.position)).SerializeToString() for play in STAND_INS.values()]
    return found


def told(events: list[Event], viewer: int | None) -> list[bytes]:
    """Return every byte that *viewer* is told of *events*, and those that the public chain runs over."""
    found = []
    for event in events:
        if audience(event) is None:
            found += [public_event_to_message(event).SerializeToString(), canonical(public_json(event))]
        if audience(event) in (None, viewer):
            found.append(event_to_message(event).SerializeToString())
    return found


def look(match: Match, play: Play, viewer: int | None, chance: random.Random) -> bool:
    """Compare two worlds before, during and after *play*; return whether they differed at all."""
    other = other_world(match, viewer, chance)
    assert seen(other, viewer) == seen(match, viewer)
    if viewer is not None:
        assert seat_view(other, viewer) == seat_view(match, viewer)
        for probe in probes(match, chance):
            assert answer(other, viewer, probe) == answer(match, viewer, probe)
            assert checked(other, viewer, probe) == checked(match, viewer, probe)
    seat = match.public.turn
    after, events = apply(match, seat, play)
    if not any(isinstance(event, RoundOver) for event in events):
        _look_on(match, play, viewer, chance, (after, events))
    return other.round.hands != match.round.hands or other.round.stock.cards != match.round.stock.cards


def _look_on(
    match: Match, play: Play, viewer: int | None, chance: random.Random, outcome: tuple[Match, list[Event]]
) -> None:
    """Compare what *play* tells in another world where it is the same play."""
    seat, draws = match.public.turn, play.moves == (Draw(),)
    next_card = match.round.stock.draw(seat)[0] if draws and seat == viewer and match.public.stock_size else None
    other = other_world(match, viewer, chance, used_from_hand(match, play), next_card)
    if answer(other, seat, play) is not None:
        # Whether it is legal depends on the rest of the hand, which its seat keeps then.
        other = other_world(match, viewer, chance, match.round.hands[seat], next_card)
    after, events = outcome
    other_after, other_events = apply(other, seat, play)
    assert told(other_events, viewer) == told(events, viewer)
    assert seen(other_after, viewer) == seen(after, viewer)


def player_counts(preset: str) -> list[int]:
    """Return every number of players of *preset*."""
    low, high = presets()[preset][1].seats
    return list(range(low, high + 1))


def shares(total: int, parts: int) -> list[int]:
    """Return *total* in so many *parts*, as equal as can be."""
    return [(total + part) // parts for part in range(parts)]


@pytest.mark.parametrize("preset", presets())
def test_a_viewer_cannot_tell_two_worlds_apart(preset: str) -> None:
    """Views, offers, refusals, checks, events, public chain: the same bytes in both worlds, at every size of table."""
    chance, counts = random.Random(preset), player_counts(preset)
    plies = differed = number = 0
    for players, most in zip(counts, shares(PLIES, len(counts)), strict=True):
        looked = 0
        while looked < most:
            number += 1
            options = {"players": players, "rounds": 1, "draw_streams": number % 2 == 0}
            match, _ = start(rule_set(preset, options), SeededDealing(derive(bytes(32), "worlds", number)))
            for ply in count():
                if match.over is not None or looked == most:
                    break
                offers = offered(match.round.position(match.public.turn))
                longer = [play for play in offers if len(play.moves) > 1]
                play = chance.choice(longer if longer and chance.random() < 0.5 else offers)
                if ply % ONE_IN == number % ONE_IN:
                    viewer = chance.choice((*range(players), match.public.turn, None))
                    differed += look(match, play, viewer, chance)
                    looked += 1
                match, _ = apply(match, match.public.turn, play)
        plies += looked
    assert plies == PLIES
    assert differed > 0.9 * PLIES


def test_what_is_hidden_differs_in_the_other_world() -> None:
    """The other world keeps the viewer's hand and what is public, and changes the rest."""
    match, _ = start(rule_set("remi", {"players": 4}), SeededDealing(bytes(32)))
    other = other_world(match, 1, random.Random(5))
    assert other.round.hands[1] == match.round.hands[1]
    assert all(other.round.hands[seat] != match.round.hands[seat] for seat in (0, 2, 3))
    assert other.round.stock.cards != match.round.stock.cards
    assert sorted(other.round.stock.cards + tuple(card for hand in other.round.hands for card in listed(hand))) == (
        sorted(match.round.stock.cards + tuple(card for hand in match.round.hands for card in listed(hand)))
    )


def test_a_seat_that_could_feel_for_the_stock_would_be_found() -> None:
    """A view that tells one card of the stock is not the same in both worlds: the comparison can fail."""
    match, _ = start(rule_set("remi"), SeededDealing(bytes(32)))
    other = other_world(match, 0, random.Random(6))
    leaking = [(world.round.stock.left()[0].text, *seen(world, 0)) for world in (match, other)]
    assert leaking[0][1:] == leaking[1][1:]
    assert leaking[0] != leaking[1]
