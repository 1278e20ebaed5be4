"""A set that a bot plays against itself in a ladder of its own, from a seed that is the same every time."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine.record.conduct import Conduct, conduct
from engine.record.entries import Entry, Header, Reveal
from engine.record.replay import SUFFIX, only_entries, read

_SEED: Final = "d0c7" * 16
_PLAYERS: Final = 2
_LONGEST_S: Final = 600.0
# A ladder runs its bots in the folder of its file; this one runs where its author has called it.
_WHERE_WE_ARE: Final = ("sh", "-c", 'cd "$0" && exec "$@"')


class SelfPlayError(Exception):
    """The set was not finished; the message says why."""


def self_play(command: list[str], preset: str, clock: str, folder: Path) -> dict[str, Conduct]:
    """Play one set of *command* against itself; return its conduct by place, such as `table 0, seat 1`.

    Args:
        command: Program and arguments, as run from the current folder.
        preset: Rules, two players, one round a table.
        clock: Clock profile.
        folder: Where everything is kept; must be new.

    Raises:
        SelfPlayError: The ladder has not ended as it should.
    """
    folder.mkdir(parents=True)
    file = folder / "ladder.toml"
    file.write_text(_ladder(command, preset, clock), "utf-8")
    try:
        ended = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "clients.cli", "ladder", "run", str(file), "--data", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SelfPlayError(f"the set was not over after {_LONGEST_S:.0f} s") from None
    places = {place: seen for replay in folder.glob(f"replays/*{SUFFIX}") for place, seen in _conducts(replay)}
    if ended.returncode or len(places) < _PLAYERS * _PLAYERS:
        lines = ended.stderr.strip().splitlines()
        raise SelfPlayError(lines[-1] if lines else f"the ladder ended with exit code {ended.returncode}")
    return dict(sorted(places.items()))


def entries_of(replay: Path) -> list[Entry]:
    """Return the entries of a replay file."""
    with replay.open(encoding="utf-8", newline="") as lines:
        return [line.entry for line in only_entries(read(lines))]


def _conducts(replay: Path) -> Iterator[tuple[str, Conduct]]:
    entries = entries_of(replay)
    header, reveal = entries[0], entries[-1]
    if isinstance(header, Header) and isinstance(reveal, Reveal):
        for seat in range(len(header.seats)):
            yield f"table {reveal.table}, seat {seat}", conduct(entries, seat)


def _ladder(command: list[str], preset: str, clock: str) -> str:
    started = json.dumps([*_WHERE_WE_ARE, str(Path.cwd()), *command], ensure_ascii=False)
    lines = [
        "[ladder]",
        'name = "self-play"',
        f'preset = "{preset}"',
        f"players = {_PLAYERS}",
        "sets = 1",
        f'clock = "{clock}"',
        f'seed = "{_SEED}"',
    ]
    for name in ("bot", "bot again"):
        lines += ["[[entrant]]", f'name = "{name}"', f"command = {started}"]
    return "\n".join(lines) + "\n"
