"""Bots in every language there is in one ladder of each family: `make ladder-languages`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from engine.rules.registry import FAMILIES
from tests.cli.command import ROOT, environment, rummyref
from tests.ladder.laddering import bot, write_ladder
from tests.starters.starter import BUILD, STARTERS

SETS: Final = 20
PRESETS: Final = tuple(family.presets[0].name for family in FAMILIES)
"""The plainest preset of each family."""

YARDSTICK: Final = "random"
"""The entrant that every starter must beat."""


def entrants() -> dict[str, list[str]]:
    """Build the starters and return the commands of all bots by name, saying which this machine cannot build."""
    found = {}
    for starter in STARTERS:
        lacking = starter.lacking()
        if lacking is not None:
            sys.stdout.write(f"skipped the {starter.name} bot: this machine has no {lacking}\n")
            continue
        starter.build()
        found[starter.name] = starter.command
    python = [sys.executable, str(ROOT / "examples" / "minimal_bot.py")]
    return {**found, "python": python, YARDSTICK: bot(YARDSTICK)}


def play(preset: str, bots: dict[str, list[str]], folder: Path, sets: int) -> list[dict[str, Any]]:
    """Play a ladder of *preset* in *folder* and return its standings.

    The clock is a slow one: a machine that is busy with other things is no misconduct.

    Raises:
        AssertionError: The ladder did not end well.
    """
    folder.mkdir(parents=True)
    file = write_ladder(folder, bots, name=preset, preset=preset, players=len(bots), sets=sets, clock="slow")
    command = [sys.executable, "-m", "clients.cli", "ladder", "run", str(file), "--data", str(folder / "data")]
    assert subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode == 0
    told = rummyref("ladder", "standings", "--data", str(folder / "data"), "--json")
    return json.loads(told.stdout)["standings"]  # type: ignore[no-any-return]


def misconduct(standings: list[dict[str, Any]]) -> list[str]:
    """Return a line for each entrant that forfeited a round or let a stand-in play."""
    return [f"{line['entrant']}: {line['causes']}" for line in standings if line["causes"]]


def beaten(standings: list[dict[str, Any]]) -> list[str]:
    """Return a line for each starter that has not more points than the yardstick."""
    points = {line["entrant"]: line["points_per_round"] for line in standings}
    return [
        f"{starter.name}: no better than {YARDSTICK}"
        for starter in STARTERS
        if starter.name in points and points[starter.name] <= points[YARDSTICK]
    ]


def main() -> int:
    """Play the ladders and return the exit code."""
    folder = BUILD / "languages"
    shutil.rmtree(folder, ignore_errors=True)
    bots = entrants()
    wrong = []
    for preset in PRESETS:
        standings = play(preset, bots, folder / preset, SETS)
        wrong += [f"{preset}: {line}\n" for line in (*misconduct(standings), *beaten(standings))]
    sys.stdout.write("".join(wrong) or f"{', '.join(bots)}: no misconduct, every starter better than {YARDSTICK}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
