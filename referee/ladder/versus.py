"""The verdict on an A/B match: a pure function of the record."""

from math import isfinite
from typing import NamedTuple

from referee.ladder.margins import set_results
from referee.ladder.results import LadderResults
from referee.ladder.verdict import Judgement, Verdict, judge

_WORDS = {
    Verdict.OPEN: "it is not decided",
    Verdict.BETTER: "{one} is better than {two}",
    Verdict.WORSE: "{one} is worse than {two}",
    Verdict.EQUIVALENT: "{one} and {two} are equivalent within {margin:g} points a round",
    Verdict.BUDGET_SPENT: "the sets are played and it is not decided",
}


class Versus(NamedTuple):
    """How an A/B match stands.

    Attributes:
        one: The first entrant, whose lead is judged.
        two: The second.
        margin: Difference in points a round that does not matter.
        judgement: What the sets say, as far as they have ended without a gap.
    """

    one: str
    two: str
    margin: float
    judgement: Judgement

    def sentence(self) -> str:
        """Return it for people."""
        found = self.judgement
        low, high = found.interval
        sets = "1 set" if found.sets == 1 else f"{found.sets} sets"
        ends = f"{low:+.2f} … {high:+.2f} at any time" if isfinite(high - low) else "too few for an interval"
        words = _WORDS[found.verdict].format(one=self.one, two=self.two, margin=self.margin)
        return f"after {sets} {words}: {found.mean:+.2f} points a round, {ends}"

    def as_json(self) -> dict[str, object]:
        """Return it as JSON has it; an end of the interval is null while nothing can be said."""
        found = self.judgement
        ends = [round(end, 4) if abs(end) < float("inf") else None for end in found.interval]
        return {
            "a": self.one, "b": self.two, "margin": self.margin, "verdict": found.verdict.value,
            "sets": found.sets, "ahead": round(found.mean, 4), "interval": ends,
        }  # fmt: skip


def versus(record: LadderResults) -> Versus | None:
    """Return how an A/B match stands, None if the ladder is of another format."""
    if record.versus is None:
        return None
    (margin, budget), (one, two) = record.versus, record.entrants[:2]
    results = set_results(record.tables, record.rules.sense, record.shape)
    first, second, leads = results.get(one, {}), results.get(two, {}), list[float]()
    while len(leads) in first:
        leads.append(first[len(leads)] - second[len(leads)])
    return Versus(one, two, margin, judge(leads, margin=margin, budget=budget))
