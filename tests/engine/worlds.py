"""Another deck in which a match is played the same, for all that one viewer sees of it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.cards import JOKER, Card, CardBag, listed
from engine.match import Match, apply, start
from engine.moves import Discard, Draw, Lay, LayOff, Play, Swap, Take, TakeTurnUp
from engine.reasons import RuleViolation
from engine.rules.ruleset import DeckSpec
from engine.shuffle import SeededDealing

NEVER = 1 << 30


@dataclass(frozen=True, slots=True)
class FixedDealing:
    """Cards from a deck for the first round, and from a seed for the rest."""

    first: tuple[Card, ...]
    rest: SeededDealing

    def deck(self, spec: DeckSpec, round_index: int) -> tuple[Card, ...]:
        """Return the deck of a round."""
        return self.rest.deck(spec, round_index) if round_index else self.first

    def reshuffle(self, cards: Sequence[Card], round_index: int, count: int) -> tuple[Card, ...]:
        """Return a new stock."""
        return self.rest.reshuffle(cards, round_index, count)

    def dealer_deck(self, spec: DeckSpec) -> tuple[Card, ...]:
        """Return the deck to draw the dealer from."""
        return self.rest.dealer_deck(spec)


class Place(NamedTuple):
    """When a place of the deck came to a hand.

    Attributes:
        seat: Whose hand; None for a card that stayed in the stock.
        since: Number of the play that drew it, -1 for the deal.
    """

    seat: int | None
    since: int


@dataclass
class Trace:
    """What became of every place of a deck.

    Attributes:
        places: Places that came to a hand.
        shown: Number of the play that showed the card, for those that were.
        held: Places whose cards a seat holds, and cards that it took in public.
    """

    places: dict[int, Place] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)
    held: dict[int, list[int]] = field(default_factory=dict)
    taken: dict[int, list[Card]] = field(default_factory=dict)

    def gain(self, seat: int, place: int, since: int) -> None:
        """Note that a card came to a hand."""
        self.places[place] = Place(seat, since)
        self.held.setdefault(seat, []).append(place)

    def show(self, seat: int, card: Card, deck: Sequence[Card], now: int) -> None:
        """Note that *seat* shows *card*: one that it took in public, where it holds such a one."""
        card = card.held_as
        if card in self.taken.get(seat, []):
            self.taken[seat].remove(card)
            return
        place = next(place for place in self.held[seat] if deck[place] == card)
        self.held[seat].remove(place)
        self.shown[place] = now


def trace(match: Match, deck: Sequence[Card], plays: Sequence[tuple[int, Play]]) -> Trace:
    """Follow every card of *deck*, from which the round of *match* was just dealt, through *plays*."""
    found, public, spec = Trace(), match.public, match.rules.deal
    dealt = spec.hand_size * public.players
    for place in range(dealt + spec.starter_extra):
        seat = (public.dealer + (place % public.players if place < dealt else 0)) % public.players
        found.gain(seat, place, -1)
    top = len(deck) - len(match.round.stock.cards)
    for now, (seat, play) in enumerate(plays):
        _follow(found, match, deck, top, (now, seat, play))
        match, _ = apply(match, seat, play)
    return found


def _follow(found: Trace, match: Match, deck: Sequence[Card], top: int, made: tuple[int, int, Play]) -> None:
    now, seat, play = made
    stock = match.round.stock
    for move in play.moves:
        match move:
            case Draw() if stock.size and not match.public.reshuffles:
                places = stock._replace(cards=tuple(range(len(stock.cards))))  # type: ignore[arg-type]
                found.gain(seat, top + int(places.draw(seat)[0]), now)  # type: ignore[call-overload]
            case Draw():
                drawn, _ = apply(match, seat, play)
                gained = CardBag(drawn.round.hands[seat] - match.round.hands[seat])
                found.taken.setdefault(seat, []).extend(listed(gained))
            case Take(depth):
                pile = match.public.piles[match.rules.pile.own(seat)]
                found.taken.setdefault(seat, []).extend(pile[:depth])
            case TakeTurnUp() if match.public.turn_up:
                found.taken.setdefault(seat, []).append(match.public.turn_up)
            case Lay(cards) | LayOff(_, _, cards):
                for card in cards:
                    found.show(seat, card, deck, now)
            case Swap(_, card):
                found.show(seat, card, deck, now)
                found.taken.setdefault(seat, []).append(JOKER)
            case Discard(card):
                found.show(seat, card, deck, now)
            case _:
                raise AssertionError(move)


def another_deck(
    match: Match, deck: Sequence[Card], plays: Sequence[tuple[int, Play]], viewer: int | None, chance: random.Random
) -> tuple[Card, ...]:
    """Return a deck with which *plays* are possible as well and tell *viewer* nothing else; None for a spectator.

    The viewer's cards stay where they are. Any other card may be where it is in
    the right hand in time to be shown when it is shown; a card that is never
    shown may be anywhere hidden. A seat with a play that is legal only because of
    the rest of its hand keeps all of that hand.
    """
    found, fixed = trace(match, deck, plays), {viewer}
    while True:
        changed = _changed(found, deck, len(deck) - len(match.round.stock.cards), fixed, chance)
        fast = _held_fast(match, changed, plays)
        if fast is None:
            return changed
        fixed.add(fast)


def _held_fast(match: Match, deck: Sequence[Card], plays: Sequence[tuple[int, Play]]) -> int | None:
    """Return the first seat with a play that is not possible with *deck*."""
    if not isinstance(match.dealing, SeededDealing):
        raise TypeError("a match as it was dealt from a seed")
    match, _ = start(match.rules, FixedDealing(tuple(deck), match.dealing))
    for seat, play in plays:
        try:
            match, _ = apply(match, seat, play)
        except RuleViolation:
            return seat
    return None


def _changed(
    found: Trace, deck: Sequence[Card], top: int, fixed: set[int | None], chance: random.Random
) -> tuple[Card, ...]:
    hidden = [place for place, owner in found.places.items() if owner.seat not in fixed]
    hidden += [place for place in range(top, len(deck)) if place not in found.places]
    cards = dict(enumerate(deck))
    shown = {place: found.shown.get(place, NEVER) for place in hidden}
    origin = {place: place for place in hidden}

    def fits(one: int, place: int) -> bool:
        if shown[one] == NEVER:
            return True
        there = found.places.get(place, Place(None, NEVER))
        return found.places[origin[one]].seat == there.seat and there.since < shown[one]

    for _ in range(6 * len(hidden)):
        one, other = chance.sample(hidden, 2)
        if fits(one, other) and fits(other, one):
            cards[one], cards[other] = cards[other], cards[one]
            shown[one], shown[other] = shown[other], shown[one]
            origin[one], origin[other] = origin[other], origin[one]
    return tuple(cards[place] for place in range(len(deck)))
