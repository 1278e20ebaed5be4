"""Which sets a ladder plays, one after another: a pure function of its secret and its results.

What set *n* is may depend on the results of sets 0 to *n - lag* and on no others. So a
ladder that was interrupted, or whose tables ended in another order, plans the same sets.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from referee.ladder.fixtures import Shape
from referee.ladder.pairing import Draw, Pairing
from referee.ladder.tally import Tally
from referee.ladder.verdict import Judgement, Verdict, judge

_EVERY_SET_UNTIL: Final = 64
"""Sets up to which an A/B match is judged after each; later after one in so many."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What a ladder is to play.

    Attributes:
        draw: Who may meet whom.
        shape: What a set consists of.
        sets: Sets in all, if nothing ends it sooner.
        lag: Sets that may be under way at once where later ones depend on their results.
        versus: The two entrants of an A/B match, None for any other format.
        margin: Difference in points a round between these that does not matter; None plays every set.
        judged: Whether entrants may be withdrawn for what they did in earlier sets.
    """

    draw: Draw
    shape: Shape
    sets: int
    lag: int
    versus: tuple[str, str] | None = None
    margin: float | None = None
    judged: bool = False

    @property
    def waits(self) -> bool:
        """Whether later sets depend on the results of earlier ones."""
        return self.draw.by_results or self.margin is not None or self.judged

    def judge(self, leads: list[float]) -> Judgement:
        """Return what the sets of an A/B match say, *leads* being how far A is ahead in each."""
        return judge(leads, margin=self.margin or 0.0, budget=self.sets)


class Change(NamedTuple):
    """An entrant is withdrawn, or has returned.

    Attributes:
        number: First set that it changes.
        entrant: Who.
        withdrawn: Whether it plays no further sets, or plays again.
    """

    number: int
    entrant: str
    withdrawn: bool


class Plan:
    """The sets of one ladder.

    Attributes:
        over: Whether there is no further set, as things stand.
        decided: Whether that is since an A/B match has been decided.
        next_number: Number of the next set.
    """

    def __init__(self, outline: Outline, secret: bytes, changes: Iterable[Change] = ()) -> None:
        """Plan *outline* from the ladder's *secret*; *changes* of one entrant in the order of their sets."""
        self.over = self.decided = False
        self.next_number = 0
        self._outline: Final = outline
        self._pairing: Final = Pairing(outline.draw, secret)
        self._tally: Final = Tally()
        self._leads: Final[list[float]] = []
        self._waiting: Final[dict[int, Mapping[str, float]]] = {}
        self._changes: Final = sorted(changes, key=lambda change: change.number)
        self._withdrawn: Final[set[str]] = set()
        self._taken_in = 0

    def next(self) -> tuple[int, tuple[str, ...]] | None:
        """Return number and entrants of the next set.

        None when there is none, results are to be waited for, or too few entrants are left.
        """
        number = self.next_number
        if number >= self._outline.sets:
            self.over = True
            return None
        if not self._take_in(number - self._outline.lag):
            return None
        while self._changes and self._changes[0].number <= number:
            self._change(self._changes.pop(0))
        self.decided = self._is_decided()
        members = None if self.decided else self._pairing.next(number, self._tally, self._withdrawn)
        self.over = members is None
        if members is None:
            return None
        self.next_number += 1
        return number, members

    def change(self, change: Change) -> None:
        """Learn of a withdrawal or return; its set is not planned yet, and none of the same entrant comes later."""
        place = bisect_right(self._changes, change.number, key=lambda known: known.number)
        self._changes.insert(place, change)
        self.over = self.over and change.withdrawn

    def done(self, number: int, results: Mapping[str, float]) -> None:
        """Learn the results of set *number*, by entrant."""
        if self._outline.waits:
            self._waiting[number] = results

    def _change(self, change: Change) -> None:
        if change.withdrawn:
            self._withdrawn.add(change.entrant)
        else:
            self._withdrawn.discard(change.entrant)

    def _take_in(self, last: int) -> bool:
        """Take in the results up to set *last* and none beyond; return whether all of them are known."""
        while self._outline.waits and self._taken_in <= last:
            results = self._waiting.pop(self._taken_in, None)
            if results is None:
                return False
            self._tally.add(results)
            if self._outline.versus is not None:
                one, two = self._outline.versus
                self._leads.append(results[one] - results[two])
            self._taken_in += 1
        return True

    def _is_decided(self) -> bool:
        sets = len(self._leads)
        due = sets < _EVERY_SET_UNTIL or sets % (sets // (_EVERY_SET_UNTIL // 2)) == 0
        if self._outline.margin is None or not sets or not due:
            return False
        return self._outline.judge(self._leads).verdict is not Verdict.OPEN
