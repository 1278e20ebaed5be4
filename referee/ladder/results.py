"""Results of a ladder's tables, read from the record."""

import json

from engine.record.entries import Result, from_json
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from referee.ladder.standings import TableResult
from referee.store.queries import Store


class NoResultError(LookupError):
    """A table has no result yet."""


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
