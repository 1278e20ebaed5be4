"""Rounds a second that `rummyref replay verify` checks on one core, rules, deal, chain and signature included.

In seconds of the processor, so that others who use the machine do not count.
"""

import time
from hashlib import sha256
from statistics import median
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from clients.cli.signatures import is_signed
from engine.record.audit import audit
from engine.record.chain import write
from engine.record.deal import Secret, nonces_of
from engine.record.entries import Dealt, Entry, Header, Played
from engine.record.fold import begin, fold
from engine.record.replay import entry_bytes
from engine.record.signature import Signature
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RULES_VERSION
from engine.stand_in import greedy

ROUNDS: Final = 5
MATCHES: Final = 4
SLICES: Final = 5
SLICE_S: Final = 0.4
WANTED: Final = 100
"""Rounds a second that are enough."""


def replay_of(preset: str, number: int) -> list[str]:
    """Return a signed replay of a match of greedy bots."""
    rules, match_id = rule_set(preset, {"rounds": ROUNDS}), f"t-{number}"
    secret, none = Secret(sha256(f"{preset} {number}".encode()).digest()), ("",) * rules.players
    header = Header(
        match_id, preset, dict(rules.options), tuple(f"bot-{seat}" for seat in range(rules.players)), "standard",
        "greedy", 0, secret.commitment(match_id), "table", RULES_VERSION, "2026-11-30T00:00:00Z", "bench",
    )  # fmt: skip
    state, _ = begin(header, secret.dealing(match_id, nonces_of(none)))
    entries: list[Entry] = [header, Dealt(none)]
    while state.turn is not None:
        entry = Played(state.turn, greedy(state.match.round.position(state.turn)), 1_000)
        state, _ = fold(state, entry)
        entries.append(entry)
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    public = key.public_key().public_bytes_raw()
    return list(
        write(
            map(entry_bytes, [*entries, state.result(), secret.reveal()]),
            lambda message: Signature(public, key.sign(message)),
        )
    )


def rate(replays: list[list[str]], seconds: float) -> float:
    """Return the rounds a second of verifying *replays* over and over for about *seconds* of the processor."""
    rounds, began = 0, time.process_time()
    while True:
        for lines in replays:
            verdict = audit(lines, is_signed)
            if not verdict.ok:
                raise AssertionError(verdict)
            rounds += verdict.rounds
        spent = time.process_time() - began
        if spent >= seconds:
            return rounds / spent


def report() -> None:
    """Print the rounds a second of every preset, medians over slices, and the slowest against what is wanted."""
    print(f"replay verify, rounds a second of one core (median of {SLICES} slices)")
    slowest = None
    for preset in presets():
        replays = [replay_of(preset, number) for number in range(MATCHES)]
        found = median(rate(replays, SLICE_S) for _ in range(SLICES))
        plays = sum(len(lines) for lines in replays) / (ROUNDS * MATCHES)
        print(f"  {preset:<20}{found:>8,.0f}   {plays:.0f} entries a round")
        slowest = found if slowest is None else min(slowest, found)
    print(f"  slowest = {(slowest or 0) / WANTED:.1f} x the {WANTED} wanted")
