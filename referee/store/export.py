"""Replay files, written whole or not at all."""

from collections.abc import Iterable
from pathlib import Path

from engine.record.replay import SUFFIX, write


def replay_path(folder: Path, match_id: str) -> Path:
    """Return where the replay of a match is, or will be."""
    return folder / f"{match_id}{SUFFIX}"


def write_replay(folder: Path, match_id: str, entries: Iterable[bytes]) -> Path:
    """Write the replay of a match into *folder* and return its path.

    A reader sees the old file or the new one, never half of it.
    """
    path = replay_path(folder, match_id)
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write(entries))
    partial.replace(path)
    return path
