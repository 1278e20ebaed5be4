"""The lines of a scenario file, before anything in them is understood."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.cards import Card
from engine.notation import parse_cards
from engine.reasons import RuleViolation

_PARTING: Final = re.compile(r"-{3,}")
_CLAUSES: Final = re.compile(r"#\s*clause\s+(.*)")
_CLAUSE: Final = re.compile(r"[a-z][a-z-]*-[0-9]+(?:\.[0-9]+)*")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}")


class ScenarioError(ValueError):
    """A scenario that cannot be read.

    Attributes:
        file: Name of the file as given.
        line: Number of the line, from 1.
        reason: What is wrong, for people.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        """Report *reason* at *line* of *file*."""
        super().__init__(f"{file}:{line} {reason}")
        self.file = file
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Line:
    """One line that says something.

    Attributes:
        file: Name of the file.
        number: Number of the line, from 1.
        head: Words before the colon, or all of them.
        body: What follows the first colon; None without one.
    """

    file: str
    number: int
    head: tuple[str, ...]
    body: str | None

    @property
    def text(self) -> str:
        """The line without its comment."""
        head = " ".join(self.head)
        return head if self.body is None else f"{head}: {self.body}".rstrip()

    def error(self, reason: str) -> ScenarioError:
        """Return the error that this line is."""
        return ScenarioError(self.file, self.number, reason)

    def after(self, words: int) -> "Line":
        """Return the line without its first *words* words."""
        return Line(self.file, self.number, self.head[words:], self.body)

    def number_in(self, text: str) -> int:
        """Return the whole number written as *text*, sign allowed.

        Raises:
            ScenarioError: It is none.
        """
        if not _NUMBER.fullmatch(text.strip()):
            raise self.error(f"{text.strip() or 'nothing'} is not a number")
        return int(text)

    def cards(self) -> tuple[Card, ...]:
        """Return the cards after the colon, in the order written.

        Raises:
            ScenarioError: There is no colon, or something is not a card.
        """
        if self.body is None:
            raise self.error(f"write a colon after {self.text}, then the cards")
        try:
            return parse_cards(self.body)
        except RuleViolation as violation:
            raise self.error(str(violation)) from violation


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one scenario.

    Attributes:
        lines: Lines that say something, in order.
        clauses: Rule clauses that its comments name, in order.
    """

    lines: tuple[Line, ...]
    clauses: tuple[str, ...]


def blocks(text: str, file: str) -> Iterator[Block]:
    """Yield the scenarios of *text*; a part with comments only is none of them.

    Raises:
        ScenarioError: A line has nothing before its colon.
    """
    lines: list[Line] = []
    clauses: list[str] = []
    for number, written in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        named = _CLAUSES.search(written)
        clauses += _CLAUSE.findall(named[1]) if named else []
        said = written.partition("#")[0].strip()
        if _PARTING.fullmatch(said):
            if lines:
                yield Block(tuple(lines), tuple(clauses))
            lines, clauses = [], []
        elif said:
            head, colon, body = said.partition(":")
            if not head.strip():
                raise ScenarioError(file, number, "nothing stands before the colon")
            lines.append(Line(file, number, tuple(head.split()), body.strip() if colon else None))
    if lines:
        yield Block(tuple(lines), tuple(clauses))
