"""SVG as text: elements, axes and scales, the same bytes for the same numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

TICKS: Final = 6
"""Marks aimed at on an axis."""

_MINUS: Final = "\N{MINUS SIGN}"


def element(tag: str, *children: Markup | str, **attributes: object) -> Markup:
    """Return an element; a trailing underscore of an attribute's name is dropped, other ones are dashes."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value))}"' for name, value in attributes.items()
    )
    inner = Markup().join(children)
    return Markup(f"<{tag}{given}>{inner}</{tag}>" if inner else f"<{tag}{given}/>")  # noqa: S704 - escaped above


def picture(title: str, text: str, size: tuple[float, float], parts: Iterable[Markup]) -> Markup:
    """Return a whole drawing of *size*; *title* and *text* are what those hear who do not see it."""
    width, height = size
    return element(
        "svg",
        element("title", title),
        element("desc", text),
        *parts,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        role="img",
        aria_label=f"{title}. {text}",
    )


def line(start: tuple[float, float], end: tuple[float, float], kind: str) -> Markup:
    """Return a line of a *kind* that the style sheet knows."""
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=kind)


def label(at: tuple[float, float], text: str, kind: str = "start") -> Markup:
    """Return a text at its *start*, *middle* or *end*."""
    return element("text", text, x=at[0], y=at[1], class_=kind)


def hint(text: str) -> Markup:
    """Return what a pointer that rests on an element is told."""
    return element("title", text)


def signed(value: float, digits: int = 2) -> str:
    """Return *value* with its sign, as people read it."""
    return f"{value:+.{digits}f}".replace("-", _MINUS)


def plain(value: float, digits: int = 2) -> str:
    """Return *value* with a sign only where it is negative."""
    return f"{value:.{digits}f}".replace("-", _MINUS)


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to places on a line.

    Attributes:
        low: Number at the start.
        high: Number at the end.
        start: Place of the start.
        end: Place of the end.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of *value*."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round numbers from end to end."""
        step = _round_step((self.high - self.low) / TICKS)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    """Return a scale that holds *values* and 0, with some room."""
    low, high = min([*values, 0.0]), max([*values, 0.0])
    room = (high - low) * 0.04 or 1.0
    return Scale(low - room if low < 0 else low, high + room if high > 0 or low == high else high, start, end)


def axis(along: Scale, across: tuple[float, float], marks: Sequence[tuple[float, str]] | None = None) -> Markup:
    """Return upright grid lines with their texts below, *across* from top to bottom; round numbers unless told."""
    top, bottom = across
    return Markup().join(
        element(
            "g",
            line((along(value), top), (along(value), bottom), "grid" if marks or value else "zero"),
            label((along(value), bottom + 16), text, "middle"),
        )
        for value, text in marks or numbered(along)
    )


def levels(up: Scale, across: tuple[float, float]) -> Markup:
    """Return level grid lines with their numbers on the left, *across* from left to right."""
    left, right = across
    return Markup().join(
        element(
            "g",
            line((left, up(value)), (right, up(value)), "grid" if value else "zero"),
            label((left - 8, up(value) + 4), text, "end"),
        )
        for value, text in numbered(up)
    )


def numbered(along: Scale) -> list[tuple[float, str]]:
    """Return round numbers from end to end, each with its text."""
    ticks = along.ticks()
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    return [(tick, plain(tick, max(0, -math.floor(math.log10(step) + 1e-9)))) for tick in ticks]


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def _text(value: object) -> str:
    """Return an attribute's text; places are rounded to a hundredth, which nobody sees."""
    return f"{round(value, 2):g}" if isinstance(value, float) else str(value)
