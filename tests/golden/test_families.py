"""The worked cases are all run."""

import json
from pathlib import Path

from engine.rules.registry import FAMILIES

HERE = Path(__file__).parent


def test_every_family_runs_its_worked_cases() -> None:
    """A family that is played here and has worked cases has a module that runs them."""
    cases = json.loads((HERE / "rules.json").read_text("utf-8"))
    played = {family.name for family in FAMILIES} & {case["family"] for case in cases}
    covered = {path.stem.removeprefix("test_").replace("_", "-") for path in HERE.glob("test_*.py")}
    assert played
    assert sorted(played - covered) == []
