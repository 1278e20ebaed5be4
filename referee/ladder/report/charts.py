"""The drawings of a report."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from referee.ladder.history import History
from referee.ladder.lines import Standing
from referee.ladder.report.svg import (
    Scale,
    axis,
    element,
    hint,
    label,
    levels,
    line,
    picture,
    plain,
    scale,
    signed,
)  # fmt: skip
from referee.ladder.resampling import Interval

COLOURS: Final = 8
"""Colours in the style sheet; lines beyond them are drawn alike."""

_WIDTH: Final = 760.0
_NAMES: Final = 250.0
_BEHIND: Final = 235.0
_ROW: Final = 30.0
_AXIS: Final = 26.0
_BINS: Final = 24


def interval_plot(rows: Sequence[tuple[str, float, Interval]], title: str) -> Markup:
    """Return points with their intervals, a row each, top first."""
    ends = [end for _, value, interval in rows for end in (value, *(interval or ()))]
    along = scale(ends, _NAMES, _WIDTH - 20)
    bottom = 8 + _ROW * len(rows)
    parts = [axis(along, (8, bottom))]
    for place, (name, value, interval) in enumerate(rows):
        middle = 8 + _ROW * (place + 0.5)
        told = f"{name}: {signed(value)}" + (f", {signed(interval[0])} to {signed(interval[1])}" if interval else "")
        parts.append(label((_NAMES - 12, middle + 4), name, "end"))
        drawn = [element("circle", hint(told), cx=along(value), cy=middle, r=5.0, class_="point")]
        if interval:
            drawn.insert(0, line((along(interval[0]), middle), (along(interval[1]), middle), "interval"))
        parts.append(element("g", *drawn))
    text = "; ".join(f"{name} {signed(value)}" for name, value, _ in rows)
    return picture(title, text, (_WIDTH, bottom + _AXIS), parts)


def history_plot(history: History, order: Sequence[str]) -> Markup:
    """Return each entrant's rating after so many sets, in the colours of *order*."""
    values = [value for row in history.ratings.values() for value in row if value is not None]
    up = scale(values, 290.0, 10.0)
    along = Scale(0, max(history.sets, default=1), 60.0, _WIDTH - _BEHIND)
    parts = [axis(along, (10, 290)), levels(up, (60.0, _WIDTH - _BEHIND))]
    for place, name in reversed(list(enumerate(order))):
        points = [
            (along(sets), up(value))
            for sets, value in zip(history.sets, history.ratings[name], strict=True)
            if value is not None
        ]
        if points:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(element("polyline", hint(name), points=path, class_=f"line {colour(place)}"))
    parts += _line_names(history, order, up)
    return picture("Rating over time", "Ratings in points a round after each share of the sets", (_WIDTH, 330), parts)


def seats_plot(means: Sequence[float]) -> Markup:
    """Return the mean margin of each seat as bars."""
    along = scale(means, 90.0, _WIDTH - 20)
    bottom = 8 + _ROW * len(means)
    parts = [axis(along, (8, bottom))]
    for seat, mean in enumerate(means):
        top = 8 + _ROW * seat + 6
        left, right = sorted((along(0), along(mean)))
        parts.append(label((78, top + 13), f"seat {seat}", "end"))
        parts.append(
            element("rect", hint(f"seat {seat}: {signed(mean)}"), x=left, y=top, width=right - left, height=_ROW - 12,
                    class_="bar")
        )  # fmt: skip
    text = "; ".join(f"seat {seat} {signed(mean)}" for seat, mean in enumerate(means))
    return picture("Mean margin by seat", text, (_WIDTH, bottom + _AXIS), parts)


def histogram(name: str, values: Sequence[float], ends: tuple[float, float], place: int) -> Markup:
    """Return how often *name* made how much in a set, between *ends*, which all histograms share."""
    width, height = 240.0, 120.0
    low, high = ends
    along = Scale(low, high, 8.0, width - 8)
    counts = [0] * _BINS
    for value in values:
        counts[min(int((value - low) / (high - low) * _BINS), _BINS - 1)] += 1
    most, each = max([*counts, 1]), (width - 16) / _BINS
    parts = [axis(along, (6, height - 22))]
    for place_of_bin, count in enumerate(counts):
        tall = count / most * (height - 34)
        if count:
            parts.append(
                element("rect", x=8 + each * place_of_bin + 0.5, y=height - 22 - tall, width=each - 1, height=tall,
                        class_=f"bin {colour(place)}")
            )  # fmt: skip
    mean = sum(values) / len(values) if values else 0.0
    text = f"{len(values)} sets, mean {signed(mean)}, from {signed(min(values))} to {signed(max(values))}"
    return picture(f"Set results of {name}", text, (width, height), parts)


def think_plot(times: Mapping[str, Mapping[str, float]]) -> Markup:
    """Return the think time of each entrant by percentile, on a logarithmic axis."""
    found = [max(value, 0.01) for row in times.values() for value in row.values()]
    low, high = math.floor(math.log10(min(found))), math.ceil(math.log10(max(found)) + 1e-9)
    along = Scale(low, max(high, low + 1), _NAMES, _WIDTH - 30)
    bottom = 8 + _ROW * len(times)
    powers = range(low, max(high, low + 1) + 1)
    parts = [axis(along, (8, bottom), [(power, f"{10.0**power:g} ms") for power in powers])]
    for place, (name, row) in enumerate(times.items()):
        middle = 8 + _ROW * (place + 0.5)
        at = {percentile: along(math.log10(max(value, 0.01))) for percentile, value in row.items()}
        told = ", ".join(f"{percentile} {plain(value, 1)} ms" for percentile, value in row.items())
        parts += [
            label((_NAMES - 12, middle + 4), name, "end"),
            line((min(at.values()), middle), (max(at.values()), middle), "interval"),
            *(
                element("circle", hint(f"{name}: {told}"), cx=x, cy=middle, r=size, class_="point")
                for x, size in zip(at.values(), (5.0, 4.0, 3.0), strict=True)
            ),
        ]
    text = "; ".join(f"{name} {plain(row['p50'], 1)} ms in the middle" for name, row in times.items())
    return picture("Think time a decision: p50, p95 and p99", text, (_WIDTH, bottom + _AXIS), parts)


def colour(place: int) -> str:
    """Return the style of the line *place*; those beyond the colours share one."""
    return f"c{place}" if place < COLOURS else "rest"


def points_rows(lines: Sequence[Standing]) -> list[tuple[str, float, Interval]]:
    """Return what the plot of points takes, for those who have a set."""
    return [(line.entrant, line.points_per_round, line.interval) for line in lines if line.sets]


def _line_names(history: History, order: Sequence[str], up: Scale) -> list[Markup]:
    """Return the names behind the coloured lines, moved apart where they would cover each other."""
    last = {name: history.ratings[name][-1] for name in order[:COLOURS] if history.ratings[name][-1] is not None}
    names: list[Markup] = []
    lowest = -math.inf
    for name, value in sorted(last.items(), key=lambda item: -(item[1] or 0.0)):
        lowest = max(up(value or 0.0) + 4, lowest + 14)
        names.append(label((_WIDTH - _BEHIND + 8, lowest), name, f"start {colour(order.index(name))}"))
    return names
