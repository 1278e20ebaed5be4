"""The second search: rank by rank along the rank sequence, with the runs that are open as its state.

Nothing is found and then packed here: each card is put into an open run, a new
run or a set as its rank comes by, or left. For hands of any size, and with none
of the engine's code. Jokers side by side are not provided for.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from engine.cards import JOKER, RANKS, SUITS, Card
from engine.melds import MeldRules, PointTable

NONE = -(10**9)


class Run(NamedTuple):
    """A run under way.

    Attributes:
        length: Its cards, counted up to three.
        wild: Whether its last card is a joker.
        jokers: Its jokers.
    """

    length: int
    wild: bool
    jokers: int


Runs = tuple[Run, ...]


class State(NamedTuple):
    """What the ranks to come need to know.

    Attributes:
        runs: Open runs, per suit.
        jokers: Jokers left.
        has_run: Whether a run has reached three cards.
    """

    runs: tuple[Runs, ...]
    jokers: int
    has_run: bool


class Place(NamedTuple):
    """A place on the line of ranks.

    Attributes:
        rank: The rank.
        joined: Whether a run may come from the place before.
        worth: What a card of it is worth in a run.
        last: Whether its rank comes no more, so that sets are made here.
    """

    rank: str
    joined: bool
    worth: int
    last: bool


class Choice(NamedTuple):
    """What one suit does at one place."""

    runs: Runs
    naturals: int
    jokers: int
    reached: bool


def line_of(melds: MeldRules, points: PointTable) -> list[Place]:
    """Return the places that runs are made along; ranks in no run stand alone."""
    stretches: list[str] = []
    for sequence in melds.runs.sequences:
        if stretches and sequence.startswith(stretches[-1][1:]):
            stretches[-1] += sequence[-1]
        else:
            stretches.append(sequence)
    stretches += [rank for rank in RANKS if not any(rank in stretch for stretch in stretches)]
    line = "".join(stretches)
    starts = {sum(map(len, stretches[:number])) for number in range(len(stretches))}
    return [
        Place(rank, at not in starts, _in_run(rank, points, low=at in starts), rank not in line[at + 1 :])
        for at, rank in enumerate(line)
    ]


def _in_run(rank: str, points: PointTable, *, low: bool) -> int:
    return (points.low_ace if low else points.high_ace) if rank == "A" else points.laid[rank]


class ByRank:
    """The best that a hand can be parted into: cost taken away, then worth, as one number."""

    def __init__(self, melds: MeldRules, points: PointTable, cost_weight: int, worth_weight: int) -> None:
        """Prepare for a family; a meld weighs its cost and its worth times these."""
        self.melds, self.points = melds, points
        self.line = line_of(melds, points)
        self.cost_weight, self.worth_weight = cost_weight, worth_weight

    def best(self, hand: tuple[Card, ...]) -> tuple[int, int]:
        """Return the most without a requirement, and with a run among the melds (`NONE` without one)."""
        held = {(rank, suit): 0 for rank in RANKS for suit in SUITS}
        for card in hand:
            if card is not JOKER:
                held[card.rank, card.suit] += 1
        jokers = sum(card is JOKER for card in hand)
        free = kept = NONE
        # An ace stands at one end or the other: say beforehand how many stand low.
        twice = any(not place.last for place in self.line)
        for low in product(*(range(held["A", suit] + 1 if twice else 1) for suit in SUITS)):
            copies = [self._copies(place, held, low) for place in self.line]
            one, other = self._along(copies, jokers)
            free, kept = max(free, one), max(kept, other)
        return free, kept

    @staticmethod
    def _copies(place: Place, held: dict[tuple[str, str], int], low: tuple[int, ...]) -> tuple[int, ...]:
        counts = tuple(held[place.rank, suit] for suit in SUITS)
        if place.rank != "A":
            return counts
        return tuple(count - less for count, less in zip(counts, low, strict=True)) if place.last else low

    def _along(self, copies: list[tuple[int, ...]], jokers: int) -> tuple[int, int]:
        states: dict[State, int] = {State(((),) * 4, jokers, has_run=False): 0}
        for at, place in enumerate(self.line):
            follows = at + 1 < len(self.line) and self.line[at + 1].joined
            coming = copies[at + 1] if follows else (0,) * 4
            states = self._at(place, copies[at], coming, states)
        done = {state: value for state, value in states.items() if _all_long(state.runs)}
        return (
            max(done.values(), default=NONE),
            max((value for state, value in done.items() if state.has_run), default=NONE),
        )

    def _at(
        self, place: Place, copies: tuple[int, ...], coming: tuple[int, ...], states: dict[State, int]
    ) -> dict[State, int]:
        after: dict[State, int] = {}
        for state, value in states.items():
            if not place.joined and not _all_long(state.runs):
                continue
            runs = state.runs if place.joined else ((),) * 4
            choices = [
                list(self._choices(runs[suit], copies[suit], coming[suit], state.jokers)) for suit in range(4)
            ]  # fmt: skip
            for chosen in product(*choices):
                left = state.jokers - sum(choice.jokers for choice in chosen)
                if left < 0:
                    continue
                gain = self._gain(place, sum(one.naturals for one in chosen), sum(one.jokers for one in chosen))
                has_run = state.has_run or any(choice.reached for choice in chosen)
                loose = tuple(count - one.naturals for count, one in zip(copies, chosen, strict=True))
                for wild, more in self._sets(place.rank, loose, left) if place.last else ((0, 0),):
                    key = State(tuple(one.runs for one in chosen), left - wild, has_run)
                    after[key] = max(after.get(key, NONE), value + gain + more)
        return after

    def _gain(self, place: Place, naturals: int, jokers: int) -> int:
        laid_joker = place.worth if self.points.laid_joker is None else self.points.laid_joker
        cost = naturals * self.points.left[place.rank] + jokers * self.points.left_joker
        return self.cost_weight * cost + self.worth_weight * (naturals * place.worth + jokers * laid_joker)

    def _choices(self, runs: Runs, copies: int, coming: int, jokers: int) -> Iterator[Choice]:
        """Yield what the open *runs* of one suit may become with some of *copies* and *jokers*."""
        rule = self.melds.runs
        begun = [((), 0, 0, False)] if not runs else [
            (tuple(kept), naturals, wild, reached)
            for ways in product(*(self._ways(run, coming) for run in runs))
            for kept, naturals, wild, reached in (_together(ways),)
        ]  # fmt: skip
        for kept, naturals, wild, reached in begun:
            for fresh in range(copies - naturals + 1):
                # A joker begins a run only where a natural card of the suit can follow.
                for ahead in range(min(jokers - wild, coming if rule.max_jokers else 0) + 1):
                    new = (Run(1, wild=False, jokers=0),) * fresh + (Run(1, wild=True, jokers=1),) * ahead
                    yield Choice(tuple(sorted(kept + new)), naturals + fresh, wild + ahead, reached)

    def _ways(self, run: Run, coming: int) -> Iterator[tuple[Run | None, int, int, bool]]:
        if run.length == 3:
            yield None, 0, 0, False
        length = min(run.length + 1, 3)
        reached = run.length == 2
        yield Run(length, wild=False, jokers=run.jokers), 1, 0, reached
        if not run.wild and run.jokers < self.melds.runs.max_jokers and (length == 3 or coming):
            yield Run(length, wild=True, jokers=run.jokers + 1), 0, 1, reached

    def _sets(self, rank: str, loose: tuple[int, ...], jokers: int) -> Iterator[tuple[int, int]]:
        """Yield the jokers and the gain of every way to make sets of *loose* cards of *rank*, none included."""
        yield 0, 0
        worth = self.points.laid[rank]
        laid_joker = worth if self.points.laid_joker is None else self.points.laid_joker
        for used in product(*(range(min(count, 1) + 1) for count in loose)):
            naturals = sum(used)
            for length, most in self.melds.sets.max_jokers:
                wild = length - naturals
                if naturals >= 2 and 0 <= wild <= min(most, jokers):
                    cost = naturals * self.points.left[rank] + wild * self.points.left_joker
                    gain = self.cost_weight * cost
                    gain += self.worth_weight * (naturals * worth + wild * laid_joker)
                    rest = tuple(count - one for count, one in zip(loose, used, strict=True))
                    for more_wild, more_gain in self._sets(rank, rest, jokers - wild):
                        yield wild + more_wild, gain + more_gain


def _together(ways: tuple[tuple[Run | None, int, int, bool], ...]) -> tuple[list[Run], int, int, bool]:
    kept = [run for run, _, _, _ in ways if run is not None]
    return kept, sum(way[1] for way in ways), sum(way[2] for way in ways), any(way[3] for way in ways)


def _all_long(runs: tuple[Runs, ...]) -> bool:
    return all(run.length == 3 for suit in runs for run in suit)
