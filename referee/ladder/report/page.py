"""The page: everything it shows is a pure function of the record."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from referee.ladder.history import history
from referee.ladder.pairs import Meeting
from referee.ladder.report import charts
from referee.ladder.report.svg import plain, signed
from referee.ladder.resampling import Interval
from referee.ladder.scores import Scores
from referee.ladder.shown import RATED, Shown
from referee.ladder.versus import versus

MOST_HISTOGRAMS: Final = 24
"""Entrants, best first, whose set results are drawn."""

_DEEPEST: Final = 4
"""Shades of a matrix cell to either side of level."""


def page(shown: Shown) -> str:
    """Return the report of a ladder as one HTML page; equal arguments give equal bytes."""
    ladder, found = shown.ladder, shown.standings
    scores = Scores(ladder.tables, sorted(ladder.entrants), ladder.rules.sense, ladder.shape)
    lines = [line for line in found.lines if line.sets]
    order = [line.entrant for line in lines]
    times = {name: think for name in order if (think := shown.think_ms(name))}
    values: dict[str, Any] = {
        "shown": shown,
        "found": found,
        "lines": lines,
        "order": order,
        "causes": sorted({cause for line in found.lines for cause in line.causes}),
        "rated": RATED,
        "points": charts.interval_plot(charts.points_rows(lines), "Points a round with 95 % intervals"),
        "placements": charts.interval_plot(
            [(line.entrant, line.placement_rating, line.placement_interval) for line in lines],
            "Ratings by placements with 95 % intervals",
        ),
        "history": charts.history_plot(history(scores), order) if order else "",
        "seats": charts.seats_plot(found.seat_means) if order else "",
        "histograms": _histograms(scores, order),
        "think": charts.think_plot(times) if times else "",
        "digest": scores.digest().hex(),
        "verdict": match.sentence() if (match := versus(ladder)) else "",
        "style": Markup(_text("page.css")),  # noqa: S704 - our own file
        "most_histograms": MOST_HISTOGRAMS,
    }
    return _environment().get_template("page.html").render(values) + "\n"


def _histograms(scores: Scores, order: Sequence[str]) -> list[Markup]:
    if not order:
        return []
    ends = float(scores.results.min()), float(scores.results.max())
    low, high = ends if ends[0] < ends[1] else (ends[0] - 1, ends[1] + 1)
    drawn = []
    for place, name in enumerate(order[:MOST_HISTOGRAMS]):
        results = scores.results[scores.result_entrant == scores.entrants.index(name)]
        drawn.append(charts.histogram(name, results.tolist(), (low, high), place))
    return drawn


def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader({"page.html": _text("page.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(signed=signed, plain=plain, between=_between, shade=_shade)
    return environment


def _between(interval: Interval, digits: int = 2) -> str:
    """Return an interval for a table cell."""
    return f"{signed(interval[0], digits)} … {signed(interval[1], digits)}" if interval else "–"


def _shade(met: Meeting) -> str:
    """Return the style of a matrix cell: the surer who is ahead, the deeper."""
    if met.interval is None or met.ahead == 0:
        return "level"
    doubt = (met.interval[1] - met.interval[0]) / 2 / abs(met.ahead)
    depth = _DEEPEST if doubt < 0.25 else 3 if doubt < 0.5 else 2 if doubt < 1 else 1
    return f"{'ahead' if met.ahead > 0 else 'behind'}{depth}"


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
