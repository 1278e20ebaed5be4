"""Standings as plain values: what JSON, CSV and the report are written from."""

from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any, Final

from referee.ladder.decisions import PERCENTILES, Decisions
from referee.ladder.lines import Standing, Standings, irregular, unranked
from referee.ladder.pairs import Meeting
from referee.ladder.results import LadderResults
from referee.ladder.standings import rounded, standings
from referee.ladder.versus import versus

RATED: Final = ("time_out", "illegal", "crashed", "refused")
"""What is counted per 1,000 decisions; all but the last are causes."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The standings of one ladder and what its entrants' decisions were like.

    Attributes:
        ladder: What they were computed from.
        standings: As computed.
    """

    ladder: LadderResults
    standings: Standings

    def decisions(self, entrant: str) -> Decisions:
        """Return the decisions of *entrant*."""
        return self.ladder.decisions.get(entrant, Decisions())

    def per_thousand(self, line: Standing) -> dict[str, float]:
        """Return what went wrong per 1,000 decisions, by kind."""
        asked = self.decisions(line.entrant)
        counts = {**line.causes, "refused": asked.refused}
        return {kind: rounded(asked.per_thousand(counts.get(kind, 0))) for kind in RATED}

    def think_ms(self, entrant: str) -> dict[str, float]:
        """Return the think time in milliseconds by percentile; empty without a decision."""
        return {f"p{percent}": used / 1000 for percent, used in self.decisions(entrant).think_us.items()}


def shown(ladder: LadderResults) -> Shown:
    """Return the standings of a ladder: a pure function of its record."""
    found = standings(ladder.tables, ladder.entrants, ladder.rules.sense, ladder.shape)
    left_out = starmap(unranked, ladder.unfit.items())
    return Shown(
        ladder, replace(found, notes=(*left_out, *irregular(ladder.withdrawn, ladder.void_sets), *found.notes))
    )


def as_json(shown: Shown) -> dict[str, Any]:
    """Return all of it as JSON has it; what was measured in time is under `think_time_ms` alone."""
    found, match = shown.standings, versus(shown.ladder)
    return {
        **({"verdict": match.as_json()} if match else {}),
        "ladder": shown.ladder.name,
        "preset": shown.ladder.rules.preset,
        "sets": found.sets,
        "seat_means": list(found.seat_means),
        "notes": list(found.notes),
        "standings": [_line(shown, line) for line in found.lines],
        "meetings": {one: {two: _meeting(met) for two, met in row.items()} for one, row in found.meetings.items()},
    }


def as_rows(shown: Shown) -> list[dict[str, object]]:
    """Return a row an entrant for CSV: the same numbers, flat; the meetings left out."""
    rows = []
    for line in shown.standings.lines:
        whole = _line(shown, line)
        row: dict[str, object] = {}
        for key, value in whole.items():
            match value:
                case dict():
                    row |= {f"{key}.{name}": each for name, each in value.items()}
                case list() if key.endswith("interval"):
                    row |= {f"{key}.low": value[0], f"{key}.high": value[1]}
                case list() if key == "seat_means":
                    row |= {f"seat_mean.{seat}": each for seat, each in enumerate(value)}
                case list():
                    pass
                case _:
                    row[key] = value
        rows.append(row)
    return rows


def _line(shown: Shown, line: Standing) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "entrant": line.entrant,
        "points_per_round": line.points_per_round,
        "interval": _ends(line.interval),
        "p_rank_1": line.first_chance,
        "rank_probabilities": list(line.rank_chances),
        "rating": line.rating,
        "rating_interval": _ends(line.rating_interval),
        "placement_rating": line.placement_rating,
        "placement_interval": _ends(line.placement_interval),
        "rounds": line.rounds,
        "sets": line.sets,
        "seat_means": list(line.seat_means),
        "causes": line.causes,
        "trial_problem": shown.ladder.unfit.get(line.entrant, ""),
        "decisions": shown.decisions(line.entrant).count,
        "per_1000_decisions": shown.per_thousand(line),
        "think_time_ms": shown.think_ms(line.entrant) or {f"p{percent}": None for percent in PERCENTILES},
    }


def _meeting(met: Meeting) -> dict[str, Any]:
    ends = met.interval and tuple(map(rounded, met.interval))
    return {
        "sets": met.sets,
        "ahead": rounded(met.ahead) if met.sets else None,
        "interval": _ends(ends),
        "ahead_in": rounded(met.ahead_in) if met.sets else None,
    }


def _ends(interval: tuple[float, ...] | None) -> list[float | None]:
    return [None, None] if interval is None else list(interval)
