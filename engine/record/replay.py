"""The replay file `*.rummy.jsonl`: one match in one text file.

A line is an entry with the head of the chain after it; the last one may be the
referee's signature. Written line by line, so a match of any length needs no
memory. Read with bounds, so that no file, however made, takes much memory or
time; nothing in it is ever executed or imported.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, NoReturn, Protocol

from engine.record.canonical import RECORD_START, Json, canonical, linked
from engine.record.entries import FORMAT, Entry, Header
from engine.record.entry_json import from_json, to_json
from engine.record.fields import EntryError
from engine.record.signature import Sign, Signature, signature_from_json, signature_to_json, signed_message

SUFFIX = ".rummy.jsonl"
LINE_LIMIT: Final = 1 << 20
"""Bytes that a line may have."""

SIZE_LIMIT: Final = 64 << 20
"""Bytes that a replay may have; a match of a hundred rounds has about a hundredth of it."""

_OPENING: Final = '{"entry":{'
"""How the first line of every replay begins: what tells it from other files."""

_MOST_DIGITS: Final = 16
"""Digits that a number may have: RFC 8785 knows no greater ones exactly."""


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


class SignedEnd(NamedTuple):
    """The last line of a signed replay.

    Attributes:
        number: Number of the line, from 0.
        signature: The signature.
    """

    number: int
    signature: Signature


class ReplayError(ValueError):
    """A line that is not what a replay may hold."""

    def __init__(self, number: int, problem: str) -> None:
        """Blame entry *number* (from 0) for *problem*."""
        super().__init__(f"entry {number}: {problem}")
        self.number = number
        self.problem = problem


class UnreadableError(ReplayError):
    """A file that this version cannot read as the replay of one match: bad input, not a bad match."""


class ByteLines(Protocol):
    """A file opened for reading bytes."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, line end included, but at most *size* bytes; nothing at the end."""


def write(entries: Iterable[bytes], sign: Sign | None = None) -> Iterator[str]:
    """Yield the lines of a replay, line ends included.

    Args:
        entries: In canonical bytes.
        sign: Signs the end; the replay is left unsigned without it.
    """
    first, head = b"", RECORD_START
    for entry in entries:
        first = first or entry
        head = linked(head, entry)
        yield _line(entry, head)
    if sign is not None:
        yield _signature_line(sign(signed_message(first, head)))


def _signature_line(signature: Signature) -> str:
    return canonical(signature_to_json(signature)).decode("ascii") + "\n"


def _line(entry: bytes, head: bytes) -> str:
    return f'{{"entry":{entry.decode("utf-8")},"head":"{head.hex()}"}}\n'


def entry_bytes(entry: Entry) -> bytes:
    """Return the canonical bytes of *entry*."""
    return canonical(to_json(entry))


def lines_in(file: ByteLines) -> Iterator[str]:
    """Yield the lines of *file* with their line ends, none longer than `LINE_LIMIT`.

    Raises:
        UnreadableError: A line, or the whole, is larger than a replay can be.
        ReplayError: A line is not UTF-8.
    """
    number = read_so_far = 0
    while line := file.readline(LINE_LIMIT + 1):
        read_so_far += len(line)
        if len(line) > LINE_LIMIT:
            raise UnreadableError(number, f"the line has more than {LINE_LIMIT} bytes, which no entry has")
        if read_so_far > SIZE_LIMIT:
            raise UnreadableError(number, f"the file has more than {SIZE_LIMIT} bytes, which no replay has")
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as wrong:
            error = ReplayError if number or line.startswith(_OPENING.encode()) else UnreadableError
            raise error(number, "the line is not UTF-8") from wrong
        number += 1


def read(lines: Iterable[str]) -> Iterator[ReplayLine | SignedEnd]:
    """Yield the lines of a replay, each in canonical form or not at all.

    Raises:
        UnreadableError: It does not begin with a header of a known format, a
            second match begins, it ends within a line, or it holds what no
            writer of JSON writes.
        ReplayError: A line is no entry, not canonical, or behind the signature.
    """
    number, ended = -1, False
    for number, line in enumerate(lines):
        if number == 0 and not line.startswith(_OPENING):
            raise UnreadableError(0, f"no replay: the first line does not begin with {_OPENING}")
        if not line.endswith("\n"):
            raise UnreadableError(number, "the file ends within a line")
        if ended:
            raise ReplayError(number, "the signature ends a replay; nothing may follow it")
        read_line = _read_line(number, line)
        yield read_line
        ended = isinstance(read_line, SignedEnd)
    if number < 0:
        raise UnreadableError(0, "the file is empty")


def only_entries(lines: Iterable[ReplayLine | SignedEnd]) -> Iterator[ReplayLine]:
    """Yield *lines* without the signature at their end."""
    return (line for line in lines if isinstance(line, ReplayLine))


def _read_line(number: int, line: str) -> ReplayLine | SignedEnd:
    value = _object(number, line)
    if number and "signature" in value:
        return _read_signature(number, line, value)
    body, head = value.get("entry"), value.get("head")
    if number == 0:
        _need_header(body)
    try:
        entry = from_json(body)
        text = entry_bytes(entry)
        head_bytes = bytes.fromhex(head) if isinstance(head, str) else b""
    except (EntryError, ValueError, RecursionError) as wrong:
        raise ReplayError(number, str(wrong)) from wrong
    if number and isinstance(entry, Header):
        raise UnreadableError(number, "a second match begins; a file holds one")
    if _line(text, head_bytes) != line:
        raise ReplayError(number, "the line is not in canonical form")
    return ReplayLine(number, entry, text, head_bytes)


def _read_signature(number: int, line: str, value: dict[str, Json]) -> SignedEnd:
    try:
        signature = signature_from_json(value)
    except EntryError as wrong:
        raise ReplayError(number, str(wrong)) from wrong
    if _signature_line(signature) != line:
        raise ReplayError(number, "the line is not in canonical form")
    return SignedEnd(number, signature)


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


def _object(number: int, line: str) -> dict[str, Json]:
    try:
        value = _DECODER.decode(line)
    except _StrangeError as strange:
        raise UnreadableError(number, str(strange)) from strange
    except RecursionError as deep:
        raise UnreadableError(number, "the line is nested deeper than any entry") from deep
    except json.JSONDecodeError as broken:
        raise ReplayError(number, "the line is not JSON") from broken
    except ValueError as fraction:
        raise ReplayError(number, str(fraction)) from fraction
    if not isinstance(value, dict) or set(value) not in ({"entry", "head"}, {"key", "signature"}):
        raise ReplayError(number, "a line has the keys entry and head, the last one key and signature")
    return value


class _StrangeError(Exception):
    """JSON that no writer of replays, and no slip of a bit, produces."""


def _number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS + digits.startswith("-"):
        raise _StrangeError(f"a number has more than {_MOST_DIGITS} digits")
    return int(digits)


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no integer")


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value: dict[str, Json] = {}
    for key, item in pairs:
        if key in value:
            raise _StrangeError(f"key {key[:40]!r} occurs twice")
        value[key] = item
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_number, parse_float=_no_fraction, parse_constant=_no_fraction
)
