"""Records that are shown: replays of matches whose deal is revealed, and the records of ladders."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from engine.record.canonical import RECORD_START, linked
from engine.record.chain import write
from engine.record.ladder import LADDER_SUFFIX
from engine.record.replay import SUFFIX
from engine.record.signature import Sign
from referee.store.queries import Store

LADDERS: Final = "ladders"
"""Folder of the ladders' records, beside that of the replays."""


class Replays:
    """The records of one database, as lines and as files; a reader of a file sees the old one or the new one whole."""

    def __init__(
        self, store: Store, folder: Path | None, sign: Sign | None, on_failure: Callable[[OSError], None]
    ) -> None:
        """Read from *store*, write replays into *folder* if there is one, and sign every end if there is a key.

        *on_failure* is told of a file that cannot be written, before anybody else, in whatever thread that was.
        """
        self._on_failure: Final = on_failure
        self._store: Final = store
        self._folder: Final = folder
        self._sign: Final = sign

    def lines(self, match_id: str) -> Iterator[str]:
        """Yield the lines of a replay, line ends included; a thread may call it."""
        return write(self._store.entries(match_id), self._sign)

    def export(self, match_id: str) -> str:
        """Write the file of a match.

        Returns:
            Hex of the last head of its chain.
        """
        entries, head = self._store.entries(match_id), RECORD_START
        for entry in entries:
            head = linked(head, entry)
        if self._folder is not None:
            self._replace(self._folder / f"{match_id}{SUFFIX}", write(entries, self._sign))
        return head.hex()

    def catch_up(self) -> None:
        """Write the files of revealed matches that are not there: a kill came before, or somebody took them away."""
        if self._folder is not None:
            there = {path.name for path in self._folder.iterdir()}
            for match_id in self._store.revealed_ids():
                if f"{match_id}{SUFFIX}" not in there:
                    self.export(match_id)

    def export_ladder(self, ladder: str) -> None:
        """Write the record of a ladder as far as it goes."""
        if self._folder is not None:
            path = self._folder.parent / LADDERS / f"{ladder}{LADDER_SUFFIX}"
            self._replace(path, write(self._store.ladder_record(ladder), self._sign))

    def _replace(self, path: Path, lines: Iterator[str]) -> None:
        partial = path.with_suffix(".partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
            partial.replace(path)
        except OSError as failure:
            with contextlib.suppress(OSError):
                partial.unlink()
            self._on_failure(failure)
            raise
