"""Which entrants can be seated now: how long one is waited for, whoever starts its bot."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from referee.hall import Hall


class Attendance:
    """Whether the entrants of a ladder are there, and have room for another table.

    Attributes:
        dead: Entrants that cannot come any more; their tables begin without them.
        held: Entrants that must not be seated for now, though they may be there.
    """

    def __init__(
        self, hall: Hall, players: Mapping[str, str], patience_s: float, say: Callable[[str], None], most: int | None
    ) -> None:
        """Watch *hall* for *players*, ids by entrant.

        Args:
            hall: Where they come.
            players: Player id by entrant.
            patience_s: Seconds for which an entrant without a stream is waited for.
            say: Told a line when one has been waited for in vain.
            most: Tables that an entrant plays at once; None for as many as it has room for.
        """
        self.dead: Final[set[str]] = set()
        self.held: Final[set[str]] = set()
        self._hall = hall
        self._players = players
        self._patience_s = patience_s
        self._say = say
        self._most = most
        self._absent: set[str] = set()
        self._gone_since: dict[str, float] = dict.fromkeys(players, time.monotonic())
        self._playing: Counter[str] = Counter()

    def begin(self) -> None:
        """Wait for everybody from now on."""
        self._gone_since = dict.fromkeys(self._players, time.monotonic())

    def sat_down(self, entrants: Iterable[str]) -> None:
        """Count a table that has been opened."""
        self._playing.update(entrants)

    def stood_up(self, entrants: Iterable[str]) -> None:
        """Count a table that has ended."""
        self._playing.subtract(entrants)

    def is_ready(self, entrant: str) -> bool:
        """Whether a table with *entrant* may be opened: it has room, or has been without a stream for too long."""
        if entrant in self.dead:
            return True
        if entrant in self.held or (self._most is not None and self._playing[entrant] >= self._most):
            return False
        player = self._players[entrant]
        if self._hall.is_there(player):
            self._absent.discard(entrant)
            self._gone_since.pop(entrant, None)
            return self._hall.attending(player) > 0
        waited = time.monotonic() - self._gone_since.setdefault(entrant, time.monotonic())
        if waited >= self._patience_s and entrant not in self._absent:
            self._absent.add(entrant)
            self._say(
                f"entrant {entrant} has not been connected for {self._patience_s:.0f} s; "
                "its rounds are forfeited until it is"
            )
        return entrant in self._absent

    def is_missed(self, entrant: str) -> bool:
        """Whether tables begin without *entrant*."""
        return entrant in self.dead or entrant in self._absent
