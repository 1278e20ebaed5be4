"""Entries of the record: every entry comes back from its JSON, and nothing else is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import CARDS
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.reasons import Reason
from engine.record.canonical import Json
from engine.record.chain import ReplayError, write
from engine.record.entries import (
    Cause,
    Dealt,
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
    SetProof,
    StoodIn,
    Void,
)
from engine.record.entry_json import from_json, to_json
from engine.record.fields import EntryError
from engine.record.replay import ReplayLine, entry_bytes, read

seats = st.integers(0, 7)
times = st.integers(0, 10**12)
text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
some_cards = st.lists(st.sampled_from(CARDS), min_size=1, max_size=5).map(tuple)
moves: st.SearchStrategy[Move] = st.one_of(
    st.just(Draw()),
    st.integers(1, 9).map(Take),
    st.just(TakeTurnUp()),
    some_cards.map(Lay),
    st.builds(LayOff, st.integers(1, 99), st.sampled_from([End.LOW, End.HIGH, None]), some_cards),
    st.builds(Swap, st.integers(1, 99), st.sampled_from(CARDS[:52])),
    st.sampled_from(CARDS[:53]).map(Discard),
)
plays = st.lists(moves, min_size=1, max_size=4).map(tuple).map(Play)
numbers = st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=4).map(tuple)
causes = st.sampled_from(Cause)
texts = st.lists(text, max_size=4).map(tuple)
proofs = st.builds(SetProof, text, times, texts, seats, seats, texts, text)
headers = st.builds(
    Header,
    text, text, st.dictionaries(text, st.integers(-9, 9) | st.booleans() | text, max_size=3),
    st.lists(text, max_size=4).map(tuple), text, text, st.integers(0, 9), text, text, st.integers(1, 9), text, text,
)  # fmt: skip
later_entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Played, seats, plays, times, st.integers(1, 99)),
    st.builds(Refusal, seats, st.none() | plays, st.sampled_from(Reason), st.integers(1, 99)),
    st.builds(StoodIn, seats, st.lists(plays, min_size=1, max_size=2).map(tuple), causes, times),
    st.builds(Presence, seats, st.booleans()),
    st.builds(Forfeit, seats, causes),
    st.builds(
        Result,
        st.lists(numbers, max_size=3).map(tuple),
        numbers,
        st.lists(seats, max_size=3).map(tuple),
        st.lists(st.builds(Forfeited, seats, seats, causes), max_size=2).map(tuple),
        st.lists(st.tuples(seats, causes), max_size=3).map(tuple),
    ),
    st.builds(Hashes, texts),
    st.builds(Dealt, texts),
    st.builds(Void, causes, st.none() | seats),
    st.builds(Reveal, text, st.integers(-1, 7), st.booleans(), st.none() | proofs),
)
entries = headers | later_entries


@given(entries)
def test_an_entry_comes_back_from_its_json(entry: Entry) -> None:
    """Every kind of entry is read as it was written."""
    assert from_json(to_json(entry)) == entry


@given(headers, st.lists(later_entries, max_size=3))
def test_a_replay_file_gives_its_entries_back(header: Header, later: list[Entry]) -> None:
    """Entries, bytes and numbers survive the file."""
    written = [header, *later]
    lines = list(write(map(entry_bytes, written)))
    found = [line for line in read(lines) if isinstance(line, ReplayLine)]
    assert [line.entry for line in found] == written
    assert [line.text for line in found] == list(map(entry_bytes, written))
    assert [line.number for line in found] == list(range(len(written)))


@given(entries, st.data())
def test_a_key_too_many_or_too_few_is_refused(entry: Entry, data: st.DataObject) -> None:
    """An entry with an unknown key or without one of its own is none."""
    value = to_json(entry)
    with pytest.raises(EntryError):
        from_json({**value, "more": 1})
    key = data.draw(st.sampled_from(sorted(set(value) - {"proof"})))  # a reveal may have none
    with pytest.raises(EntryError):
        from_json({name: kept for name, kept in value.items() if name != key})


json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)


@given(entries, json_values, st.data())
def test_no_value_does_worse_than_a_refusal(entry: Entry, strange: Json, data: st.DataObject) -> None:
    """Anything in the place of a value is an entry or an `EntryError`."""
    value = to_json(entry)
    key = data.draw(st.sampled_from(sorted(value)))
    try:
        read_back = from_json({**value, key: strange})
    except EntryError:
        return
    assert from_json(to_json(read_back)) == read_back


@given(headers, st.integers(0), st.integers(0, 255))
def test_a_changed_byte_is_never_read_as_written(written: Header, place: int, byte: int) -> None:
    """A line with another byte is refused, or is another line: nothing is taken for canonical that is not."""
    lines = list(write([entry_bytes(written)]))
    raw = bytearray(lines[0].encode("latin-1"))
    at = place % (len(raw) - 1)
    raw[at] ^= 1 + byte % 255
    try:
        found = next(read([raw.decode("latin-1"), *lines[1:]]))
    except ReplayError:
        return
    original = next(read(lines))
    assert isinstance(found, ReplayLine)
    assert isinstance(original, ReplayLine)
    assert (found.text, found.head) != (original.text, original.head)
