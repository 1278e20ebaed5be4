"""Declared melds are read as they stand: no order of a set matters, and nothing is searched."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from typing import NoReturn

import pytest

from engine.arrange.search import Packing
from engine.cards import JOKER, Card, bag, joker_for, listed, natural
from engine.match import apply, start
from engine.melds import MeldKind
from engine.moves import Discard, Lay, LayOff, Move, Play
from engine.offers import offered
from engine.reasons import RuleViolation
from engine.rules.position import Position
from engine.rules.registry import FAMILIES, presets, rule_set
from engine.rules.ruleset import Family
from engine.shuffle import SeededDealing
from engine.verify import begin, check, step

PLIES = 60


def verdict(position: Position, play: Play) -> object:
    """Return the refusal of *play*, or what it leaves and owes."""
    try:
        draft = begin(position, play)
        for move in play.moves:
            step(draft, move)
    except RuleViolation as refused:
        return refused.violation.reason
    owed = tuple(violation.reason for violation in check(position, play))
    return draft.hand, [(laid.owner, laid.meld.kind, laid.meld.held) for laid in draft.melds], draft.discarded, owed


@cache
def positions(preset: str) -> tuple[tuple[Position, tuple[Play, ...]], ...]:
    """Return positions of random play with the plays offered there."""
    rules, chance = rule_set(preset), random.Random(preset)
    match, _ = start(rules, SeededDealing(b"declared".ljust(32)))
    found: list[tuple[Position, tuple[Play, ...]]] = []
    while match.turn is not None and len(found) < PLIES:
        position = match.round.position(match.turn)
        offers = offered(position)
        found.append((position, offers))
        longer = [offer for offer in offers if len(offer.moves) > 1]
        match, _ = apply(match, position.seat, chance.choice(longer or offers))
    return tuple(found)


def sets_of(position: Position) -> Iterator[tuple[Card, ...]]:
    """Yield every three to five cards of one rank and jokers, named or not, that *position* holds."""
    held = listed(position.hand)
    for rank in {card.rank for card in held if not card.is_joker}:
        same = [card for card in held if card.rank == rank or card is JOKER]
        named = [joker_for(natural(rank, suit)) for suit in "SC"] * (JOKER in held)
        for size in (3, 4, 5):
            yield from {tuple(sorted(cards)) for cards in combinations([*same, *named], size)}


def reordered(play: Play, place: int, cards: tuple[Card, ...]) -> Play:
    """Return *play* with *cards* in the meld that move *place* lays."""
    moves: list[Move] = list(play.moves)
    moves[place] = Lay(cards)
    return Play(tuple(moves))


@pytest.mark.parametrize("preset", presets())
def test_the_order_of_a_set_changes_no_verdict(preset: str) -> None:
    """Whatever cards of a rank are declared as a set, in whatever order, the answer is one and the same."""
    tried = 0
    for position, offers in positions(preset):
        for cards in sets_of(position):
            answers = [verdict(position, Play((Lay(order),))) for order in set(permutations(cards))]
            assert all(answer == answers[0] for answer in answers), cards
            tried += 1
        for play in offers:
            for place, move in enumerate(play.moves):
                if isinstance(move, Lay) and position.rules.melds.read(move.cards).kind is MeldKind.SET:
                    answers = [verdict(position, reordered(play, place, order)) for order in permutations(move.cards)]
                    assert all(answer == answers[0] for answer in answers), play
    assert tried


@pytest.mark.parametrize("preset", presets())
def test_no_search_checks_a_play(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no search can be made the same plays are accepted, and the same refused for the same reasons."""
    plays = [(position, play) for position, offers in positions(preset) for play in (*offers, *_wrong(position))]
    before = [verdict(position, play) for position, play in plays]

    def forbidden(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a declared meld was searched for")

    for name in ("__init__", "best", "cover", "choice", "covering"):
        monkeypatch.setattr(Packing, name, forbidden)
    assert [verdict(position, play) for position, play in plays] == before
    assert len({type(answer) for answer in before}) == 2


def _wrong(position: Position) -> Iterator[Play]:
    """Yield plays that declare the hand's first cards as a meld, or add them to one."""
    held = listed(position.hand)
    for size in (3, 4):
        yield Play((Lay(held[:size]), Discard(held[-1].held_as)))
    yield Play((LayOff(1, None, held[:1]), Discard(held[-1].held_as)))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_order_of_a_hand_is_not_known(family: Family) -> None:
    """A position holds a multiset: hands that are dealt in another order are one and the same value."""
    preset = family.presets[0].name
    position, _ = positions(preset)[0]
    held = list(listed(position.hand))
    random.Random(7).shuffle(held)
    assert position._replace(hand=bag(held)) == position
