"""Files of a chain: one entry a line, each with the head after it, at the end perhaps a signature.

Read with bounds, so that no file, however made, takes much memory or time;
nothing in it is ever executed or imported. What an entry is, its readers know.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, NoReturn, Protocol

from engine.record.canonical import RECORD_START, Json, canonical, linked
from engine.record.fields import EntryError
from engine.record.signature import Check, Sign, Signature, signature_from_json, signature_to_json, signed_message

LINE_LIMIT: Final = 1 << 20
"""Bytes that a line may have."""

SIZE_LIMIT: Final = 64 << 20
"""Bytes that a replay may have; a match of a hundred rounds has about a hundredth of it."""

OPENING: Final = '{"entry":{'
"""How the first line of every chain begins: what tells it from other files."""

_READ_NOTES: Final = frozenset({"_wall", "_referee"})
"""Keys with a leading underscore that readers look at; others are notes of whoever wrote the file."""

_MOST_DIGITS: Final = 16
"""Digits that a number may have: RFC 8785 knows no greater ones exactly."""


class ChainLine(NamedTuple):
    """A line of a chain, in canonical form.

    Attributes:
        number: Number of the line, from 0.
        body: JSON of the entry, without notes that no reader looks at.
        known: Canonical bytes of *body*.
        text: Canonical bytes of the entry, all of it: what is chained.
        head: Head of the chain after it, as the file claims.
    """

    number: int
    body: Json
    known: bytes
    text: bytes
    head: bytes


class SignedEnd(NamedTuple):
    """The last line of a signed chain.

    Attributes:
        number: Number of the line, from 0.
        signature: The signature.
    """

    number: int
    signature: Signature


class ReplayError(ValueError):
    """A line that is not what the file may hold."""

    def __init__(self, number: int, problem: str) -> None:
        """Blame entry *number* (from 0) for *problem*."""
        super().__init__(f"entry {number}: {problem}")
        self.number = number
        self.problem = problem


class UnreadableError(ReplayError):
    """A file that this version cannot read at all: bad input, not a bad match."""


class ByteLines(Protocol):
    """A file opened for reading bytes."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, line end included, but at most *size* bytes; nothing at the end."""


def write(entries: Iterable[bytes], sign: Sign | None = None) -> Iterator[str]:
    """Yield the lines of a chain, line ends included.

    Args:
        entries: In canonical bytes.
        sign: Signs the end; the chain is left unsigned without it.
    """
    first, head = b"", RECORD_START
    for entry in entries:
        first = first or entry
        head = linked(head, entry)
        yield _line(entry, head)
    if sign is not None:
        yield _signature_line(sign(signed_message(first, head)))


def lines_in(file: ByteLines, size_limit: int = SIZE_LIMIT) -> Iterator[str]:
    """Yield the lines of *file* with their line ends, none longer than `LINE_LIMIT`.

    Raises:
        UnreadableError: A line is larger than any entry, or the whole than *size_limit*.
        ReplayError: A line is not UTF-8.
    """
    number = read_so_far = 0
    while line := file.readline(LINE_LIMIT + 1):
        read_so_far += len(line)
        if len(line) > LINE_LIMIT:
            raise UnreadableError(number, f"the line has more than {LINE_LIMIT} bytes, which no entry has")
        if read_so_far > size_limit:
            raise UnreadableError(number, f"the file has more than {size_limit} bytes, which no replay has")
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as wrong:
            error = ReplayError if number or line.startswith(OPENING.encode()) else UnreadableError
            raise error(number, "the line is not UTF-8") from wrong
        number += 1


def read_lines(lines: Iterable[str]) -> Iterator[ChainLine | SignedEnd]:
    """Yield *lines*, each in canonical form or not at all; whether the chain holds is not looked at.

    Raises:
        UnreadableError: It does not begin as a chain does, ends within a line, holds
            what no writer of JSON writes, or a second chain behind the first.
        ReplayError: A line has no entry, is not canonical, or stands behind the signature.
    """
    number, ended = -1, False
    for number, line in enumerate(lines):
        if number == 0 and not line.startswith(OPENING):
            raise UnreadableError(0, f"no replay: the first line does not begin with {OPENING}")
        if not line.endswith("\n"):
            raise UnreadableError(number, "the file ends within a line")
        if ended:
            raise _behind_the_end(number, line)
        value = _object(number, line)
        ended = "signature" in value
        yield _read_signature(number, line, value) if ended else _read_entry(number, line, value)
    if number < 0:
        raise UnreadableError(0, "the file is empty")


class HasText(Protocol):
    """An entry's line, whatever the entry was read as."""

    @property
    def number(self) -> int:
        """Number of the line, from 0."""

    @property
    def text(self) -> bytes:
        """Canonical bytes of the entry."""

    @property
    def head(self) -> bytes:
        """Head of the chain after it, as the file claims."""


class Links:
    """Follows a chain line by line and checks that it holds."""

    def __init__(self, check: Check | None) -> None:
        """Begin before the first entry; *check* checks the signature, which is taken as it is without."""
        self._check = check
        self._first = b""
        self._head = RECORD_START

    def follow(self, line: SignedEnd | HasText) -> None:
        """Follow *line*.

        Raises:
            ReplayError: The chain is broken, or the signature is of something else.
        """
        if isinstance(line, SignedEnd):
            message = signed_message(self._first, self._head)
            if self._check is not None and not self._check(message, line.signature):
                key = line.signature.key.hex()
                raise ReplayError(line.number, f"the signature is not one of this replay by key {key}")
            return
        self._first = self._first or line.text
        self._head = linked(self._head, line.text)
        if self._head != line.head:
            raise ReplayError(line.number, f"the chain is broken: head {line.head.hex()}, expected {self._head.hex()}")


def _signature_line(signature: Signature) -> str:
    return canonical(signature_to_json(signature)).decode("ascii") + "\n"


def _line(entry: bytes, head: bytes) -> str:
    return f'{{"entry":{entry.decode("utf-8")},"head":"{head.hex()}"}}\n'


def _read_entry(number: int, line: str, value: dict[str, Json]) -> ChainLine:
    body, head = value.get("entry"), value.get("head")
    try:
        text = canonical(body)
        head_bytes = bytes.fromhex(head) if isinstance(head, str) else b""
    except (ValueError, RecursionError) as wrong:
        raise ReplayError(number, str(wrong)) from wrong
    if _line(text, head_bytes) != line:
        raise ReplayError(number, "the line is not in canonical form")
    notes = [key for key in body if key[:1] == "_" and key not in _READ_NOTES] if isinstance(body, dict) else []
    if not notes or not isinstance(body, dict):
        return ChainLine(number, body, text, text, head_bytes)
    known: Json = {key: item for key, item in body.items() if key not in notes}
    return ChainLine(number, known, canonical(known), text, head_bytes)


def _read_signature(number: int, line: str, value: dict[str, Json]) -> SignedEnd:
    try:
        signature = signature_from_json(value)
    except EntryError as wrong:
        raise ReplayError(number, str(wrong)) from wrong
    if _signature_line(signature) != line:
        raise ReplayError(number, "the line is not in canonical form")
    return SignedEnd(number, signature)


def _behind_the_end(number: int, line: str) -> ReplayError:
    """Return what is wrong with *line*, which stands behind the signature: the first of another file, or any other."""
    try:
        entry = _read_entry(number, line, _object(number, line))
    except ReplayError:
        entry = None
    if entry is not None and entry.head == linked(RECORD_START, entry.text):
        return UnreadableError(number, "a second match or ladder begins; a file holds one")
    return ReplayError(number, "the signature ends a file; nothing may follow it")


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
