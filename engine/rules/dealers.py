"""Who deals next: shared policies."""

from dataclasses import dataclass

from engine.rules.ruleset import DealerFacts


@dataclass(frozen=True, slots=True)
class Rotate:
    """The next seat deals."""

    about: str = "The next seat to the left deals the following round."

    def next_dealer(self, facts: DealerFacts) -> int:
        """Return the left neighbour of the last dealer."""
        return (facts.dealer + 1) % len(facts.totals)


@dataclass(frozen=True, slots=True)
class LowestTotal:
    """The seat with the lowest total deals."""

    about: str = "The seat with the lowest total deals; of tied seats the first one left of the last dealer."

    def next_dealer(self, facts: DealerFacts) -> int:
        """Return the first seat with the lowest total, clockwise after the last dealer."""
        return first_clockwise(facts.dealer, facts.totals, min(facts.totals))


@dataclass(frozen=True, slots=True)
class LastCloser:
    """The seat that went out deals."""

    about: str = "The seat that went out deals; if nobody did, the dealer stays."

    def next_dealer(self, facts: DealerFacts) -> int:
        """Return the last closer, or the last dealer."""
        return facts.dealer if facts.closer is None else facts.closer


@dataclass(frozen=True, slots=True)
class BestRound:
    """The seat with the best round deals."""

    about: str = "The seat with most points in the round deals; of tied seats the first one left of the last dealer."

    def next_dealer(self, facts: DealerFacts) -> int:
        """Return the first seat with the most points, clockwise after the last dealer."""
        return first_clockwise(facts.dealer, facts.points, max(facts.points))


def first_clockwise(dealer: int, values: tuple[int, ...], wanted: int) -> int:
    """Return the first seat after *dealer*, the dealer last, whose value is *wanted*."""
    seats = len(values)
    return next(seat for step in range(1, seats + 1) if values[seat := (dealer + step) % seats] == wanted)
