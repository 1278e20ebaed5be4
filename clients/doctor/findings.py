"""What a doctor says of a bot: one finding a check, from evidence alone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from clients.doctor.patient import END_WITHIN_S, Ending
from engine.clock import PROFILES
from engine.record.conduct import Conduct
from engine.record.entries import Cause

OUTPUT_LIMIT: Final = 1_000_000
"""Bytes of output that a ladder keeps of a bot."""

_MIB: Final = 1024 * 1024
_TIGHT: Final = 0.5
"""Share of the cap that the slowest plays should stay below."""

_TIMES: Final = {"p50": 50, "p95": 95, "p99": 99, "slowest": 100}
"""Percentiles of think time, by the names that they are told under."""

_NO_PLAY: Final = "no match with plays of its own was finished"

_ENDED_WELL: Final = {0, -15, 143}
"""By itself, by SIGTERM, and what a program says that turns SIGTERM into an exit code."""

Figures = Mapping[str, float | int | str | None]


class Outcome(Enum):
    """How a check went; only `FAILED` makes a bot unfit."""

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"
    SKIPPED = "not checked"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found.

    Attributes:
        check: Name of the check.
        preset: Rules it was made with; empty where they do not matter.
        outcome: How it went.
        found: One line for people: what was seen, and what to do where it is not right.
        figures: The same for programs; times in seconds, memory and output in bytes.
    """

    check: str
    preset: str
    outcome: Outcome
    found: str
    figures: Figures = field(default_factory=dict)


def skipped(check: str, preset: str, why: str) -> Finding:
    """Return that *check* was not made."""
    return Finding(check, preset, Outcome.SKIPPED, why)


def legal(preset: str, seen: Conduct) -> Finding:
    """Judge whether every play was legal: a refused one is no fault yet, twenty of one decision are."""
    reasons = Counter(reason.name for reason in seen.refused)
    figures = {"plays": len(seen.plays), "refused": len(seen.refused)}
    told = ", ".join(f"{name} {count}" for name, count in reasons.most_common(3))
    if Cause.ILLEGAL in seen.faults:
        stood_in = seen.faults.count(Cause.ILLEGAL)
        text = f"the stand-in played {stood_in} turns after twenty refusals of one decision each: {told}"
        return Finding("legal plays", preset, Outcome.FAILED, text, figures)
    if seen.refused:
        text = f"{len(seen.refused)} plays were refused, which costs clock: {told}"
        return Finding("legal plays", preset, Outcome.NOTE, text, figures)
    if not seen.plays:
        return skipped("legal plays", preset, _NO_PLAY)
    return Finding("legal plays", preset, Outcome.OK, f"{len(seen.plays)} plays, none refused", figures)


def in_time(preset: str, seen: Conduct, clock: str) -> Finding:
    """Judge the time taken, as the referee charged it, against the clock profile."""
    cap_us = PROFILES[clock].cap_us
    late = seen.faults.count(Cause.TIME_OUT)
    taken = {name: seen.used_at(percent) for name, percent in _TIMES.items()}
    figures = {**{name: used / 1e6 for name, used in taken.items()}, "cap": cap_us / 1e6, "late": late}
    times = "  ".join(f"{name} {used / 1e3:.1f} ms" for name, used in taken.items())
    if late:
        text = f"{late} times it did not answer within the clock {clock} (at most {cap_us / 1e6:g} s a decision)"
        return Finding("clock", preset, Outcome.FAILED, text, figures)
    if not seen.plays:
        return skipped("clock", preset, _NO_PLAY)
    if taken["p99"] > _TIGHT * cap_us:
        text = f"{times}: close to the {cap_us / 1e6:g} s of {clock}; a busy machine will make it late"
        return Finding("clock", preset, Outcome.NOTE, text, figures)
    return Finding("clock", preset, Outcome.OK, f"{times}  of {cap_us / 1e6:g} s", figures)


def alike(preset: str, first: Mapping[str, Conduct], second: Mapping[str, Conduct], *, required: bool) -> Finding:
    """Judge whether the same deals and seeds gave the same plays.

    Args:
        preset: Rules.
        first: Conduct by place (table and seat) in one run.
        second: The same in the other.
        required: Whether it must be deterministic.
    """
    plays = sum(len(seen.plays) for seen in first.values())
    for place in first:
        pairs = zip(first[place].plays, second[place].plays, strict=False)
        number = next((number for number, (one, other) in enumerate(pairs, start=1) if one != other), None)
        if number is None and len(first[place].plays) == len(second[place].plays):
            continue
        where = f"at {place} from play {number} on" if number else f"at {place} in the number of plays"
        text = (
            f"the same deal and seed gave other plays {where}; take randomness from seated.bot_seed and the view "
            "alone, neither from time nor from the order of other tables"
        )
        outcome = Outcome.FAILED if required else Outcome.NOTE
        return Finding("determinism", preset, outcome, text, {"plays": plays, "alike": 0})
    text = f"two self-play sets of the same deal and seeds are alike, {plays} plays each"
    return Finding("determinism", preset, Outcome.OK, text, {"plays": plays, "alike": 1})


def memory(most: int, first: int, last: int, matches: int, limit: int) -> Finding:
    """Judge the memory held, bytes: at most, after the first match and after the last."""
    text = f"{most / _MIB:.0f} MiB at most, {(last - first) / _MIB:+.1f} MiB over {matches} matches"
    figures = {"most": most, "growth": last - first, "matches": matches, "limit": limit}
    if most > limit:
        return Finding("memory", "", Outcome.FAILED, f"{text}: more than the {limit / _MIB:.0f} MiB allowed", figures)
    return Finding("memory", "", Outcome.OK, text, figures)


def output(printed: int, decisions: int) -> Finding:
    """Judge how much was printed, bytes."""
    figures = {"bytes": printed, "decisions": decisions}
    if printed > OUTPUT_LIMIT:
        text = f"{printed:,} bytes in {decisions} decisions; a ladder keeps {OUTPUT_LIMIT:,} in all: print less"
        return Finding("output", "", Outcome.FAILED, text, figures)
    return Finding("output", "", Outcome.OK, f"{printed:,} bytes in {decisions} decisions", figures)


def ending(ended: Ending) -> Finding:
    """Judge how it ended when it was told that the ladder is over."""
    figures = {"seconds": ended.seconds, "exit_code": ended.code}
    if ended.code is None:
        text = f"it had to be killed: end within {END_WITHIN_S:g} s of SIGTERM"
        return Finding("end", "", Outcome.FAILED, text, figures)
    text = f"ended {ended.seconds:.2f} s after SIGTERM"
    if ended.code not in _ENDED_WELL:
        return Finding("end", "", Outcome.FAILED, f"{text} with exit code {ended.code}: 0 is expected", figures)
    if ended.left:
        return Finding("end", "", Outcome.NOTE, f"{text}, and left processes running, which were killed", figures)
    return Finding("end", "", Outcome.OK, text, figures)
