"""Scenario text read into values; nothing is played here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.cards import bag
from engine.match import Match
from engine.moves import Play
from engine.notation import parse_play
from engine.reasons import Reason, RuleViolation, Violation
from engine.rules.options import OptionError
from engine.rules.registry import FAMILIES, rule_set
from engine.rules.ruleset import Family, RuleSet
from engine.scenario.expectations import (
    OF_A_PLAY,
    Accepted,
    DebtsOpen,
    Expectation,
    HandIs,
    MeldIs,
    Offered,
    PileIs,
    Refused,
    RoundIsOver,
    ScoreIs,
    StockSize,
    TotalIs,
    TurnIs,
    Wins,
)
from engine.scenario.lines import Block, Line, ScenarioError, blocks
from engine.scenario.position import PositionBuilder

__all__ = ["Expect", "PlayStep", "Scenario", "ScenarioError", "read_file"]

_FORM: Final = (Reason.CARD_MALFORMED, Reason.PLAY_EMPTY, Reason.MOVE_MALFORMED)


@dataclass(frozen=True, slots=True)
class PlayStep:
    """A play that a scenario makes.

    Attributes:
        line: Number of its line, from 1.
        seat: Seat that makes it.
        text: The play as written.
        play: The play; None if it is written wrong and the scenario wants that refused.
        violation: What is wrong with how it is written.
    """

    line: int
    seat: int
    text: str
    play: Play | None
    violation: Violation | None


@dataclass(frozen=True, slots=True)
class Expect:
    """An expectation and where it stands.

    Attributes:
        line: Number of its line, from 1.
        expectation: What must hold.
    """

    line: int
    expectation: Expectation


Step = PlayStep | Expect


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario ready to be run.

    Attributes:
        name: Name of the file.
        line: Number of its first line, from 1.
        clauses: Rule clauses that it names.
        start: The position.
        steps: Plays and expectations, in order.
    """

    name: str
    line: int
    clauses: tuple[str, ...]
    start: Match
    steps: tuple[Step, ...]

    @property
    def expects(self) -> bool:
        """Whether anything is expected."""
        return any(isinstance(step, Expect) for step in self.steps)


def read_file(text: str, name: str, families: tuple[Family, ...] = FAMILIES) -> list[Scenario]:
    """Return the scenarios of a file.

    Args:
        text: What the file holds.
        name: What it is called in messages.
        families: Families whose presets may be named.

    Raises:
        ScenarioError: Something cannot be read, or the position cannot be.
    """
    scenarios = [_read(block, families) for block in blocks(text, name)]
    if not scenarios:
        raise ScenarioError(name, 1, "there is no scenario in it")
    return scenarios


def _read(block: Block, families: tuple[Family, ...]) -> Scenario:
    first, *others = block.lines
    builder = PositionBuilder(first, _rules(first, families))
    steps: list[Step] = []
    for place, line in enumerate(others):
        if line.head[0] == "play":
            follows = others[place + 1] if place + 1 < len(others) else None
            steps.append(_play(line, builder, follows))
        elif line.head[0] == "expect":
            expectation = _expectation(line.after(1), builder)
            if isinstance(expectation, OF_A_PLAY) and not any(isinstance(step, PlayStep) for step in steps):
                raise line.error(f"{line.text} speaks of the play above, and there is none")
            steps.append(Expect(line.number, expectation))
        elif steps:
            raise line.error("the position is set up before the first play and expectation")
        else:
            builder.add(line)
    return Scenario(first.file, first.number, block.clauses, builder.build(), tuple(steps))


def _rules(line: Line, families: tuple[Family, ...]) -> RuleSet:
    if line.head[0] != "rules" or len(line.head) < 2 or line.body is not None:
        raise line.error("a scenario begins with rules PRESET [option=value …]")
    options: dict[str, str] = {}
    for word in line.head[2:]:
        name, equals, value = word.partition("=")
        if not equals or name in options:
            raise line.error(f"{word} is no option=value, or said twice")
        options[name] = value
    try:
        return rule_set(line.head[1], options, families)
    except OptionError as error:
        raise line.error(str(error)) from error


def _play(line: Line, builder: PositionBuilder, follows: Line | None) -> PlayStep:
    if line.body is None or len(line.head) != 2:
        raise line.error("write play N: and the moves, joined by ;")
    seat = builder.seat(line)
    try:
        return PlayStep(line.number, seat, line.body, parse_play(line.body), None)
    except RuleViolation as refusal:
        violation = refusal.violation
        wanted = follows.head if follows else ()
        if wanted[:2] == ("expect", "refused") and wanted[2:] in [(reason.name,) for reason in _FORM]:
            return PlayStep(line.number, seat, line.body, None, violation)
        raise line.error(str(violation)) from refusal


def _expectation(line: Line, builder: PositionBuilder) -> Expectation:
    read = _EXPECTATIONS.get(line.head[0]) if line.head else None
    if read is None:
        raise line.error(f"cannot expect {line.text or 'nothing'}; it is one of {', '.join(_EXPECTATIONS)}")
    if line.head[0] in _SEATED and len(line.head) != 2:
        raise line.error(f"expect {line.head[0]} names one seat")
    return read(line, builder)


_Read = Callable[[Line, PositionBuilder], Expectation]


def _words(line: Line, most: int) -> tuple[str, ...]:
    """Return what follows the first word of a line that has no colon."""
    if line.body is not None or len(line.head) > most + 1:
        raise line.error(f"cannot read expect {line.text}")
    return line.head[1:]


def _ok(line: Line, _builder: PositionBuilder) -> Expectation:
    _words(line, 0)
    return Accepted()


def _refused(line: Line, _builder: PositionBuilder) -> Expectation:
    names = _words(line, 1)
    return Refused(_reason(line, names[0]) if names else None)


def _reason(line: Line, name: str) -> Reason:
    if name not in Reason.__members__:
        raise line.error(f"{name} is no reason; there are {', '.join(Reason.__members__)}")
    return Reason[name]


def _debts(line: Line, _builder: PositionBuilder) -> Expectation:
    names = (line.body or "").split()
    if line.head != ("debts",) or not names:
        raise line.error("write expect debts: and the reasons, or none")
    return DebtsOpen(() if names == ["none"] else tuple(_reason(line, name) for name in names))


def _pile(line: Line, builder: PositionBuilder) -> Expectation:
    of_row = line.head[0] == "row"
    if of_row != builder.rules.pile.row_per_seat or len(line.head) != 1 + of_row:
        raise line.error("write row N: under rules with a row for each seat, discards: under others")
    return PileIs(" ".join(line.head), builder.seat(line) if of_row else 0, line.cards())


def _stock(line: Line, _builder: PositionBuilder) -> Expectation:
    return StockSize(line.number_in(" ".join(_words(line, 1))))


def _over(line: Line, _builder: PositionBuilder) -> Expectation:
    _words(line, 0)
    return RoundIsOver()


def _winner(line: Line, builder: PositionBuilder) -> Expectation:
    names = _words(line, builder.rules.players)
    return Wins(tuple(builder.seat(line, place) for place in range(1, max(len(names), 1) + 1)))


def _turn(line: Line, builder: PositionBuilder) -> Expectation:
    _words(line, 1)
    return TurnIs(builder.seat(line))


def _offers(line: Line, builder: PositionBuilder) -> Expectation:
    try:
        return Offered(builder.seat(line), parse_play(line.body or ""))
    except RuleViolation as refusal:
        raise line.error(str(refusal)) from refusal


_SEATED: Final = ("hand", "score", "total", "meld", "offers")
_EXPECTATIONS: Final[dict[str, _Read]] = {
    "ok": _ok,
    "refused": _refused,
    "debts": _debts,
    "hand": lambda line, builder: HandIs(builder.seat(line), bag(line.cards())),
    "discards": _pile,
    "row": _pile,
    "meld": lambda line, builder: MeldIs(builder.seat(line), line.cards()),
    "stock": _stock,
    "score": lambda line, builder: ScoreIs(builder.seat(line), line.number_in(line.body or "")),
    "total": lambda line, builder: TotalIs(builder.seat(line), line.number_in(line.body or "")),
    "over": _over,
    "winner": _winner,
    "turn": _turn,
    "offers": _offers,
}
