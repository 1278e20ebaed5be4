"""Where two replays part, entry by entry, in constant memory."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from clients.cli.replay_files import plain
from clients.cli.replay_text import names_of, told
from engine.record.canonical import Json
from engine.record.entries import Entry, Header, Played, StoodIn
from engine.record.entry_json import to_json
from engine.record.replay import ReplayLine

_ENDED: Final = "has ended"


@dataclass(frozen=True, slots=True)
class Parting:
    """Two replays, entry *number* of each; None where it has ended."""

    number: int
    first: Entry | None
    second: Entry | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What two replays do not have in common.

    Attributes:
        fields: Fields of the header that differ, with the value in each.
        times: First entry that differs in the time charged or the number of the try alone, before *parting*.
        parting: First entry that differs otherwise.
        names: What to call the seats of each.
    """

    fields: dict[str, tuple[Json, Json]]
    times: Parting | None
    parting: Parting | None
    names: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def same(self) -> bool:
        """Whether there is none."""
        return not self.fields and self.times is None and self.parting is None


def difference(first: Iterator[ReplayLine], second: Iterator[ReplayLine]) -> Difference:
    """Compare two replays up to where the play parts."""
    found = Difference({}, None, None, ((), ()))
    for number, (one, other) in enumerate(zip_longest(first, second)):
        here = Parting(number, one and one.entry, other and other.entry)
        if isinstance(here.first, Header) and isinstance(here.second, Header):
            names = names_of(here.first), names_of(here.second)
            found = replace(found, fields=_fields(here.first, here.second), names=names)
        elif here.first != here.second:
            if _timeless(here.first) != _timeless(here.second):
                return replace(found, parting=here)
            found = replace(found, times=found.times or here)
    return found


def _fields(one: Header, other: Header) -> dict[str, tuple[Json, Json]]:
    first, second = to_json(one), to_json(other)
    keys = (*first, *(key for key in second if key not in first))
    return {key: (first.get(key), second.get(key)) for key in keys if first.get(key) != second.get(key)}


def _timeless(entry: Entry | None) -> Entry | None:
    if isinstance(entry, Played):
        return replace(entry, used_us=0, attempt=0)
    return replace(entry, used_us=0) if isinstance(entry, StoodIn) else entry


def difference_lines(found: Difference) -> Iterator[str]:
    """Yield what differs, for people: one line a field, and what each says at an entry."""
    for key, (one, other) in found.fields.items():
        yield f"header, {plain(key)}: {plain(str(one))} | {plain(str(other))}"
    if found.times is not None:
        yield f"entry {found.times.number} is the first to differ in time alone:"
        yield from _both(found.times, found)
    if found.parting is not None:
        yield f"entry {found.parting.number} is the first to differ:"
        yield from _both(found.parting, found)


def _both(here: Parting, found: Difference) -> Iterator[str]:
    for mark, entry, names in zip("AB", (here.first, here.second), found.names, strict=True):
        yield f"  {mark}  {_ENDED if entry is None else told(entry, names)}"


def difference_json(found: Difference) -> dict[str, Json]:
    """Return what differs, for programs."""
    return {
        "same": found.same,
        "header": {key: [one, other] for key, (one, other) in found.fields.items()},
        "times": _parting_json(found.times),
        "parting": _parting_json(found.parting),
    }


def _parting_json(here: Parting | None) -> Json:
    if here is None:
        return None
    one, other = (None if entry is None else to_json(entry) for entry in (here.first, here.second))
    return {"entry": here.number, "a": one, "b": other}
