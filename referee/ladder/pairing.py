"""Who meets in the next set: those who have played least, then who tells most. Pure and repeatable."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from engine.shuffle import ByteStream, derive, shuffled
from referee.ladder.designs import Cycle, balanced_cycle
from referee.ladder.tally import Tally

ONE_IN_UNIFORM: Final = 5
"""One set in how many is drawn uniformly, whatever the results say."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The field from which sets are drawn.

    Attributes:
        owners: Owner by entrant; no two entrants of one owner are in a set.
        seats: Entrants in a set.
        always: Entrants that are in every set.
        by_results: Whether those are preferred whose ranks are uncertain; else those who have met least.
    """

    owners: dict[str, str]
    seats: int
    always: tuple[str, ...] = ()
    by_results: bool = False

    @property
    def others(self) -> tuple[str, ...]:
        """Entrants among whom each set is drawn."""
        return tuple(entrant for entrant in self.owners if entrant not in self.always)

    @property
    def has_cycle(self) -> bool:
        """Whether a balanced cycle can be laid out beforehand: results do not count and anybody may meet anybody."""
        return not self.by_results and len(set(self.owners.values())) == len(self.owners)

    def cycle(self, secret: bytes) -> Cycle:
        """Return the cycle of the others, by their places in `others`."""
        free = self.seats - len(self.always)
        if free == 1:
            return [(place,) for place in range(len(self.others))]
        return balanced_cycle(len(self.others), free, derive(secret, "cycle"))


@dataclass(slots=True)
class Pairing:
    """Draws set after set from one field.

    With one entrant an owner nobody is ever more than one set ahead of anybody
    (those in every set aside), and so nobody waits for more than two laps of the field.

    Attributes:
        draw: The field.
        secret: 32 bytes from which everything is drawn.
    """

    draw: Draw
    secret: bytes = field(repr=False)
    _played: Counter[str] = field(default_factory=Counter)
    _met: Counter[frozenset[str]] = field(default_factory=Counter)
    _cycle: Cycle | None = None
    _drawing: bool = False

    def next(self, number: int, tally: Tally, withdrawn: Collection[str] = ()) -> tuple[str, ...] | None:
        """Return the entrants of set *number*, which follows the one asked for before; None if too few are left.

        Args:
            number: Number of the set, from 0.
            tally: What is known of everybody.
            withdrawn: Entrants that do not play. Once there were any, sets are drawn one by one for good.
        """
        self._drawing = self._drawing or bool(withdrawn) or not self.draw.has_cycle
        chosen = self._drawn(number, tally, withdrawn) if self._drawing else self._of_cycle(number)
        if len(chosen) < self.draw.seats:
            return None
        self._played.update(chosen)
        self._met.update(frozenset((one, two)) for one in chosen for two in chosen if one < two)
        return tuple(chosen)

    def _of_cycle(self, number: int) -> list[str]:
        if self._cycle is None:
            self._cycle = self.draw.cycle(self.secret)
        lap, place = divmod(number, len(self._cycle))
        names = shuffled(self.draw.others, derive(self.secret, "lap", lap))
        return [*self.draw.always, *(names[entrant] for entrant in self._cycle[place])]

    def _drawn(self, number: int, tally: Tally, withdrawn: Collection[str]) -> list[str]:
        drawn = [name for name in shuffled(self.draw.others, self._key("pairing", number)) if name not in withdrawn]
        by_results = self.draw.by_results
        uniform = by_results and ByteStream(self._key("uniform", number)).below(ONE_IN_UNIFORM) == 0
        doubts = tally.doubts(drawn) if by_results and not uniform else {}
        chosen = list(self.draw.always)
        while len(chosen) < self.draw.seats and not set(withdrawn).intersection(self.draw.always):
            taken = {self.draw.owners[entrant] for entrant in chosen}
            free = [entrant for entrant in drawn if self.draw.owners[entrant] not in taken]
            if not free:
                break
            least = min(self._played[entrant] for entrant in free)
            fewest = [entrant for entrant in free if self._played[entrant] == least]
            chosen.append(fewest[0] if uniform else min(fewest, key=self._preference(chosen, tally, doubts)))
        return chosen

    def _key(self, domain: str, number: int) -> bytes:
        return derive(self.secret, domain, number)

    def _preference(
        self, chosen: list[str], tally: Tally, doubts: dict[str, float]
    ) -> Callable[[str], tuple[float, int]]:
        """Return by what the next one is chosen: the less, the sooner."""

        def met(entrant: str) -> int:
            return sum(self._met[frozenset((entrant, other))] for other in chosen)

        if not self.draw.by_results:
            return lambda entrant: (0.0, met(entrant))
        if not chosen:
            return lambda entrant: (doubts[entrant], 0)
        return lambda entrant: (min(tally.distance(entrant, other) for other in chosen), met(entrant))
