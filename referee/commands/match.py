"""`rummyref match`: bots against each other without a ladder file of one's own."""

import sys
from itertools import count
from pathlib import Path

from referee.commands.ladder import BAD_INPUT, Wishes, run
from referee.ladder.manifest import ManifestError, read_manifest
from referee.ladder.processes import StartError, need_command
from referee.ladder.quick import Match, ladder_file
from referee.store.database import StoreError, lock_folder

__all__ = ["Match", "play"]


def play(match: Match, ours: list[str], data: Path, wishes: Wishes) -> int:
    """Write *match* down as the next ladder file in *data* and run it; return the exit code.

    Args:
        match: What is to be played.
        ours: Names that stand for bots of ours.
        data: Folder of everything.
        wishes: How it is to be run.
    """
    try:
        if len(match.commands) < 2:
            raise ManifestError("a match is between two bots or more; give their names or commands")
        with lock_folder(data):
            file = _write(match, ours, data)
    except (ManifestError, StoreError) as refused:
        sys.stderr.write(f"rummyref match: {refused}\n")
        return BAD_INPUT
    return run(file, data, wishes)


def _write(match: Match, ours: list[str], data: Path) -> Path:
    """Return the file that was written; nothing is left of one that cannot be run.

    Raises:
        ManifestError: What is to be played cannot be.
    """
    for number in count(1):
        file = data / f"match-{number}.toml"
        text = ladder_file(match, ours, Path.cwd(), file.stem)
        try:
            with file.open("x", encoding="utf-8") as new:
                new.write(text)
        except FileExistsError:
            continue
        try:
            manifest = read_manifest(file)
            for entrant in manifest.entrant:
                need_command(entrant.name, entrant.command, manifest.folder_of(file), entrant.env)
        except (ManifestError, StartError) as wrong:
            file.unlink()
            if isinstance(wrong, StartError):
                problem = str(wrong).partition(";")[0]
                raise ManifestError(f"{problem}; give a command, or one of {', '.join(ours)}") from wrong
            raise ManifestError(str(wrong).removeprefix(f"{file}: ")) from wrong
        return file
    raise AssertionError("there is always a next number")
