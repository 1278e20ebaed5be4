"""Balanced orders of meeting: every two entrants share equally many sets. Pure and repeatable.

A cycle is a list of laps; in a lap everybody plays once. The laps, one behind another,
are cut into sets, so that at any moment no entrant has played more than one set more than
another. What is left to choose is the order within each lap.
"""

from collections.abc import Sequence
from itertools import combinations
from math import gcd, lcm
from typing import Final

from engine.shuffle import ByteStream

_STEPS: Final = 20_000
"""Exchanges tried for a cycle of sets of three and more."""

_LONGEST: Final = 6
"""How many times the shortest length is tried before a cycle that is not quite even will do."""

_UPHILL: Final = 500
"""One in how many exchanges that make a cycle a little worse is kept, so that the search is not caught."""

_LARGEST: Final = 40
"""Entrants up to which a cycle is searched for."""

Cycle = list[tuple[int, ...]]


def cycle_length(entrants: int, seats: int) -> int:
    """Return the sets of the shortest cycle in which every two could meet equally often."""
    laps = lcm((entrants - 1) // gcd(entrants - 1, seats - 1), seats // gcd(seats, entrants))
    return laps * entrants // seats


def meeting_range(sets: Sequence[Sequence[int]], entrants: int) -> tuple[int, int]:
    """Return how often two of *entrants* meet in *sets*: least and most."""
    met = _meetings(sets, entrants)
    counts = [met[one][two] for one, two in combinations(range(entrants), 2)]
    return min(counts), max(counts)


def balanced_cycle(entrants: int, seats: int, key: bytes) -> Cycle:
    """Return the sets of a cycle for *entrants* numbers from 0, *seats* a set.

    In sets of two every pair meets exactly once. In larger sets every pair meets
    equally often where a bounded search finds how; else as nearly so as it finds,
    which `meeting_range` tells.
    """
    if seats == entrants:
        return [tuple(range(entrants))]
    if seats == 2:
        return _circle(entrants) if entrants % 2 == 0 else _round_tours(entrants)
    return _searched(entrants, seats, key)


def _circle(entrants: int) -> Cycle:
    """Return every pair once, in rounds in which everybody plays: one stays, the others move round."""
    last, moving = entrants - 1, entrants - 1
    sets: Cycle = []
    for turn in range(moving):
        sets.append((turn, last))
        sets += [((turn + step) % moving, (turn - step) % moving) for step in range(1, entrants // 2)]
    return sets


def _round_tours(entrants: int) -> Cycle:
    """Return every pair once, for an odd number: along closed tours that share no pair, each gone round twice."""
    moving = entrants - 1
    sets: Cycle = []
    for start in range(moving // 2):
        zigzag = [start]
        for step in range(1, moving // 2 + 1):
            zigzag += [(start + step) % moving, (start - step) % moving]
        tour = [moving, *zigzag[:moving]]
        twice = tour + tour
        sets += list(zip(twice[::2], twice[1::2], strict=True))
    return sets


def _searched(entrants: int, seats: int, key: bytes) -> Cycle:
    """Return an even cycle, as short as the search finds one; else the shortest, as even as it finds it."""
    stream = ByteStream(key)
    shortest = _evened(entrants, seats, 1, stream)
    cycle = shortest
    for times in range(2, _LONGEST + 1):
        if entrants > _LARGEST or _is_even(cycle, entrants):
            break
        cycle = _evened(entrants, seats, times, stream)
    return cycle if _is_even(cycle, entrants) else shortest


def _is_even(cycle: Cycle, entrants: int) -> bool:
    least, most = meeting_range(cycle, entrants)
    return least == most


def _evened(entrants: int, seats: int, times: int, stream: ByteStream) -> Cycle:
    """Return a cycle of *times* the shortest length, made even by exchanges within its laps."""
    length = times * cycle_length(entrants, seats)
    places = [place % entrants for place in range(length * seats)]
    met = _meetings(_cut(places, seats), entrants)
    aim = length * seats * (seats - 1) // (entrants * (entrants - 1))
    cost = sum((met[one][two] - aim) ** 2 for one, two in combinations(range(entrants), 2))
    best, best_cost = list(places), cost
    laps = len(places) // entrants
    for _ in range(_STEPS if entrants <= _LARGEST else 0):
        if best_cost == 0:
            break
        lap = stream.below(laps) * entrants
        two = (lap + stream.below(entrants), lap + stream.below(entrants))
        cost += _exchange(places, seats, met, two, stream)
        if cost < best_cost:
            best, best_cost = list(places), cost
    return _cut(best, seats)


def _exchange(places: list[int], seats: int, met: list[list[int]], two: tuple[int, int], stream: ByteStream) -> int:
    """Exchange the entrants of *two* places if that makes meetings more even; return by how much they changed."""
    one, other = two
    here, there = one // seats * seats, other // seats * seats
    if here == there:
        return 0
    coming, going = places[other], places[one]
    beside = [places[place] for place in range(here, here + seats) if place != one]
    beyond = [places[place] for place in range(there, there + seats) if place != other]
    if coming in beside or going in beyond:
        return 0
    change = 0
    for mate in beside:
        change += _add(met, coming, mate, 1) + _add(met, going, mate, -1)
    for mate in beyond:
        change += _add(met, going, mate, 1) + _add(met, coming, mate, -1)
    if change <= 0 or (change <= 2 * seats and stream.below(_UPHILL) == 0):
        places[one], places[other] = coming, going
        return change
    for mate in beside:
        _add(met, coming, mate, -1), _add(met, going, mate, 1)
    for mate in beyond:
        _add(met, going, mate, -1), _add(met, coming, mate, 1)
    return 0


def _add(met: list[list[int]], one: int, two: int, step: int) -> int:
    """Count a meeting more or less; return by how much the sum of squares of all counts grows."""
    before = met[one][two]
    met[one][two] = met[two][one] = before + step
    return 2 * before * step + 1


def _cut(places: Sequence[int], seats: int) -> Cycle:
    return [tuple(places[start : start + seats]) for start in range(0, len(places), seats)]


def _meetings(sets: Sequence[Sequence[int]], entrants: int) -> list[list[int]]:
    met = [[0] * entrants for _ in range(entrants)]
    for members in sets:
        for one, two in combinations(members, 2):
            met[one][two] += 1
            met[two][one] += 1
    return met
