"""Records of whole matches made in process, with all that a table can live through."""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from engine.moves import DRAW, Play
from engine.offers import offered
from engine.reasons import Reason
from engine.record.chain import write
from engine.record.deal import NO_NONCE, Batch, Secret, nonces_of
from engine.record.entries import Cause, Dealt, Entry, Forfeit, Header, Played, Presence, Refusal, Reveal, StoodIn
from engine.record.fold import REFUSALS_A_DECISION, TableState, begin, finish_turn, fold, refusal_of
from engine.record.replay import entry_bytes
from engine.rules.options import OptionValue
from engine.rules.registry import rule_set
from engine.rules.ruleset import RULES_VERSION
from engine.stand_in import minimal

NONCES = (bytes([7]) * 32, NO_NONCE)


def batch_of(match_id: str) -> Batch:
    """Return the batch of eleven sets in which a match is the second table of set 9."""
    return Batch(5, tuple(sha256(f"{match_id} {number}".encode()).digest() for number in range(11)))


def secret_of(match_id: str) -> Secret:
    """Return the secret of a match that is the second table of its set."""
    return Secret(batch_of(match_id).seed(9, NONCES), 1, relabelled=True)


def reveal_of(match_id: str) -> Reveal:
    """Return the last entry of a match."""
    return secret_of(match_id).reveal(batch_of(match_id).proof(9, NONCES))


def header_of(preset: str, options: dict[str, OptionValue], match_id: str) -> Header:
    """Return the header of a match on the standard clock."""
    rules = rule_set(preset, options)
    seats = tuple(f"p{seat}" for seat in range(rules.players))
    return Header(
        match_id, preset, dict(rules.options), seats, "standard", "minimal", 3,
        secret_of(match_id).commitment(match_id), "set", RULES_VERSION, "2026-11-30T00:00:00Z", "test",
    )  # fmt: skip


def record(header: Header, secret: Secret, chance: random.Random) -> list[Entry]:
    """Return a match from header to reveal: refusals, time-outs, illegal answers, absence, forfeits."""
    state, entries = opened(header, secret)
    while state.turn is not None:
        for entry in _turn(state, chance):
            state, _ = fold(state, entry)
            entries.append(entry)
    return [*entries, state.result(), reveal_of(header.match_id)]


def opened(header: Header, secret: Secret) -> tuple[TableState, list[Entry]]:
    """Return a match that has just been dealt, and its record so far."""
    none = ("",) * len(header.seats)
    state, _ = begin(header, secret.dealing(header.match_id, nonces_of(none)))
    return state, [header, Dealt(none)]


def _turn(state: TableState, chance: random.Random) -> Iterator[Entry]:
    """Yield the entries of one decision."""
    seat = state.turn
    if seat is None:
        raise AssertionError("the match is over")
    if state.forfeited(seat):
        cause = next(lost.cause for lost in state.forfeits if lost.seat == seat)
        yield StoodIn(seat, finish_turn(state), cause, 0)
        return
    kind = chance.randrange(40)
    if not state.present[seat]:
        if kind < 20:
            yield StoodIn(seat, finish_turn(state), Cause.LEFT, 0)
            return
        yield Presence(seat, present=True)
    if kind == 0:
        yield Presence(seat, present=False)
        yield StoodIn(seat, finish_turn(state), Cause.LEFT, 0)
    elif kind == 1:
        used = state.clock.allowance_us(state.banks_us[seat]) + chance.randrange(1, 9999)
        yield StoodIn(seat, finish_turn(state), Cause.TIME_OUT, used)
    elif kind == 2:
        yield from [Refusal(seat, None, Reason.PLAY_EMPTY, number) for number in range(1, REFUSALS_A_DECISION + 1)]
        yield StoodIn(seat, finish_turn(state), Cause.ILLEGAL, 1_000)
    elif kind == 3 and chance.randrange(3) == 0:
        yield Forfeit(seat, Cause.CRASHED)
        yield StoodIn(seat, finish_turn(state), Cause.CRASHED, 0)
    else:
        if kind < 10:
            yield from _refused(state, seat)
        yield Played(seat, _play(state, seat, chance), chance.randrange(50_000))


def _refused(state: TableState, seat: int) -> Iterator[Entry]:
    twice = Play(DRAW.moves * 2)
    refused = refusal_of(state, seat, twice)
    if refused is not None:
        yield Refusal(seat, twice, refused.violation.reason)


def _play(state: TableState, seat: int, chance: random.Random) -> Play:
    position = state.match.round.position(seat)
    offers = offered(position)
    longer = [play for play in offers if len(play.moves) > 1]
    if longer and chance.randrange(3):
        return chance.choice(longer)
    return minimal(position)


@lru_cache
def entries_of(preset: str, rounds: int = 2, match_id: str = "m") -> tuple[Entry, ...]:
    """Return the record of an eventful match of *preset*; equal arguments give the same one."""
    header = header_of(preset, {"rounds": rounds}, match_id)
    return tuple(record(header, secret_of(match_id), random.Random(f"{preset} {match_id}")))


@lru_cache
def entries_of_a_dull_match() -> tuple[Entry, ...]:
    """Return the record of a match of remik in which all draw and discard until the discards are reshuffled."""
    header = header_of("remik", {"rounds": 1, "players": 2, "jokers": 4}, "dull")
    secret = secret_of(header.match_id)
    state, entries = opened(header, secret)
    while state.turn is not None:
        entry = Played(state.turn, minimal(state.match.round.position(state.turn)), 1_000)
        state, _ = fold(state, entry)
        entries.append(entry)
    return (*entries, state.result(), reveal_of(header.match_id))


def lines_of(entries: Sequence[Entry]) -> list[str]:
    """Return the replay of *entries*, its chain made anew."""
    return list(write(map(entry_bytes, entries)))
