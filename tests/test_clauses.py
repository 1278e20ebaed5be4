"""Rule pages and what proves them name the same clauses."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from engine.scenario.reader import read_file

TESTS = Path(__file__).parent
PAGES = TESTS.parent / "docs" / "rules"
CLAUSE = re.compile(r"^([a-z][a-z-]*-[0-9]+\.[0-9]+) ", re.MULTILINE)


def written(page: Path) -> list[str]:
    """Return the clauses of a rule page, in order."""
    return CLAUSE.findall(page.read_text("utf-8"))


def marked(path: Path) -> Iterator[str]:
    """Yield the clauses that `pytest.mark.clause` names in a test module."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def proved() -> dict[str, str]:
    """Return every clause that a test or scenario names, and one place that does."""
    places: dict[str, str] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        places |= dict.fromkeys(marked(path), path.name)
    for path in sorted((TESTS / "scenarios").rglob("*.txt")):
        for scenario in read_file(path.read_text("utf-8"), path.name):
            places |= dict.fromkeys(scenario.clauses, f"{path.name}:{scenario.line}")
    return places


def test_every_clause_is_proved() -> None:
    """A test or a scenario names each clause of each rule page."""
    clauses = {clause for page in PAGES.glob("*.md") for clause in written(page)}
    assert clauses
    assert sorted(clauses - set(proved())) == []


def test_every_named_clause_is_written() -> None:
    """No test and no scenario names a clause that no rule page has."""
    clauses = {clause for page in PAGES.glob("*.md") for clause in written(page)}
    assert {clause: place for clause, place in proved().items() if clause not in clauses} == {}


def test_clauses_belong_to_their_page() -> None:
    """A clause begins with the name of its page, and no page has a number twice."""
    for page in PAGES.glob("*.md"):
        clauses = written(page)
        assert len(set(clauses)) == len(clauses)
        assert [clause for clause in clauses if clause.rpartition("-")[0] != page.stem] == []
