"""Replays of matches whose deal is revealed: as lines, and as files written whole or not at all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine.record.canonical import RECORD_START, linked
from engine.record.chain import write
from engine.record.replay import SUFFIX
from engine.record.signature import Sign
from referee.store.queries import Store


class Replays:
    """The replays of one database."""

    def __init__(self, store: Store, folder: Path | None, sign: Sign | None) -> None:
        """Read from *store*, write into *folder* if there is one, and sign every end if there is a key."""
        self._store: Final = store
        self._folder: Final = folder
        self._sign: Final = sign

    def lines(self, match_id: str) -> Iterator[str]:
        """Yield the lines of a replay, line ends included."""
        return write(self._store.entries(match_id), self._sign)

    def export(self, match_id: str) -> str:
        """Write the file of a match; a reader sees the old one or the new one, never half of it.

        Returns:
            Hex of the last head of its chain.
        """
        head = RECORD_START
        for entry in self._store.entries(match_id):
            head = linked(head, entry)
        if self._folder is not None:
            path = self._path(self._folder, match_id)
            partial = path.with_suffix(".partial")
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(self.lines(match_id))
            partial.replace(path)
        return head.hex()

    @staticmethod
    def _path(folder: Path, match_id: str) -> Path:
        return folder / f"{match_id}{SUFFIX}"
