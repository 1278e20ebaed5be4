"""`rummyref ladder standings` and `explain`: what the record says, as text, JSON or CSV."""

import csv
import json
import sys
from pathlib import Path
from typing import Final, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from referee.ladder.begin import LadderError
from referee.ladder.explain import Explanation, NoSetsError, explain
from referee.ladder.lines import Standing
from referee.ladder.pairs import Meeting
from referee.ladder.resampling import Interval
from referee.ladder.results import LadderResults, read_ladder
from referee.ladder.shown import Shown, as_json, as_rows, shown
from referee.ladder.versus import versus
from referee.settings import ServeSettings
from referee.store.database import StoreError, open_database
from referee.store.queries import Store

DONE, BAD_INPUT = 0, 2

Form = Literal["text", "json", "csv"]

_WIDTH: Final = 120
"""Columns of sentences where the output is no terminal."""

_WIDEST: Final = 10_000
"""Columns that every table has at most."""

_WIDEST_MATRIX: Final = 12
"""Entrants up to which the text has the matrix of meetings."""

_MOST_SETS: Final = 8
"""Decisive sets that are listed."""


def show_standings(data: Path, name: str | None, *, form: Form = "text", as_of: int | None = None) -> int:
    """Print the standings of the ladder *name*, or of the only one in *data*, after its first *as_of* sets."""
    try:
        ladder = find_ladder(data, name, as_of)
    except (StoreError, LadderError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    write_standings(shown(ladder), form)
    return DONE


def show_explanation(
    data: Path, name: str | None, pair: tuple[str, str], *, form: Form = "text", as_of: int | None = None
) -> int:
    """Print why one of two entrants stands in front of the other."""
    try:
        ladder = find_ladder(data, name, as_of)
        for entrant in pair:
            if entrant not in ladder.entrants:
                raise LadderError(f"there is no entrant {entrant} in {ladder.name}; name two of {listing(ladder)}")
        if pair[0] == pair[1]:
            raise LadderError(f"name two different entrants of {listing(ladder)}")
        found = explain(ladder.tables, pair, ladder.rules.sense, ladder.shape)
    except (StoreError, LadderError) as refused:
        sys.stderr.write(f"rummyref ladder: {refused}\n")
        return BAD_INPUT
    except NoSetsError as early:
        sys.stderr.write(f"rummyref ladder: {early}; let the ladder play on\n")
        return BAD_INPUT
    if form == "json":
        sys.stdout.write(json.dumps(_explanation_json(found), indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in explanation_lines(found)))
    return DONE


def find_ladder(data: Path, name: str | None, as_of: int | None = None) -> LadderResults:
    """Return the record of the ladder *name*, or of the only one in *data*.

    Raises:
        LadderError: There is no such ladder, or more than one and none was named.
        StoreError: The database cannot be used.
    """
    settings = ServeSettings.of_folder(data)
    if not (data / "rummyref.db").exists():
        raise LadderError(f"{data} holds no database; run a ladder with --data {data} first")
    store = Store(open_database(settings.database))
    names = [ladder.name for ladder in store.ladders()]
    if name is None and len(names) != 1:
        raise LadderError(f"name one of the ladders: {', '.join(names) or 'there are none'}")
    ladder = store.ladder(name or names[0])
    if ladder is None:
        raise LadderError(f"there is no ladder {name}; there are {', '.join(names)}")
    return read_ladder(store, ladder, as_of)


def listing(ladder: LadderResults) -> str:
    """Return the entrants of a ladder, for people."""
    return ", ".join(ladder.entrants)


def write_standings(standings: Shown, form: Form) -> None:
    """Write standings to the standard output."""
    match form:
        case "json":
            sys.stdout.write(json.dumps(as_json(standings), indent=2) + "\n")
        case "csv":
            rows = as_rows(standings)
            keys = list(dict.fromkeys(key for row in rows for key in row))
            writer = csv.DictWriter(sys.stdout, keys, restval=0, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        case "text":
            write_text(standings, Console() if sys.stdout.isatty() else Console(width=_WIDTH))


def write_text(standings: Shown, console: Console) -> None:
    """Write tables as wide as they are, since no number may be cut off, and sentences as wide as *console*."""
    match, width = versus(standings.ladder), console.width
    if match is not None:
        console.print(Text(match.sentence()))
    console.width = _WIDEST
    for table in _tables(standings):
        console.print(table)
    console.width = width
    for note in standings.standings.notes:
        console.print(Text(note))


def _tables(standings: Shown) -> list[RichTable]:
    tables = [_points_table(standings), _ratings_table(standings), _conduct_table(standings), _times_table(standings)]
    found = standings.standings
    if found.sets:
        tables.append(_seats_table(standings))
    if found.sets and len(found.lines) <= _WIDEST_MATRIX:
        tables.append(_meetings_table(standings))
    return tables


def _table(title: str, *headings: str) -> RichTable:
    table = RichTable(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("entrant", "faults") else "right", no_wrap=True)
    return table


def _points_table(standings: Shown) -> RichTable:
    ladder, sets = standings.ladder, standings.standings.sets
    table = _table(
        f"{ladder.name}: {ladder.rules.preset}, {sets} set{'s' if sets != 1 else ''}",
        "rank", "entrant", "points/round", "95 % interval", "P(rank 1)", "rounds", "sets",
    )  # fmt: skip
    for line in standings.standings.lines:
        table.add_row(
            _number(line.rank, line, "d"), line.entrant, _number(line.points_per_round, line), _interval(line.interval),
            _number(line.first_chance, line, ".3f"), str(line.rounds), str(line.sets),
        )  # fmt: skip
    return table


def _ratings_table(standings: Shown) -> RichTable:
    table = _table(
        "ratings: in points a round, and by placements alone",
        "entrant", "points", "95 % interval", "placements", "95 % interval",
    )  # fmt: skip
    for line in standings.standings.lines:
        table.add_row(
            line.entrant, _number(line.rating, line), _interval(line.rating_interval),
            _number(line.placement_rating, line, "+.0f"), _interval(line.placement_interval, 0),
        )  # fmt: skip
    return table


def _conduct_table(standings: Shown) -> RichTable:
    table = _table(
        "per 1,000 decisions",
        "entrant", "decisions", "time-outs", "illegal", "crashes", "refused", "faults",
    )  # fmt: skip
    for line in standings.standings.lines:
        rates = (f"{rate:.2f}" for rate in standings.per_thousand(line).values())
        faults = ", ".join(f"{cause} {count}" for cause, count in line.causes.items())
        count = standings.decisions(line.entrant).count
        table.add_row(line.entrant, str(count), *rates, faults or "–")
    return table


def _times_table(standings: Shown) -> RichTable:
    table = _table("think time in ms", "entrant", "p50", "p95", "p99")
    for line in standings.standings.lines:
        times = [f"{used:.1f}" for used in standings.think_ms(line.entrant).values()] or ["–"] * 3
        table.add_row(line.entrant, *times)
    return table


def _seats_table(standings: Shown) -> RichTable:
    means = standings.standings.seat_means
    table = _table("mean margin a round by seat", "entrant", *(f"seat {seat}" for seat in range(len(means))))
    for line in standings.standings.lines:
        table.add_row(line.entrant, *("–" if mean is None else f"{mean:+.2f}" for mean in line.seat_means))
    table.add_row("all", *(f"{mean:+.2f}" for mean in means))
    return table


def _meetings_table(standings: Shown) -> RichTable:
    lines = standings.standings.lines
    table = _table("ahead of, in points a round (sets in common)", "entrant", *(line.entrant for line in lines))
    for line in lines:
        row = standings.standings.meetings[line.entrant]
        table.add_row(line.entrant, *(_met(row.get(other.entrant)) for other in lines))
    return table


def _met(met: Meeting | None) -> str:
    return "–" if met is None or not met.sets else f"{met.ahead:+.2f} ({met.sets})"


def _number(value: float, line: Standing, form: str = "+.2f") -> str:
    return format(value, form) if line.sets else "–"


def _interval(interval: Interval, digits: int = 2) -> str:
    return f"{interval[0]:+.{digits}f} … {interval[1]:+.{digits}f}" if interval else "–"


def explanation_lines(found: Explanation) -> list[str]:
    """Return an explanation as sentences."""
    one, two = found.one, found.two
    lines = [f"{one} makes {found.points[0]:+.2f} points a round, {two} {found.points[1]:+.2f}."]
    if found.lead == 0:
        return [*lines, f"They are level over {found.sets} sets, {found.common} of them common."]
    verdict = "they are told apart" if found.told_apart else "they are not told apart"
    doubt = f"95 % interval {_interval(found.interval)}: {verdict}" if found.interval else "one set gives no interval"
    lines += [
        f"{one} is ahead by {found.lead:.2f}, {doubt}.",
        f"{found.sets} sets speak of it, {found.common} of them played by both.",
        _decisive_line(found),
        *(
            f"  set {each.number}: {one} {_value(each.one)}, {two} {_value(each.two)}"
            for each in found.decisive[:_MOST_SETS]
        ),
    ]
    if found.more_sets is None:
        lines.append("How many more sets would tell them apart cannot be said yet.")
    elif not found.told_apart:
        lines.append(f"If the lead stays as it is, about {found.more_sets} more sets tell them apart.")
    return lines


def _decisive_line(found: Explanation) -> str:
    count = len(found.decisive)
    these = "this set" if count == 1 else f"these {count} sets"
    rest = f"; the first {_MOST_SETS}" if count > _MOST_SETS else ""
    return f"Without {these} of {found.sets} {found.one} would not be ahead{rest}:"


def _value(result: float | None) -> str:
    return "did not play" if result is None else f"{result:+.2f}"


def _explanation_json(found: Explanation) -> dict[str, object]:
    return {
        "one": found.one,
        "two": found.two,
        "points_per_round": list(found.points),
        "lead": found.lead,
        "interval": list(found.interval or (None, None)),
        "told_apart": found.told_apart,
        "sets": found.sets,
        "common_sets": found.common,
        "decisive": [each._asdict() for each in found.decisive],
        "more_sets": found.more_sets,
    }
