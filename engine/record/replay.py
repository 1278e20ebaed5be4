"""The replay file `*.rummy.jsonl`: one match in one text file, one entry a line.

Written line by line, so a match of any length needs no memory.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from engine.record.canonical import Json, canonical
from engine.record.chain import ReplayError, SignedEnd, UnreadableError, read_lines
from engine.record.entries import FORMAT, Entry, Header
from engine.record.entry_json import from_json, to_json
from engine.record.fields import EntryError

SUFFIX: Final = ".rummy.jsonl"


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


def entry_bytes(entry: Entry) -> bytes:
    """Return the canonical bytes of *entry*."""
    return canonical(to_json(entry))


def read(lines: Iterable[str]) -> Iterator[ReplayLine | SignedEnd]:
    """Yield the lines of a replay.

    Raises:
        UnreadableError: As `read_lines`; it does not begin with a header of a
            known format, or a second match begins.
        ReplayError: As `read_lines`, or a line is no entry.
    """
    for line in read_lines(lines):
        if isinstance(line, SignedEnd):
            yield line
            continue
        number, body, known, text, head = line
        if number == 0:
            _need_header(body)
        try:
            entry = from_json(body)
        except (EntryError, ValueError, RecursionError) as wrong:
            raise ReplayError(number, str(wrong)) from wrong
        if number and isinstance(entry, Header):
            raise UnreadableError(number, "a second match begins; a file holds one")
        if entry_bytes(entry) != known:
            raise ReplayError(number, "the line is not in canonical form")
        yield ReplayLine(number, entry, text, head)


def only_entries(lines: Iterable[ReplayLine | SignedEnd]) -> Iterator[ReplayLine]:
    """Yield *lines* without the signature at their end."""
    return (line for line in lines if isinstance(line, ReplayLine))


def _need_header(body: Json) -> None:
    """Refuse a first entry that is no header, or one of a format that is not read here."""
    if not isinstance(body, dict) or body.get("kind") != "header":
        raise UnreadableError(0, "no header: a replay begins with it")
    written = body.get("format")
    if not isinstance(written, int) or isinstance(written, bool) or not 1 <= written <= FORMAT:
        shown = written if isinstance(written, int) else "unknown"
        raise UnreadableError(
            0, f"format {shown} is not read by this version, which reads 1 to {FORMAT}; use the rummyref that wrote it"
        )
