"""Every scenario file under `tests/scenarios` holds."""

from pathlib import Path

import pytest

from engine.scenario.reader import Scenario, read_file
from engine.scenario.runner import run

ROOT = Path(__file__).parents[1] / "scenarios"
FILES = sorted(ROOT.rglob("*.txt"))
SCENARIOS = [
    scenario for path in FILES for scenario in read_file(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: f"{scenario.name}:{scenario.line}")
def test_scenario_holds(scenario: Scenario) -> None:
    """What the scenario expects is what the engine does."""
    outcome = run(scenario)
    assert outcome.failures == (), "\n".join(outcome.transcript)


def test_every_scenario_expects_something() -> None:
    """No scenario passes for want of an expectation."""
    silent = [f"{scenario.name}:{scenario.line}" for scenario in SCENARIOS if not scenario.expects]
    assert silent == []
