"""How a seat behaved in a match, told by its record: what was legal, in time, and its own.

What a ladder asks of a bot before it is ranked, and a doctor of one before it is
sent there, is judged from this and from nothing that the bot says of itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.moves import Play
from engine.reasons import Reason
from engine.record.entries import Cause, Entry, Forfeit, Played, Refusal, StoodIn

_OF_LADDERS: Final = frozenset({Cause.STRIKES})
"""Causes that follow from faults which have been counted already."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What one seat did in one match, or several. Audience: whoever may see the replay.

    Attributes:
        plays: Accepted plays in order.
        used_us: Time charged for each of them, microseconds.
        refused: Reasons of its refused plays in order.
        faults: Causes for which the stand-in finished a turn, or a round was forfeited, in order.
    """

    plays: tuple[Play, ...] = ()
    used_us: tuple[int, ...] = ()
    refused: tuple[Reason, ...] = ()
    faults: tuple[Cause, ...] = ()

    def __add__(self, other: "Conduct") -> "Conduct":
        """Return both, one after the other."""
        return Conduct(
            self.plays + other.plays,
            self.used_us + other.used_us,
            self.refused + other.refused,
            self.faults + other.faults,
        )

    @property
    def is_clean(self) -> bool:
        """Whether it played, and never had to be stood in for."""
        return bool(self.plays) and not self.faults

    def used_at(self, percent: int) -> int:
        """Return the time in which *percent* (1 to 100) of its plays were made, nearest rank; 0 without plays."""
        if not self.used_us:
            return 0
        return sorted(self.used_us)[-(-len(self.used_us) * percent // 100) - 1]


def conduct(entries: Iterable[Entry], seat: int) -> Conduct:
    """Return how *seat* behaved in the match of *entries*."""
    plays, used, refused, faults = list[Play](), list[int](), list[Reason](), list[Cause]()
    for entry in entries:
        match entry:
            case Played(who, play, used_us) if who == seat:
                plays.append(play)
                used.append(used_us)
            case Refusal(who, _, reason) if who == seat:
                refused.append(reason)
            case StoodIn(who, _, cause) | Forfeit(who, cause) if who == seat and cause not in _OF_LADDERS:
                faults.append(cause)
            case _:
                pass
    return Conduct(tuple(plays), tuple(used), tuple(refused), tuple(faults))
