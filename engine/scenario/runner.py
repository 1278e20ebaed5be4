"""Scenarios played through the engine, with a transcript and what did not hold."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.events import CardDrawn, Event, MatchOver, RoundOver, StockReshuffled, YouDrew
from engine.match import Match, apply
from engine.reasons import RuleViolation
from engine.round import play_in
from engine.rules.position import Phase
from engine.scenario.expectations import OF_A_PLAY, Accepted, Seen, seats, signed, verdict
from engine.scenario.reader import Expect, PlayStep, Scenario, Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a scenario gave.

    Attributes:
        name: Name of the file.
        line: Number of the scenario's first line, from 1.
        transcript: What happened, line by line.
        failures: What did not hold, `FILE:LINE expected …, got …`, in order.
    """

    name: str
    line: int
    transcript: tuple[str, ...]
    failures: tuple[str, ...]


def run(scenario: Scenario) -> Outcome:
    """Play *scenario* and compare what comes with what it expects.

    A refusal that nothing under the play speaks of is a failure too.
    """
    match = scenario.start
    seen = Seen(match, None, None, None, match.round, match)
    transcript = [_heading(match)]
    failures: list[str] = []
    for step, judged in _judged(scenario.steps):
        if isinstance(step, PlayStep):
            seen, told = _make(seen.match, step)
            transcript += told
            if judged or seen.violation is None:
                continue
            compared = Accepted().compare(seen)
        else:
            compared = step.expectation.compare(seen)
        if not compared.equal:
            failures.append(f"{scenario.name}:{step.line} expected {compared.wanted}, got {compared.got}")
    return Outcome(scenario.name, scenario.line, tuple(transcript), tuple(failures))


def _judged(steps: tuple[Step, ...]) -> Iterator[tuple[Step, bool]]:
    """Yield each step, and of a play whether an expectation under it speaks of its acceptance."""
    for place, step in enumerate(steps):
        judged = False
        for under in steps[place + 1 :]:
            if not isinstance(under, Expect):
                break
            judged = judged or isinstance(under.expectation, OF_A_PLAY)
        yield step, judged


def _make(match: Match, step: PlayStep) -> tuple[Seen, list[str]]:
    """Return what the play of *step* leads to, and what to tell of it."""
    violation = step.violation
    if step.play is not None:
        try:
            after, events = apply(match, step.seat, step.play)
            played, _ = play_in(match.round, match.dealing, step.seat, step.play)
        except RuleViolation as refusal:
            violation = refusal.violation
        else:
            told = [f"  seat {step.seat}: {step.text}", *(f"    {line}" for line in _told(events))]
            return Seen(match, step.seat, step.play, None, played, after), told
    told = [f"  seat {step.seat}: {step.text}", f"    {verdict(violation)}"]
    return Seen(match, step.seat, step.play, violation, match.round, match), told


def _heading(match: Match) -> str:
    public = match.public
    asked = "to draw" if public.phase is Phase.DRAW else "to play"
    return f"{match.rules.preset}, {public.players} seats, round {public.index + 1}, seat {public.turn} {asked}"


def _told(events: list[Event]) -> list[str]:
    told = []
    for event in events:
        match event:
            case YouDrew(_, card):
                told.append(f"drew {card.text}")
            case CardDrawn(_, left) if left == 0:
                told.append("the stock is empty now")
            case StockReshuffled(left):
                told.append(f"the discards became a stock of {left}")
            case RoundOver(number, end, closer, points, totals):
                out = f", seat {closer} went out" if closer is not None else ""
                told.append(f"round {number + 1} is over ({end.value}){out}")
                told.append(f"points {' '.join(map(signed, points))}, totals {' '.join(map(signed, totals))}")
            case MatchOver(_, _, winners):
                told.append(f"the match is over, won by seat {seats(winners)}")
            case _:
                pass
    return told
