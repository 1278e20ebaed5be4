"""The stock: a face-down pile, whole or parted into one draw stream a seat."""

from typing import NamedTuple

from engine.cards import Card


class Stock(NamedTuple):
    """Cards face down. Audience: the referee alone.

    With draw streams card *i* belongs to seat (first + *i*) mod *streams*. A seat
    draws the first card left of its own stream, and when that is empty the last
    card of the next seat's stream that has one. Where a seat draws from so
    depends on public history only.

    Attributes:
        cards: In order, the top first, those drawn included.
        first: Seat to which card 0 belongs.
        streams: Number of streams; 1 without draw streams.
        fronts: Cards drawn from the front, per stream.
        backs: Cards drawn from the back, per stream.
    """

    cards: tuple[Card, ...]
    first: int
    streams: int
    fronts: tuple[int, ...]
    backs: tuple[int, ...]

    @classmethod
    def of(cls, cards: tuple[Card, ...], first: int, streams: int) -> "Stock":
        """Return a stock of *cards*, top first, from which nothing was drawn."""
        return cls(cards, first, streams, (0,) * streams, (0,) * streams)

    @property
    def size(self) -> int:
        """Return the number of cards left."""
        return len(self.cards) - sum(self.fronts) - sum(self.backs)

    def _left_in(self, stream: int) -> int:
        dealt = (len(self.cards) - stream + self.streams - 1) // self.streams
        return dealt - self.fronts[stream] - self.backs[stream]

    def draw(self, seat: int) -> tuple[Card, "Stock"]:
        """Return the card that *seat* draws and the stock without it.

        Raises:
            IndexError: The stock is empty.
        """
        cards, first, streams, fronts, backs = self
        own = (seat - first) % streams
        if own + streams * (fronts[own] + backs[own]) < len(cards):
            return cards[own + streams * fronts[own]], Stock(cards, first, streams, _counted(fronts, own), backs)
        for step in range(1, self.streams):
            stream = (own + step) % self.streams
            left = self._left_in(stream)
            if left > 0:
                card = self.cards[stream + self.streams * (self.fronts[stream] + left - 1)]
                return card, self._replace(backs=_counted(self.backs, stream))
        raise IndexError("the stock is empty")

    def left(self) -> tuple[Card, ...]:
        """Return the cards left, in their order in the stock."""
        kept = []
        for index, card in enumerate(self.cards):
            stream, place = index % self.streams, index // self.streams
            if self.fronts[stream] <= place < self.fronts[stream] + self._left_in(stream):
                kept.append(card)
        return tuple(kept)


def _counted(counts: tuple[int, ...], stream: int) -> tuple[int, ...]:
    return (*counts[:stream], counts[stream] + 1, *counts[stream + 1 :])
