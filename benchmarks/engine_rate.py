"""Decisions a second in random play: this engine, OpenSpiel and RLCard.

A decision is an accepted play here, a player's action there. The three take
turns in short slices, so that a noisy machine is noisy for all.
"""

import random
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

from engine.match import apply, start
from engine.offers import offered
from engine.rules.registry import rule_set
from engine.shuffle import SeededDealing, derive

PRESET: Final = "remi"
FAMILIES: Final = (PRESET, "closed-rummy", "remik")
SLICES: Final = 5
SLICE_S: Final = 1.2
_SEED: Final = 20_011

Players = Iterator[None]
"""A player of endless random games: every step is one decision."""


def engine_decisions(preset: str = PRESET) -> Players:
    """Play random matches, each decision chosen among the offers, verified and applied."""
    rules, chance, number = rule_set(preset, {"rounds": 1}), random.Random(_SEED), 0
    while True:
        number += 1
        match, _ = start(rules, SeededDealing(derive(bytes(32), "bench", number)))
        while match.over is None:
            seat = match.round.public.turn
            match, _ = apply(match, seat, chance.choice(offered(match.round.position(seat))))
            yield


def open_spiel_decisions() -> Players:
    """Play random games of OpenSpiel's gin rummy (C++), chance nodes sampled and not counted."""
    import pyspiel

    game: Any = pyspiel.load_game("gin_rummy")
    chance = random.Random(_SEED)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice(state.legal_actions()))
            else:
                state.apply_action(chance.choice(state.legal_actions()))
                yield


def rlcard_decisions() -> Players:
    """Play random games of RLCard's gin rummy (pure Python)."""
    import rlcard

    chance = random.Random(_SEED)
    env: Any = rlcard.make("gin-rummy", config={"seed": _SEED})
    while True:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            yield


PEERS: Final[dict[str, Callable[[], Players]]] = {
    "rummyref": engine_decisions,
    "OpenSpiel": open_spiel_decisions,
    "RLCard": rlcard_decisions,
}


def rate(players: Players, seconds: float) -> float:
    """Return the decisions a second of *players* over about *seconds*."""
    made, began = 0, time.perf_counter()
    while True:
        for _ in range(50):
            next(players)
        made += 50
        spent = time.perf_counter() - began
        if spent >= seconds:
            return made / spent


def report() -> None:
    """Print the rates, medians over slices, and the ratios to the peers."""
    running = {name: begin() for name, begin in PEERS.items()}
    for players in running.values():
        rate(players, 0.3)
    slices = [{name: rate(players, SLICE_S) for name, players in running.items()} for _ in range(SLICES)]
    print(f"random play, decisions a second (median of {SLICES} slices)")
    for name in running:
        print(f"  {name:<12}{median(one[name] for one in slices):>10,.0f}")
    for peer in list(running)[1:]:
        ratio = median(one["rummyref"] / one[peer] for one in slices)
        print(f"  rummyref = {ratio:.2f} x {peer}")
    print("random play of one preset of each family, decisions a second, after two seconds of it")
    for preset in FAMILIES:
        players = engine_decisions(preset)
        rate(players, 2.0)
        print(f"  {preset:<14}{rate(players, SLICE_S):>8,.0f}")
