"""Matches played at random, for tests that need whole views and events."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.events import Event
from engine.match import Match, apply, start
from engine.offers import offered
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import SeededDealing
from engine.views import seat_view

PLIES: Final = 250
"""Plays looked at in each match."""


def _with_jokers(preset: str) -> RuleSet:
    """Return *preset* with the fewest seats, all hands shown and as many jokers and packs as may be."""
    plain = rule_set(preset)
    most = {
        option.name: option.choices[-1] for option in plain.declared if option.name in {"jokers", "packs"}
    }  # fmt: skip
    low = next(option.low for option in plain.declared if option.name == "players")
    return rule_set(preset, {**most, "players": low, "show_hands": True, "rounds": 1})


@cache
def tables() -> tuple[RuleSet, ...]:
    """Return every preset as it is, and with few seats and many jokers."""
    return tuple(rules for name in presets() for rules in (rule_set(name), _with_jokers(name)))


def label(rules: RuleSet) -> str:
    """Return a name of *rules* for test ids."""
    return f"{rules.preset}-{rules.players}"


@cache
def played(rules_index: int, seed: int = 1) -> tuple[tuple[Match, ...], tuple[Event, ...]]:
    """Return the positions and the events of a match at a table of `tables()`, longer plays preferred."""
    chance = random.Random(seed)
    match, events = start(tables()[rules_index], SeededDealing(seed.to_bytes(32, "big")))
    matches = [match]
    for _ in range(PLIES):
        if match.turn is None:
            break
        plays = offered(seat_view(match, match.turn).position)
        longer = [play for play in plays if len(play.moves) > 1]
        match, told = apply(match, match.turn, chance.choice(longer or plays))
        matches.append(match)
        events = events + told
    return tuple(matches), tuple(events)


def every_play() -> Iterator[tuple[RuleSet, tuple[Match, ...], tuple[Event, ...]]]:
    """Yield each table with the positions and events of its match."""
    for index, rules in enumerate(tables()):
        yield rules, *played(index)
