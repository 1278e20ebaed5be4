"""Bots that treat all suits alike: whatever the suits are called they play the same."""

import random
from functools import partial

import pytest

from clients.bots.cautious import CautiousBot
from clients.bots.greedy import GreedyBot
from clients.bots.suits import RELABELLINGS, renamed, renamed_play
from engine.match import apply, start
from engine.moves import Play
from engine.rules.position import Position
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import SeededDealing
from engine.views import PublicView, SeatView, seat_view
from tests.ladder.playing_sets import played_set

CHANCE = random.Random(20261130)
SETS = 12


def twins(position: Position) -> bool:
    """Whether two suits look exactly alike to the seat."""
    return any(renamed(position, suits) == position for suits in RELABELLINGS[1:])


def chosen(bot: type[GreedyBot | CautiousBot], rules: RuleSet, position: Position) -> Play:
    """Return what a bot plays at *position*."""
    public = PublicView(rules, position.public, (), (0,) * rules.players, over=False)
    return bot(rules, 1).play(SeatView(public, position.seat, position.hand, twin=False), ())


@pytest.mark.parametrize("preset", presets())
def test_a_play_follows_the_names_of_the_suits(preset: str) -> None:
    """At every decision of a round, under other names, the play is the same under these names."""
    rules = rule_set(preset, {"players": presets()[preset][1].seats[0], "rounds": 1})
    match, _ = start(rules, SeededDealing(b"s" * 32))
    seen = 0
    while match.turn is not None:
        view = seat_view(match, match.turn)
        bot = (GreedyBot, CautiousBot)[match.turn % 2]
        play = chosen(bot, rules, view.position)
        if not twins(view.position):
            suits = CHANCE.choice(RELABELLINGS[1:])
            assert chosen(bot, rules, renamed(view.position, suits)) == renamed_play(play, suits)
            seen += 1
        match, _ = apply(match, view.seat, play)
    assert seen >= 10


@pytest.mark.parametrize("preset", ["remi", "remik", "closed-rummy"])
def test_a_relabelled_set_of_one_bot_is_as_good_as_even(preset: str) -> None:
    """Under two names it wins from one seat what it loses from the other, but for suits that look exactly alike."""
    rules = rule_set(preset, {"players": 2, "rounds": 1, "draw_streams": True})
    bots = {"one": partial(CautiousBot), "two": partial(CautiousBot)}
    even = 0
    for number in range(SETS):
        first, second = (table.result.totals for table in played_set(rules, number, bots))
        even += first == second
    assert even >= SETS - 1
