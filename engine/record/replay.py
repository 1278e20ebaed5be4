"""The replay file `*.rummy.jsonl`: one match in one text file.

A line is an entry with the head of the chain after it. Written line by line, so
a match of any length needs no memory.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.record.canonical import RECORD_START, Json, canonical, linked
from engine.record.entries import Entry, from_json, to_json
from engine.record.fields import EntryError

SUFFIX = ".rummy.jsonl"


class ReplayLine(NamedTuple):
    """A line of a replay, read.

    Attributes:
        number: Number of the entry, from 0.
        entry: The entry.
        text: Its canonical bytes.
        head: Head of the chain after it, as the file claims.
    """

    number: int
    entry: Entry
    text: bytes
    head: bytes


class ReplayError(ValueError):
    """A line that is not what a replay may hold."""

    def __init__(self, number: int, problem: str) -> None:
        """Blame entry *number* (from 0) for *problem*."""
        super().__init__(f"entry {number}: {problem}")
        self.number = number
        self.problem = problem


def write(entries: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a replay, line ends included, from canonical entries."""
    head = RECORD_START
    for entry in entries:
        head = linked(head, entry)
        yield f'{{"entry":{entry.decode("utf-8")},"head":"{head.hex()}"}}\n'


def entry_bytes(entry: Entry) -> bytes:
    """Return the canonical bytes of *entry*."""
    return canonical(to_json(entry))


def read(lines: Iterable[str]) -> Iterator[ReplayLine]:
    """Yield the lines of a replay, each in canonical form or not at all.

    Raises:
        ReplayError: A line is no entry, not canonical, or cut off.
    """
    for number, line in enumerate(lines):
        if not line.endswith("\n"):
            raise ReplayError(number, "the line is cut off")
        value = _object(number, line)
        head = value["head"]
        try:
            entry = from_json(value["entry"])
            text = canonical(value["entry"])
            head_bytes = bytes.fromhex(head) if isinstance(head, str) else b""
        except (EntryError, ValueError) as wrong:
            raise ReplayError(number, str(wrong)) from wrong
        if canonical(value).decode() + "\n" != line or entry_bytes(entry) != text:
            raise ReplayError(number, "the line is not in canonical form")
        yield ReplayLine(number, entry, text, head_bytes)


def _object(number: int, line: str) -> dict[str, Json]:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as broken:
        raise ReplayError(number, "the line is not JSON") from broken
    if not isinstance(value, dict) or set(value) != {"entry", "head"}:
        raise ReplayError(number, "a line has the keys entry and head")
    return value
