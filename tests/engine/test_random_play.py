"""Whole matches by random and by greedy play: what must hold after every play.

`RUMMYREF_MATCHES` sets the number of matches a preset; 200 is what every run plays.
"""

import copy
import os
import random
from collections.abc import Iterator
from typing import Final

import pytest

from engine.cards import JOKER, ONE, CardBag, bag, includes, size
from engine.events import CardDrawn, Event, MatchOver, PlayMade, RoundOver, YouDrew
from engine.match import Match, apply, start
from engine.moves import DISCARDS, Discard, Draw, Lay, LayOff, Play, Swap, Take, TakeTurnUp
from engine.offers import offered
from engine.reasons import RuleViolation
from engine.rules.position import Position
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import SeededDealing, canonical_deck, derive
from engine.stand_in import greedy
from engine.verify import can, check

MATCHES: Final = int(os.environ.get("RUMMYREF_MATCHES", "200"))
"""Matches of a preset over its numbers of players."""

EXHAUSTIVE: Final = 25
"""One ply in so many is compared with every single move there is."""

GREEDY: Final = 10
"""One match in so many is played by the greedy stand-in."""

LONGEST: Final = 4_000
"""Plays after which a round of random play has not ended as it must."""

SINGLE: Final = (
    Play((Draw(),)),
    Play((TakeTurnUp(),)),
    *(Play((Take(depth),)) for depth in range(1, 5)),
    *DISCARDS,
)
"""Every play of one move that a rule could allow; a lay alone is never finished."""


def settings() -> Iterator[tuple[str, int, int]]:
    """Yield every preset and number of players with the matches to play."""
    for name, (_, preset) in presets().items():
        low, high = preset.seats
        counts = range(low, high + 1)
        for players in counts:
            try:
                rule_set(name, {"players": players, "rounds": 1})
            except ValueError:
                continue
            yield name, players, -(-MATCHES // len(counts))


def contents(match: Match) -> tuple[object, ...]:
    """Return everything of *match* that a play may change."""
    state = match.round
    return state.public, state.hands, state.stock, state.twin, match.history, match.totals, match.over


class Watched:
    """A match under way, every play of it checked."""

    def __init__(self, rules: RuleSet, number: int) -> None:
        """Deal match *number*."""
        self.rules = rules
        self.deck = bag(canonical_deck(rules.deck))
        self.chance = random.Random(number)
        self.match, events = start(rules, SeededDealing(derive(bytes(32), "random play", number)))
        self.greedy = number % GREEDY == 0
        self.plays = self.longer = 0
        self.check_state()
        assert not any(isinstance(event, RoundOver) for event in events)

    def check_state(self) -> None:
        """Check that every card is somewhere once, and that what is public is true."""
        state, public = self.match.round, self.match.public
        total = sum(state.hands) + bag(state.stock.left()) + sum(laid.meld.held for laid in public.melds)
        total += sum(bag(pile) for pile in public.piles)
        total += ONE[public.turn_up.index] if public.turn_up else 0
        assert total == self.deck
        assert public.hand_sizes == tuple(map(size, state.hands))
        assert public.stock_size == state.stock.size == len(state.stock.left())
        assert all(includes(hand, known) for hand, known in zip(state.hands, public.known, strict=True))
        assert all(public.opened[laid.owner] for laid in public.melds)

    def step(self) -> None:
        """Look at the offers, make one play and check what came of it."""
        match, seat = self.match, self.match.public.turn
        position = match.round.position(seat)
        offers = offered(position)
        assert offers
        assert len(set(offers)) == len(offers)
        longer = [play for play in offers if len(play.moves) > 1]
        thorough = self.plays % EXHAUSTIVE == 0
        for play in offers if thorough else self.chance.sample(longer, min(2, len(longer))):
            self.check_offer(position, play)
        if thorough:
            self.check_singles(position, offers)
        if self.greedy:
            play = greedy(position)
        else:
            play = self.chance.choice(longer if longer and self.chance.random() < 0.4 else offers)
        self.refuse_something(position, play)
        self.match, events = apply(match, seat, play)
        self.plays += 1
        self.longer += len(play.moves) > 1
        self.check_events(match, seat, play, events)
        self.check_state()

    def check_offer(self, position: Position, play: Play) -> None:
        """Check that an offered play is accepted and does what its moves say."""
        after, events = apply(self.match, position.seat, play)
        if play.moves == (Draw(),):
            assert any(isinstance(event, YouDrew | RoundOver) for event in events)
            return
        assert isinstance(events[0], PlayMade)
        if after.public.index == self.match.public.index:
            assert after.round.hands[position.seat] == expected_hand(position, play)
        if not expected_hand(position, play):
            assert any(isinstance(event, RoundOver) and event.closer == position.seat for event in events)

    def check_singles(self, position: Position, offers: tuple[Play, ...]) -> None:
        """Check that the offers of one move are exactly the legal plays of one move."""
        legal = {play for play in SINGLE if can(position, play)}
        assert legal == {play for play in offers if len(play.moves) == 1}
        other = (position.seat + 1) % self.rules.players
        assert offered(self.match.round.position(other)) == ()
        assert not any(can(self.match.round.position(other), play) for play in SINGLE[:3])

    def refuse_something(self, position: Position, play: Play) -> None:
        """Spoil a play; if it is refused, nothing must have changed, a check says so too."""
        moves = [*play.moves, *self.chance.choice(SINGLE).moves]
        self.chance.shuffle(moves)
        spoilt = Play(tuple(moves))
        before = copy.deepcopy(contents(self.match)) if self.plays % EXHAUSTIVE == 0 else None
        try:
            apply(self.match, position.seat, spoilt)
        except RuleViolation:
            assert not can(position, spoilt)
        else:
            assert check(position, spoilt) == ()
        if before is not None:
            assert contents(self.match) == before

    def check_events(self, before: Match, seat: int, play: Play, events: list[Event]) -> None:
        """Check hands, scores and totals against what was told."""
        overs = [event for event in events if isinstance(event, RoundOver)]
        if play.moves == (Draw(),) and not overs:
            drawn = next(event for event in events if isinstance(event, YouDrew))
            told = next(event for event in events if isinstance(event, CardDrawn))
            assert self.match.round.hands[seat] == before.round.hands[seat] + ONE[drawn.card.index]
            assert (told.seat, told.stock_size) == (seat, self.match.public.stock_size)
            assert self.match.public.turn == seat
        if not overs:
            assert self.match.totals == before.totals
            return
        over = overs[0]
        assert over.totals == tuple(old + gain for old, gain in zip(before.totals, over.points, strict=True))
        assert self.match.totals == over.totals
        assert self.match.history[:-1] == before.history
        assert tuple(map(sum, zip(*(played.points for played in self.match.history), strict=True))) == over.totals
        ends = [event for event in events if isinstance(event, MatchOver)]
        assert ends == ([self.match.over] if self.match.over else [])
        if ends:
            best = max if self.rules.sense.value > 0 else min
            assert ends[0].winners == tuple(
                seat for seat, total in enumerate(over.totals) if total == best(over.totals)
            )  # fmt: skip


def expected_hand(position: Position, play: Play) -> CardBag:
    """Return the hand that the moves of *play* say is left, read move by move."""
    pile = position.public.piles[position.rules.pile.own(position.seat)]
    hand = position.hand
    for move in play.moves:
        match move:
            case Take(depth):
                hand = CardBag(hand + bag(pile[:depth]))
            case TakeTurnUp() if position.public.turn_up:
                hand = CardBag(hand + ONE[position.public.turn_up.index])
            case Lay(cards) | LayOff(_, _, cards):
                hand = CardBag(hand - bag(cards))
            case Swap(_, card):
                hand = CardBag(hand - ONE[card.index] + ONE[JOKER.index])
            case Discard(card):
                hand = CardBag(hand - ONE[card.index])
    return hand


@pytest.mark.parametrize(("preset", "players", "matches"), list(settings()))
def test_nothing_breaks_in_whole_matches(preset: str, players: int, matches: int) -> None:
    """Cards are conserved, offers hold, refusals change nothing, scores add up, and every match ends."""
    longer = closed = 0
    for number in range(matches):
        options: dict[str, int | bool | str] = {
            "players": players, "rounds": 2 if number % 10 == 1 else 1, "draw_streams": number % 3 == 2,
        }  # fmt: skip
        watched = Watched(rule_set(preset, options), number)
        while watched.match.over is None:
            watched.step()
            assert watched.plays < LONGEST * int(options["rounds"])
        assert len(watched.match.history) <= int(options["rounds"])
        longer += watched.longer
        closed += sum(played.closer is not None for played in watched.match.history)
    assert longer, "nobody ever took or laid"
    assert closed, "nobody ever went out"
