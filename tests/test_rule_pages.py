"""What rule pages say of presets, moves and options is what the engine plays."""

import pytest

from engine.rules.registry import FAMILIES
from engine.rules.ruleset import Family
from tests.rule_pages import PAGES, made


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_page_is_not_stale(family: Family) -> None:
    """The block of each page is made from the rule set as it is now: else run `make rule-pages`."""
    assert made(family) in (PAGES / f"{family.name}.md").read_text("utf-8")
