"""Records of what no referee does: a forger who makes all hashes anew is found by what must have gone before.

The plays are those of the match; what is forged is who was asked, tried, charged, blamed or bound.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.moves import DRAW
from engine.reasons import Reason
from engine.record.audit import audit
from engine.record.deal import Secret, nonce_hash
from engine.record.entries import (
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    StoodIn,
    Void,
)
from engine.record.fold import REFUSALS_A_DECISION
from engine.rules.registry import presets, rule_set
from tests.engine.recording import entries_of, lines_of, opened

SECRET = Secret(bytes(range(32)))
NONCE = bytes([9] * 32)
OF_DECISIONS = (Cause.TIME_OUT, Cause.ILLEGAL)


def bad_entry(entries: Sequence[Entry]) -> int | None:
    """Return the number of the entry that an audit blames."""
    return audit(lines_of(list(entries))).bad_entry


def of_people(**fields: object) -> Header:
    """Return the header of a table of its own, for two, without clocks and strikes."""
    rules = rule_set("remi", {"players": 2, "rounds": 1})
    header = Header(
        "m", "remi", dict(rules.options), ("a", "b"), "untimed", "greedy", 0, SECRET.commitment("m"), "table",
        rules.version, "2026-11-30T00:00:00Z", "test",
    )  # fmt: skip
    return replace(header, **fields)  # type: ignore[arg-type]


def quiet(entries: Sequence[Entry]) -> list[int]:
    """Return the plays that another play of the same record comes before, with nothing between."""
    return [
        n for n, (one, two) in enumerate(pairwise(entries), 1) if isinstance(one, Played) and isinstance(two, Played)
    ]


@pytest.mark.parametrize("preset", presets())
def test_whoever_is_not_asked_has_sent_nothing(preset: str) -> None:
    """A refusal of another seat, and a play of a seat that is away or has forfeited the round, were never sent."""
    entries = list(entries_of(preset, 1))
    seats = len(entries[0].seats) if isinstance(entries[0], Header) else 0
    number = quiet(entries)[3]
    entry = entries[number]
    assert isinstance(entry, Played)
    other = (entry.seat + 1) % seats
    others: tuple[list[Entry], ...] = (
        [Refusal(other, DRAW, Reason.NOT_YOUR_TURN)],
        [Refusal(other, None, Reason.PLAY_EMPTY, n) for n in range(1, REFUSALS_A_DECISION + 1)],
    )
    for forged in others:
        assert bad_entry([*entries[:number], *forged, *entries[number:]]) == number
    for gone in (Presence(entry.seat, present=False), Forfeit(entry.seat, Cause.CRASHED)):
        assert bad_entry([*entries[:number], gone, *entries[number:]]) == number + 1
        refusal = Refusal(entry.seat, None, Reason.PLAY_EMPTY)
        assert bad_entry([*entries[:number], gone, refusal, *entries[number:]]) == number + 1


@pytest.mark.parametrize("preset", presets())
def test_tries_are_numbered_and_counted(preset: str) -> None:
    """Numbers that no message has, one attempt refused twice, and a play after the last refusal."""
    entries = list(entries_of(preset, 1))
    number = quiet(entries)[2]
    entry = entries[number]
    assert isinstance(entry, Played)
    for attempt in (-1, 1 << 32):
        assert bad_entry([*entries[:number], replace(entry, attempt=attempt), *entries[number + 1 :]]) == number
    refusal = Refusal(entry.seat, None, Reason.CARD_MALFORMED, 7)
    assert bad_entry([*entries[:number], refusal, *entries[number:]]) is None  # nobody can tell that it was not sent
    assert bad_entry([*entries[:number], refusal, refusal, *entries[number:]]) == number + 1
    last = [replace(refusal, attempt=n) for n in range(REFUSALS_A_DECISION)]
    assert bad_entry([*entries[:number], *last, *entries[number:]]) == number + REFUSALS_A_DECISION


def test_a_seat_that_was_not_asked_is_charged_nothing() -> None:
    """What a stand-in plays for a seat that is away, has crashed or has lost its last strike costs no clock."""
    seen = set[Cause]()
    for preset in presets():
        entries = list(entries_of(preset, 1))
        for number, entry in enumerate(entries):
            if isinstance(entry, StoodIn) and entry.cause not in {*OF_DECISIONS, *seen}:
                seen.add(entry.cause)
                assert bad_entry([*entries[:number], replace(entry, used_us=1), *entries[number + 1 :]]) == number
    assert seen == {Cause.LEFT, Cause.CRASHED, Cause.STRIKES}


@pytest.mark.parametrize("preset", presets())
def test_a_round_is_lost_for_a_cause_that_has_come_about(preset: str) -> None:
    """Of another seat, for faults that nothing tells of, for causes that forfeit nothing, at tables of people."""
    entries = list(entries_of(preset, 1))
    number = quiet(entries)[1]
    entry = entries[number]
    assert isinstance(entry, Played)
    other = (entry.seat + 1) % len(entries[0].seats) if isinstance(entries[0], Header) else 0
    for cause in set(Cause) - {Cause.CRASHED, Cause.NEVER_CAME}:
        seats = (other,) if cause is Cause.TIME_OUT else (entry.seat, other)  # a time-out may follow where a play stood
        for seat in seats:
            assert bad_entry([*entries[:number], Forfeit(seat, cause), *entries[number:]]) == number, cause
    header = of_people()
    state, dealt = opened(header, SECRET)
    assert state.turn == 0
    for cause in Cause:
        assert bad_entry([*dealt, Forfeit(0, cause), SECRET.reveal()]) == 2


def test_a_match_is_void_for_a_cause_that_voids_it() -> None:
    """Before its deal a hash that was not opened or the referee, after it the referee alone; no other is to blame."""
    header, hashes = of_people(), Hashes((nonce_hash(NONCE).hex(), ""))
    dealt = Dealt((NONCE.hex(), ""))
    good = {(Cause.NONCE_NOT_OPENED, 0), (Cause.REFEREE_FAULT, None)}
    for cause in Cause:
        for culprit in (None, 0, 1, 2):
            void = Void(cause, culprit)
            before = bad_entry([header, hashes, void, SECRET.reveal()])
            assert before == (None if (cause, culprit) in good else 2), void
            after = bad_entry([header, hashes, dealt, void, SECRET.reveal()])
            assert after == (None if void == Void(Cause.REFEREE_FAULT, None) else 3), void


def test_a_match_that_is_over_is_not_void() -> None:
    """In the place of the result, or behind it, a void that takes back what was won is blamed."""
    entries = list(entries_of("remi", 1))
    end = len(entries) - 2
    void = Void(Cause.REFEREE_FAULT, None)
    assert isinstance(entries[end], Result)
    assert bad_entry([*entries[:end], void, entries[-1]]) == end
    assert bad_entry([*entries[: end + 1], void, entries[-1]]) == end + 1


def test_hashes_are_one_a_seat_of_those_who_take_part() -> None:
    """None more, with which a referee could try deals; none of nobody, none that is no hash, none at tables of sets."""
    header, void = of_people(), Void(Cause.REFEREE_FAULT, None)
    bound = nonce_hash(NONCE).hex()
    for hashes in ((bound, bound, bound), (bound,), (), ("", ""), ("00", ""), (bound.upper(), ""), ("zz" * 32, "")):
        assert bad_entry([header, Hashes(hashes), void, SECRET.reveal()]) == 1, hashes
    entries = list(entries_of("remi", 1))
    nobody = ("",) * (len(entries[0].seats) - 1 if isinstance(entries[0], Header) else 0)
    dealt = Dealt((NONCE.hex(), *nobody))
    assert bad_entry([entries[0], Hashes((bound, *nobody)), dealt, *entries[2:]]) == 1


STRANGE: list[dict[str, object]] = [
    {"preset": "bridge"}, {"clock": "sundial"}, {"stand_in": "oracle"}, {"options": {}}, {"seats": ("a",)},
    {"strikes": -1},
]  # fmt: skip


@pytest.mark.parametrize("fields", STRANGE, ids=str)
def test_the_header_of_a_match_that_was_void_before_its_deal_is_looked_at(fields: dict[str, object]) -> None:
    """What was to be played, and by whom, must be something that can be played."""
    void: list[Entry] = [Void(Cause.REFEREE_FAULT, None), SECRET.reveal()]
    assert bad_entry([of_people(), *void]) is None
    assert bad_entry([of_people(**fields), *void]) == 0
