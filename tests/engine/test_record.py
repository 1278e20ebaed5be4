"""The record: canonical bytes, entries, replays, and an audit that finds every change."""

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from engine.moves import Play
from engine.record.audit import audit
from engine.record.canonical import canonical
from engine.record.chain import write
from engine.record.deal import NO_NONCE, Batch, Secret, nonces_of
from engine.record.entries import Cause, Dealt, Entry, Header, Played, Refusal, StoodIn
from engine.record.entry_json import from_json, to_json
from engine.record.fold import begin, finish_turn, fold, refusal_of
from engine.record.replay import entry_bytes
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RULES_VERSION
from engine.stand_in import greedy

BATCH = Batch(5, tuple(bytes([number]) * 32 for number in range(11)))
NONCES = (bytes([7]) * 32, NO_NONCE)
SECRET = Secret(BATCH.seed(9, NONCES), 1, relabelled=True)

plain = st.recursive(
    st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(max_codepoint=126), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcXYZ_", max_size=4), inner, max_size=4),
)


@given(plain)
def test_canonical_bytes_are_those_of_the_standard(value: object) -> None:
    """For what entries are made of, sorted compact JSON is RFC 8785."""
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


def entries_of(preset: str) -> list[Entry]:
    """Return the record of a match with refusals and stand-ins, from header to reveal."""
    rules = rule_set(preset, {"rounds": 1})
    seats = tuple(f"p{seat}" for seat in range(rules.players))
    header = Header(
        "m", preset, dict(rules.options), seats, "standard", "minimal", 3, SECRET.commitment("m"), "set",
        RULES_VERSION, "2026-11-30T00:00:00Z", "test",
    )  # fmt: skip
    none = ("",) * rules.players
    state, _ = begin(header, SECRET.dealing("m", nonces_of(none)))
    entries: list[Entry] = [header, Dealt(none)]
    while state.turn is not None:
        play = greedy(state.match.round.position(state.turn))
        lost = next((forfeit.cause for forfeit in state.forfeits if forfeit.seat == state.turn), None)
        made: list[Entry] = []
        if len(entries) % 7 == 3 and lost is None:
            twice = Play(play.moves * 2)
            refused = refusal_of(state, state.turn, twice)
            assert refused is not None
            made.append(Refusal(state.turn, twice, refused.violation.reason))
        if lost is not None:
            made.append(StoodIn(state.turn, finish_turn(state), lost, 0))
        elif len(entries) % 11 == 5:
            used = state.clock.allowance_us(state.banks_us[state.turn]) + 1
            made.append(StoodIn(state.turn, finish_turn(state), Cause.TIME_OUT, used))
        else:
            made.append(Played(state.turn, play, 1_000))
        for entry in made:
            state, _ = fold(state, entry)
        entries += made
    return [*entries, state.result(), SECRET.reveal(BATCH.proof(9, NONCES))]


def lines_of(preset: str) -> list[str]:
    """Return the replay of a match."""
    return list(write(map(entry_bytes, entries_of(preset))))


def test_a_sound_replay_passes_in_every_preset() -> None:
    """From header to reveal, refusals, stand-ins and clocks included; entries survive their JSON."""
    for preset in presets():
        entries = entries_of(preset)
        assert [from_json(to_json(entry)) for entry in entries] == entries
        verdict = audit(write(map(entry_bytes, entries)))
        assert verdict.ok, (preset, verdict)
        assert verdict.entries == len(entries)


def test_any_flipped_byte_is_found() -> None:
    """Each byte of each line: the audit blames that entry."""
    lines = lines_of("remi")
    for number in (0, 1, 5, len(lines) // 2, len(lines) - 1):
        raw = lines[number].encode("latin-1")
        for place in range(len(raw)):
            flipped = bytearray(raw)
            flipped[place] ^= 1
            verdict = audit([*lines[:number], flipped.decode("latin-1"), *lines[number + 1 :]])
            assert verdict.bad_entry == number, (number, place, verdict)


def test_lines_dropped_doubled_swapped_or_cut_off_are_found() -> None:
    """The chain breaks where the file was changed."""
    lines = lines_of("remi")
    for number in range(1, len(lines) - 1, 9):
        assert audit(lines[:number] + lines[number + 1 :]).bad_entry == number
        assert audit([*lines[: number + 1], *lines[number:]]).bad_entry == number + 1
        assert audit([*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]).bad_entry == number
    assert audit(lines[:-1]).bad_entry == len(lines) - 1
    assert audit([*lines[:-1], lines[-1][:-1]]).bad_entry == len(lines) - 1


def rewritten(entries: list[Entry], number: int, entry: Entry) -> list[str]:
    """Return a replay with one entry replaced and the chain made anew, as a forger would."""
    return list(write(map(entry_bytes, [*entries[:number], entry, *entries[number + 1 :]])))


def test_a_forger_who_mends_the_chain_is_found_by_the_rules() -> None:
    """Scores, clocks, stand-in plays, refusals and the secret are all computed again."""
    entries = entries_of("remi")
    result, reveal = entries[-2], entries[-1]
    stood_in = next(number for number, entry in enumerate(entries) if isinstance(entry, StoodIn))
    refusal = next(number for number, entry in enumerate(entries) if isinstance(entry, Refusal))
    played = next(number for number, entry in enumerate(entries) if isinstance(entry, Played))
    for number, change in (
        (len(entries) - 2, {"totals": tuple(total + 5 for total in result.totals)}),  # type: ignore[union-attr]
        (len(entries) - 1, {"secret": "00" * 32}),
        (stood_in, {"used_us": 1}),
        (refusal, {"reason": next(reason for reason in type(entries[refusal].reason))}),  # type: ignore[union-attr]
        (played, {"used_us": 10**9}),
        (played, {"seat": 1}),
    ):
        entry = entries[number]
        forged = type(entry)(**{**{name: getattr(entry, name) for name in entry.__slots__}, **change})
        verdict = audit(rewritten(entries, number, forged))
        assert not verdict.ok, change
    assert reveal == SECRET.reveal(BATCH.proof(9, NONCES))
