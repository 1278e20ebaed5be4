"""How the built-in bots do against each other in every preset, each measured in a ladder of its own.

`RUMMYREF_SETS` is the number of sets a ladder. The ladders are played as anybody
would play them: by `rummyref ladder run` from a file.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from engine.rules.registry import presets

SETS: Final = int(os.environ.get("RUMMYREF_SETS", "40"))
BOTS: Final = ("greedy", "cautious", "random")
_SEED: Final = "b075" * 16


class Standing(NamedTuple):
    """What one bot has reached.

    Attributes:
        points: Points a round, more being better.
        low: Lower end of the 95 % interval.
        high: Upper end.
        faults: Faults and forfeits.
    """

    points: float
    low: float
    high: float
    faults: int


def play(preset: str, folder: Path, sets: int) -> dict[str, Standing]:
    """Return how each bot did in a ladder of *preset* kept in *folder*."""
    most = presets()[preset][1].seats[1]
    lines = [
        "[ladder]",
        f'name = "{preset}"\npreset = "{preset}"\nplayers = {min(most, len(BOTS))}\nsets = {sets}',
        f'clock = "slow"\nseed = "{_SEED}"',
    ]
    command = [sys.executable, "-m", "clients.cli"]
    lines += [f'[[entrant]]\nname = "{bot}"\ncommand = {json.dumps([*command, "bot", "run", bot])}' for bot in BOTS]
    file = folder / f"{preset}.toml"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    data = folder / preset
    for arguments in (("run", str(file), "--data", str(data)), ("standings", "--data", str(data), "--json")):
        done = subprocess.run([*command, "ladder", *arguments], check=True, capture_output=True, text=True)
    return {
        row["entrant"]: Standing(
            row["points_per_round"], row["interval"][0], row["interval"][1], sum(row["causes"].values())
        )
        for row in json.loads(done.stdout)["standings"]
    }


def report() -> None:
    """Print points a round and intervals, a line a preset."""
    print(f"points a round (95 % interval) over {SETS} sets a preset\n")
    print(f"| preset | {' | '.join(BOTS)} |\n|---{'|---' * len(BOTS)}|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets():
            found = play(preset, Path(folder), SETS)
            cells = [
                f"{one.points:+.1f} ({one.low:+.1f} to {one.high:+.1f})" + (f", {one.faults} faults" * bool(one.faults))
                for one in (found[bot] for bot in BOTS)
            ]
            print(f"| `{preset}` | {' | '.join(cells)} |", flush=True)
