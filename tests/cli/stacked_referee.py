"""A referee whose cards the test has chosen: `stacked_referee.py DECK FLAG…`.

DECK is cards as text, the first dealt first; what it does not name follows in
canonical order. The dealer draw gives the deal to seat 0.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards import Card, CardBag, bag, listed, natural
from engine.notation import parse_cards
from engine.record.deal import Secret
from engine.rules.ruleset import DeckSpec
from engine.shuffle import canonical_deck
from referee.__main__ import main


@dataclass(frozen=True)
class Stacked:
    """A deal that is known beforehand."""

    first: tuple[Card, ...]

    def deck(self, spec: DeckSpec, round_index: int) -> tuple[Card, ...]:
        """Return the deck."""
        return self.first + listed(CardBag(bag(canonical_deck(spec)) - bag(self.first)))

    def reshuffle(self, cards: Sequence[Card], round_index: int, count: int) -> tuple[Card, ...]:
        """Return *cards* as they lie."""
        return tuple(cards)

    def dealer_deck(self, spec: DeckSpec) -> tuple[Card, ...]:
        """Return a deck from which seat 0 draws an ace, everybody else a two."""
        return (natural("A", "S"), *[natural("2", "S")] * 8)


if __name__ == "__main__":
    stacked = Stacked(parse_cards(sys.argv[1]))
    Secret.dealing = lambda *_: stacked  # type: ignore[assignment,method-assign]
    sys.exit(main(sys.argv[2:]))
