"""Replays that were changed: every change is found, with the right entry named.

Whoever changes a file without making the hashes anew is found by the chain; a
forger who makes them all anew is found by playing the match again.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from engine.cards import CARDS, bag, overlap
from engine.moves import Discard, Play
from engine.reasons import Reason
from engine.record.audit import Step, audit, chained, steps
from engine.record.deal import Secret, nonce_hash
from engine.record.entries import (
    Cause,
    Entry,
    Forfeit,
    Forfeited,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    StoodIn,
    Void,
)
from engine.record.replay import only_entries
from engine.rules.registry import presets, rule_set
from tests.engine.recording import entries_of, entries_of_a_dull_match, lines_of, secret_of

SAMPLE = 40
"""Bytes that are flipped in a file where not all are."""

CORPUS = {**{preset: entries_of(preset, 1) for preset in presets()}, "dull": entries_of_a_dull_match()}


def test_the_corpus_has_all_that_can_happen() -> None:
    """Refusals, time-outs, illegal answers, absence, forfeits and a reshuffle are in it, and it is sound."""
    kinds: set[object] = set()
    told: set[str] = set()
    for entries in CORPUS.values():
        lines = lines_of(entries)
        assert audit(lines).ok
        kinds |= {type(entry) for entry in entries}
        kinds |= {entry.cause for entry in entries if isinstance(entry, StoodIn)}
        told |= {type(event).__name__ for step in steps(list(only_entries(chained(lines)))) for event in step.events}
    assert kinds >= {Header, Played, Refusal, StoodIn, Presence, Forfeit, Result, Reveal}
    assert kinds >= {Cause.TIME_OUT, Cause.ILLEGAL, Cause.LEFT, Cause.CRASHED, Cause.STRIKES}
    assert told >= {"StockReshuffled", "DealerDrawn", "RoundOver", "MatchOver"}


# -- without new hashes -----------------------------------------------------------


def blamed(raw: bytes) -> int | None:
    """Return the number of the first bad entry of a file."""
    return audit(raw.decode("utf-8", "surrogateescape").splitlines(keepends=True)).bad_entry


def test_each_flipped_byte_of_a_file_is_found() -> None:
    """Every byte of a whole file, one or more of its bits turned: its line is blamed, line ends included."""
    raw = "".join(lines_of(entries_of("remi-five-rounds", 1)[:12])).encode()
    number = 0
    for place, byte in enumerate(raw):
        for bits in (0x01, 0x20, 0x80):
            assert blamed(raw[:place] + bytes((byte ^ bits,)) + raw[place + 1 :]) == number, (place, bits)
        number += byte == ord("\n")


@pytest.mark.parametrize("name", CORPUS)
def test_flipped_bytes_are_found_in_every_preset(name: str) -> None:
    """Bytes anywhere in the file, any bits."""
    raw, chance = "".join(lines_of(CORPUS[name])).encode(), random.Random(name)
    for place in chance.sample(range(len(raw)), SAMPLE):
        flipped = raw[:place] + bytes((raw[place] ^ chance.randrange(1, 256),)) + raw[place + 1 :]
        assert blamed(flipped) == raw.count(b"\n", 0, place)


@pytest.mark.parametrize("name", CORPUS)
def test_lines_dropped_doubled_swapped_spliced_or_cut_off_are_found(name: str) -> None:
    """Whatever is done to whole lines, the first that is not where it was is blamed."""
    lines, chance = lines_of(CORPUS[name]), random.Random(name)
    other = lines_of(entries_of(name, 1, "other") if name in presets() else entries_of("remik"))
    for number in chance.sample(range(1, min(len(lines), len(other)) - 2), 8):
        later = chance.randrange(number + 1, len(lines))
        changed = {
            "dropped": lines[:number] + lines[number + 1 :],
            "doubled": [*lines[:number], lines[number - 1], *lines[number:]],
            "swapped": [*lines[:number], lines[later], *lines[number + 1 : later], lines[number], *lines[later + 1 :]],
            "cut off": lines[:number],
            "spliced in": [*lines[:number], other[number], *lines[number:]],
            "spliced over": [*lines[:number], other[number], *lines[number + 1 :]],
            "spliced on": lines[:number] + other[number:],
        }
        assert {how: audit(forged).bad_entry for how, forged in changed.items()} == dict.fromkeys(changed, number)


def test_a_header_of_another_match_is_found() -> None:
    """The first entry cannot be exchanged: the second is not chained to it."""
    mine, other = lines_of(entries_of("remi")), lines_of(entries_of("remi", 2, "other"))
    assert audit([other[0], *mine[1:]]).bad_entry == 1


# -- with all hashes made anew ----------------------------------------------------


class Forgery(NamedTuple):
    """A replay changed by somebody who makes all hashes anew.

    Attributes:
        name: What was changed.
        entries: The entries.
        first: First entry that may be blamed: where the change is.
        last: Last one: the next that cannot be so.
    """

    name: str
    entries: list[Entry]
    first: int
    last: int


def changed(entries: Sequence[Entry], number: int, **fields: Any) -> Forgery:
    """Return a forgery with other values in one entry, which gives itself away."""
    entry = replace(entries[number], **fields)
    assert entry != entries[number]
    kind = type(entry).__name__
    return Forgery(f"{kind} {fields}", [*entries[:number], entry, *entries[number + 1 :]], number, number)


def acts(entry: Entry) -> bool:
    """Return whether *entry* is a play of somebody."""
    return isinstance(entry, Played | StoodIn)


def forgeries(entries: Sequence[Entry], chance: random.Random) -> Iterator[Forgery]:
    """Yield what a forger might do to a sound record."""
    sound = list(steps(list(only_entries(chained(lines_of(entries))))))
    by_kind: dict[type, list[int]] = {}
    for number, entry in enumerate(entries):
        by_kind.setdefault(type(entry), []).append(number)
    yield from moved_plays(entries, chance)
    for number in chance.sample(by_kind[Played], 2):
        yield from forged_play(entries, number, sound[number - 1])
    for number in by_kind.get(StoodIn, [])[:3]:
        yield from forged_stand_in(entries, number, sound[number - 1])
    for number in by_kind.get(Refusal, [])[:2]:
        yield changed(entries, number, reason=Reason.MATCH_OVER)
        yield changed(entries, number, seat=len(sound[0].state.header.seats))
    for number in by_kind.get(Presence, [])[:1]:
        yield changed(entries, number, seat=-1)
        entry = entries[number]
        assert isinstance(entry, Presence)
        yield changed(entries, number, present=not entry.present)
        yield Forgery("twice", [*entries[:number], entry, *entries[number:]], number + 1, number + 1)
    for number in by_kind.get(Forfeit, [])[:1]:
        yield Forgery("twice", [*entries[:number], entries[number], *entries[number:]], number + 1, number + 1)
    yield from forged_ends(entries)


def moved_plays(entries: Sequence[Entry], chance: random.Random) -> Iterator[Forgery]:
    """Yield plays dropped, doubled and exchanged."""
    plays = [number for number, entry in enumerate(entries) if acts(entry)]
    for place in chance.sample(range(len(plays) - 2), 2):
        number, following = plays[place], plays[place + 1]
        without = [*entries[:number], *entries[number + 1 :]]
        yield Forgery("dropped", without, number, following - 1)
        yield Forgery("doubled", [*entries[:number], entries[number], *entries[number:]], number, number + 1)
        if entries[number] != entries[following]:
            exchanged = [*entries[:number], entries[following], *entries[number + 1 : following], entries[number]]
            yield Forgery("exchanged", [*exchanged, *entries[following + 1 :]], number, following)


def forged_play(entries: Sequence[Entry], number: int, before: Step) -> Iterator[Forgery]:
    """Yield other cards, seats and times of a play."""
    entry, state = entries[number], before.state
    assert isinstance(entry, Played)
    seats = len(state.header.seats)
    yield changed(entries, number, seat=(entry.seat + 1) % seats)
    yield changed(entries, number, seat=seats)
    yield changed(entries, number, used_us=state.clock.allowance_us(state.banks_us[entry.seat]) + 1)
    yield changed(entries, number, used_us=-1)
    yield changed(entries, number, play=Play(entry.play.moves * 2))
    late = state.clock.allowance_us(state.banks_us[entry.seat]) + 1
    stood_in = StoodIn(entry.seat, (entry.play,), Cause.LEFT, late)
    yield Forgery("a stand-in's", [*entries[:number], stood_in, *entries[number + 1 :]], number, number)
    refusal = Refusal(entry.seat, entry.play, Reason.CARD_NOT_HELD)
    yield Forgery("refused and legal", [*entries[:number], refusal, *entries[number:]], number, number)


def forged_stand_in(entries: Sequence[Entry], number: int, before: Step) -> Iterator[Forgery]:
    """Yield other plays, causes and times of a stand-in."""
    entry, state = entries[number], before.state
    assert isinstance(entry, StoodIn)
    if isinstance(entry.plays[-1].moves[-1], Discard):
        held, thrown = state.match.round.hands[entry.seat], entry.plays[-1].moves[-1].card
        other = next(card for card in CARDS[:52] if card != thrown and not overlap(held, bag((card,))))
        yield changed(entries, number, plays=(*entry.plays[:-1], Play((Discard(other),))))
    yield changed(entries, number, plays=())
    yield changed(entries, number, seat=(entry.seat + 1) % len(state.header.seats))
    yield changed(entries, number, cause=Cause.NEVER_CAME)
    if entry.cause is Cause.TIME_OUT and not state.forfeited(entry.seat):
        yield changed(entries, number, used_us=state.clock.allowance_us(state.banks_us[entry.seat]))
    if entry.cause is not Cause.ILLEGAL:
        yield changed(entries, number, cause=Cause.ILLEGAL)


def forged_ends(entries: Sequence[Entry]) -> Iterator[Forgery]:
    """Yield other headers, results and reveals."""
    end, reveal = len(entries) - 2, len(entries) - 1
    header, result = entries[0], entries[end]
    assert isinstance(header, Header)
    assert isinstance(result, Result)
    totals = result.totals
    yield changed(entries, end, totals=(totals[0] + 5, *totals[1:]))
    yield changed(entries, end, totals=totals[::-1]) if totals != totals[::-1] else changed(entries, end, totals=())
    yield changed(entries, end, points=result.points[1:])
    yield changed(entries, end, winners=(*result.winners, 0))
    yield changed(entries, end, faults=(*result.faults, (0, Cause.ILLEGAL)))
    yield changed(entries, end, forfeits=(*result.forfeits, Forfeited(0, 0, Cause.CRASHED)))
    yield Forgery("no result", [*entries[:end], entries[reveal]], end, end)
    yield Forgery("two results", [*entries[:end], result, *entries[end:]], end + 1, end + 1)
    yield Forgery("an early result", [entries[0], result, *entries[1:]], 1, 1)
    yield Forgery("no reveal", list(entries[:reveal]), reveal, reveal)
    yield Forgery(
        "something after the end", [*entries[:reveal], Presence(0, present=False), entries[reveal]], reveal, reveal
    )
    yield changed(entries, reveal, secret="00" * 32)
    yield changed(entries, reveal, secret=secret_of(header.match_id).secret.hex().upper())
    yield changed(entries, 0, commitment="00" * 32)._replace(first=0, last=reveal)
    yield changed(entries, 0, match_id="another")._replace(first=0, last=reveal)
    yield changed(entries, 0, options={**header.options, "rounds": 2})._replace(first=1, last=end)
    yield changed(entries, 0, options={name: str(value) for name, value in header.options.items()})
    yield changed(entries, reveal, table=2)._replace(first=1, last=reveal)


@pytest.mark.parametrize("name", presets())
def test_a_forger_who_makes_all_hashes_anew_is_found(name: str) -> None:
    """Plays, seats, clocks, stand-ins, refusals, scores and the deal are computed again."""
    entries = CORPUS[name]
    for forgery in forgeries(entries, random.Random(name)):
        verdict = audit(lines_of(forgery.entries))
        assert verdict.bad_entry is not None, forgery.name
        assert forgery.first <= verdict.bad_entry <= forgery.last, (forgery.name, forgery.first, verdict)


@pytest.mark.parametrize("name", presets())
def test_exchanged_seats_are_found(name: str) -> None:
    """Two seats that exchange all their entries: the first play of either is blamed."""
    entries = list(CORPUS[name])
    exchange = {0: 1, 1: 0}
    first = next(n for n, entry in enumerate(entries) if isinstance(entry, Played | StoodIn) and entry.seat in exchange)
    for number, entry in enumerate(entries):
        if isinstance(entry, Played | StoodIn | Refusal | Presence | Forfeit):
            entries[number] = replace(entry, seat=exchange.get(entry.seat, entry.seat))
    verdict = audit(lines_of(entries))
    assert verdict.bad_entry is not None
    assert verdict.bad_entry <= first


@pytest.mark.parametrize("name", presets())
def test_entries_of_another_match_are_found(name: str) -> None:
    """The tail of another match of the same rules under this header does not fit its deal."""
    mine, other = CORPUS[name], entries_of(name, 1, "other")
    for number in (1, len(mine) // 2):
        verdict = audit(lines_of([*mine[:number], *other[number:]]))
        assert verdict.bad_entry is not None
        assert verdict.bad_entry >= number


def test_a_seat_that_sent_no_hash_cannot_be_blamed_for_a_void_match() -> None:
    """A match that is void for a nonce that was not opened blames a seat that had sent its hash."""
    secret, rules = Secret(bytes(range(32))), rule_set("remi", {"players": 2})
    header = entries_of("remi", 1)[0]
    assert isinstance(header, Header)
    options, bound = dict(rules.options), secret.commitment("m")
    header = replace(header, seats=("a", "b"), deal="table", commitment=bound, options=options)
    hashes = Hashes((nonce_hash(bytes(32)).hex(), ""))
    for culprit, bad in ((0, None), (1, 2), (7, 2), (None, 2)):
        void = Void(Cause.NONCE_NOT_OPENED, culprit)
        assert audit(lines_of([header, hashes, void, secret.reveal()])).bad_entry == bad
