"""What stand-ins play is for ever: an audit recomputes it, so old replays hold only while they play as they did."""

import hashlib
from typing import Final

import pytest

from engine.match import apply, start
from engine.notation import show_play
from engine.rules.registry import presets, rule_set
from engine.shuffle import SeededDealing
from engine.stand_in import STAND_INS

PLAYED: Final = {
    ("closed-rummy", "greedy-greedy"): "355ee3564cf626a8",
    ("closed-rummy", "greedy-minimal"): "b2a1deecb729355a",
    ("closed-rummy-duel", "greedy-greedy"): "23abf9b275b3f215",
    ("closed-rummy-duel", "greedy-minimal"): "0c5993b59a0693d7",
    ("remi", "greedy-greedy"): "0099006ee0c12a3b",
    ("remi", "greedy-minimal"): "2ebef08f59d14028",
    ("remi-five-rounds", "greedy-greedy"): "0099006ee0c12a3b",
    ("remi-five-rounds", "greedy-minimal"): "2ebef08f59d14028",
    ("remi-winner-starts", "greedy-greedy"): "0099006ee0c12a3b",
    ("remi-winner-starts", "greedy-minimal"): "2ebef08f59d14028",
    ("remi-jokers", "greedy-greedy"): "003b0cdafb046e9c",
    ("remi-jokers", "greedy-minimal"): "ed85949d823968c1",
    ("remi-joker-karo", "greedy-greedy"): "a30f936ad83582ec",
    ("remi-joker-karo", "greedy-minimal"): "54eb3965f7b1e31d",
    ("remik", "greedy-greedy"): "7f21df46ca4a877a",
    ("remik", "greedy-minimal"): "c22dd41fa5acacb0",
    ("remik-500", "greedy-greedy"): "7f21df46ca4a877a",
    ("remik-500", "greedy-minimal"): "c22dd41fa5acacb0",
}
"""Digest of every play of a match, by preset and the stand-ins by seat."""

PAIRS: Final = (("greedy", "greedy"), ("greedy", "minimal"))


def digest(preset: str, pair: tuple[str, str]) -> str:
    """Return the digest of a round that *pair* play in turn."""
    rules = rule_set(preset, {"players": presets()[preset][1].seats[0], "rounds": 1})
    match, _ = start(rules, SeededDealing(b"stand-ins never change their play"[:32]))
    told = hashlib.sha256()
    while match.turn is not None:
        play = STAND_INS[pair[match.turn % 2]](match.round.position(match.turn))
        told.update(show_play(play).encode() + b"\n")
        match, _ = apply(match, match.turn, play, stand_in=True)
    return told.hexdigest()[:16]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("preset", presets())
def test_stand_ins_play_as_they_always_did(preset: str, pair: tuple[str, str]) -> None:
    """A better stand-in is another one, with a name of its own in `STAND_INS`."""
    assert digest(preset, pair) == PLAYED[preset, "-".join(pair)]
