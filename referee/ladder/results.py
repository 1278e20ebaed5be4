"""Results of a ladder's tables, read from the record."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

from engine.record.canonical import RECORD_START, linked
from engine.record.entries import Result
from engine.record.entry_json import from_json
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from referee.ladder.decisions import Decisions, PlayedTable, decisions, played_table
from referee.ladder.fixtures import Shape
from referee.ladder.ledger import WITHDRAWN
from referee.ladder.margins import TableResult
from referee.store.models import Ladder
from referee.store.queries import Store

_ALL: Final = 1 << 62


class NoResultError(LookupError):
    """A table has no result yet."""


class ChainHead(NamedTuple):
    """Where the chain of a ladder's record ends.

    Attributes:
        entries: How many there are.
        head: Hash over all of them, 32 bytes.
    """

    entries: int
    head: bytes


@dataclass(frozen=True)
class LadderResults:
    """What the record tells of one ladder.

    Attributes:
        name: Of the ladder.
        rules: Of its tables.
        shape: What its sets consist of.
        entrants: All entrants.
        played: Finished tables, by set and table.
        chain: End of the whole record's chain.
        unfit: What was wrong at the trial of those that are not ranked for it, by entrant.
        versus: Margin and most sets of an A/B match between the first two entrants, None for any other format.
        withdrawn: Entrants that are withdrawn, for their conduct or by somebody's word; not those that are unfit.
        void_sets: Times that a set became void and had to be played again.
    """

    name: str
    rules: RuleSet
    shape: Shape
    entrants: tuple[str, ...]
    played: tuple[PlayedTable, ...]
    chain: ChainHead
    unfit: dict[str, str] = field(default_factory=dict)
    versus: tuple[float, int] | None = None
    withdrawn: tuple[str, ...] = ()
    void_sets: int = 0

    @property
    def tables(self) -> list[TableResult]:
        """Results of the finished tables."""
        return [table.result for table in self.played]

    @cached_property
    def decisions(self) -> dict[str, Decisions]:
        """Decisions in finished sets, for each entrant that has one."""
        return decisions(self.played, self.shape)


def read_ladder(store: Store, ladder: Ladder, as_of: int | None = None) -> LadderResults:
    """Return what the record tells of *ladder*, of its first *as_of* sets only where that is given."""
    manifest = json.loads(ladder.manifest)
    rules = rules_of(ladder.manifest)
    limit = _ALL if as_of is None else as_of
    rows = store.ladder_entries(ladder.name, limit)
    played = []
    for (number, _, seats), entries in groupby(rows, key=lambda row: row[:3]):
        table = played_table(number, tuple(json.loads(seats)), (entry[3] for entry in entries))
        if table is not None:
            played.append(table)
    unfit = {entrant: trial.problem for entrant, trial in store.trials(ladder.name).items() if not trial.fit}
    withdrawn = tuple(name for name in _withdrawn(store, ladder.name, limit) if name not in unfit)
    shape, entrants = shape_of(ladder.manifest), tuple(manifest["entrants"])
    chain = chain_head(store.ladder_record(ladder.name))
    versus = (float(manifest["margin"] or 0), int(manifest["sets"])) if manifest.get("format") == "ab" else None
    return LadderResults(
        ladder.name, rules, shape, entrants, tuple(played), chain, unfit, versus,
        withdrawn, sum(void.set_number < limit for void in store.void_sets(ladder.name)),
    )  # fmt: skip


def _withdrawn(store: Store, ladder: str, before_set: int) -> tuple[str, ...]:
    """Return who was withdrawn before that set and has not returned before it."""
    kinds = {each.entrant: each.kind for each in store.entrant_events(ladder) if each.set_number < before_set}
    return tuple(sorted(entrant for entrant, kind in kinds.items() if kind == WITHDRAWN))


def chain_head(entries: Iterable[bytes]) -> ChainHead:
    """Follow the chain of *entries*, in canonical bytes, to its end."""
    count, head = 0, RECORD_START
    for count, entry in enumerate(entries, start=1):  # noqa: B007 - the last count is the answer
        head = linked(head, entry)
    return ChainHead(count, head)


def result_of(store: Store, table_id: str) -> Result:
    """Return the result of an ended table.

    Raises:
        NoResultError: It has none.
    """
    for body in store.last_entries(table_id, 2):
        entry = from_json(json.loads(body))
        if isinstance(entry, Result):
            return entry
    raise NoResultError(table_id)


def table_results(store: Store, ladder: str) -> list[TableResult]:
    """Return the results of every ended table of *ladder*, by set and table."""
    found = []
    for row in store.fixtures(ladder):
        try:
            result = result_of(store, row.table_id)
        except NoResultError:
            continue
        found.append(TableResult(row.set_number, tuple(json.loads(row.seats)), result))
    return found


def rules_of(manifest: str) -> RuleSet:
    """Return the rules of a stored manifest, given as JSON with preset and options."""
    data = json.loads(manifest)
    return rule_set(data["preset"], data["options"])


def shape_of(manifest: str) -> Shape:
    """Return what a set of a stored manifest consists of."""
    data = json.loads(manifest)
    players = int(rules_of(manifest).players)
    return Shape(data["design"], players, data.get("tables", players))
