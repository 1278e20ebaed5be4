"""The lines that set up a position, made into a match.

Knows no family: which lines make sense is asked of the rule set.
"""

from collections import Counter
from collections.abc import Callable
from typing import ClassVar, Final

from engine.cards import EMPTY, JOKER, Card, CardBag, bag, includes, size
from engine.match import Match, PlayedRound
from engine.reasons import RuleViolation
from engine.round import Round
from engine.rules.position import Phase, PublicRound, TableMeld
from engine.rules.ruleset import RuleSet
from engine.scenario.lines import Line
from engine.shuffle import SEED_BYTES, SeededDealing, canonical_deck
from engine.stock import Stock

DEALING: Final = SeededDealing(bytes(SEED_BYTES))
"""Where cards come from that no scenario names: later rounds and reshuffles."""

COUNTERS: Final = ("dry-turns", "reshuffles", "idle-reshuffles")


class PositionBuilder:
    """A position as the lines so far describe it.

    Attributes:
        rules: Rule set of the scenario.
    """

    def __init__(self, line: Line, rules: RuleSet) -> None:
        """Begin an empty position under *rules*, which *line* names."""
        self.rules: Final = rules
        self._line = line
        self._rest = Counter(canonical_deck(rules.deck))
        self._seen: set[tuple[str, ...]] = set()
        self._hands: dict[int, CardBag] = {}
        self._known: dict[int, CardBag] = {}
        self._piles: dict[int, tuple[Card, ...]] = {}
        self._melds: list[TableMeld] = []
        self._opened: set[int] = set()
        self._totals: dict[int, int] = {}
        self._counts = dict.fromkeys(COUNTERS, 0)
        self._stock: tuple[Card, ...] = ()
        self._stock_only = False
        self._turn_up: Card | None = None
        self._dealt_turn_up: Card | None = None
        self._twin: int | None = None
        self._dealer = 0
        self._turn: int | None = None
        self._drawn = False
        self._round = 1

    def add(self, line: Line) -> None:
        """Put what *line* says into the position.

        Raises:
            ScenarioError: It says nothing that can be understood, or what cannot be.
        """
        handle = self._handlers.get(line.head[0])
        if handle is None:
            raise line.error(f"cannot read {line.text}; a line begins with {', '.join(self._handlers)}, play or expect")
        if line.head[0] != "meld":
            if line.head in self._seen:
                raise line.error(f"{' '.join(line.head)} is said twice")
            self._seen.add(line.head)
        handle(self, line)

    def seat(self, line: Line, place: int = 1) -> int:
        """Return the seat that word *place* of *line* names."""
        if len(line.head) <= place:
            raise line.error(f"{line.text} needs a seat, from 0")
        seat = line.number_in(line.head[place])
        if not 0 <= seat < self.rules.players:
            raise line.error(f"there is no seat {seat}; seats are 0 to {self.rules.players - 1}")
        return seat

    def _placed(self, line: Line, cards: tuple[Card, ...], *, named: bool = False) -> tuple[Card, ...]:
        """Take *cards* out of the deck and return them."""
        for card in cards:
            if card.is_joker and card is not JOKER and not named:
                raise line.error(f"{card.text} is named; only jokers in melds are")
            if not self._rest[card.held_as]:
                copies = canonical_deck(self.rules.deck).count(card.held_as)
                raise line.error(f"{card.held_as.text} is named too often; the deck has {copies or 'none'}")
            self._rest[card.held_as] -= 1
        return cards

    def _hand(self, line: Line) -> None:
        self._only(line, words=2)
        self._hands[self.seat(line)] = bag(self._placed(line, line.cards()))

    def _known_cards(self, line: Line) -> None:
        self._only(line, words=2)
        self._known[self.seat(line)] = bag(line.cards())

    def _discards(self, line: Line) -> None:
        self._only(line, words=1)
        if self.rules.pile.row_per_seat:
            raise line.error("these rules have a row for each seat: write row 0:, row 1: …")
        self._piles[0] = self._placed(line, line.cards())

    def _row(self, line: Line) -> None:
        self._only(line, words=2)
        if not self.rules.pile.row_per_seat:
            raise line.error("these rules have one pile: write discards:")
        self._piles[self.seat(line)] = self._placed(line, line.cards())

    def _stock_line(self, line: Line) -> None:
        if line.head not in (("stock",), ("stock", "only")):
            raise line.error("write stock: or stock only:")
        if {("stock",), ("stock", "only")} <= self._seen:
            raise line.error("the stock is said twice")
        self._stock_only = len(line.head) == 2
        self._stock = self._placed(line, line.cards())

    def _meld(self, line: Line) -> None:
        self._only(line, words=2)
        seat, cards = self.seat(line), self._placed(line, line.cards(), named=True)
        try:
            meld = self.rules.melds.read(cards)
        except RuleViolation as violation:
            raise line.error(str(violation)) from violation
        self._melds.append(TableMeld(seat, meld))
        self._opened.add(seat)

    def _opened_seats(self, line: Line) -> None:
        self._opened |= {self.seat(line, place) for place in range(1, max(len(line.head), 2))}

    def _turn_up_line(self, line: Line) -> None:
        if line.head not in (("turn-up",), ("turn-up", "taken")):
            raise line.error("write turn-up: or, where it is gone, turn-up taken:")
        if not self.rules.deal.turn_up:
            raise line.error("these rules turn no card up")
        if self._dealt_turn_up is not None:
            raise line.error("the turn-up is said twice")
        cards = line.cards()
        if len(cards) != 1 or cards[0].held_as is not cards[0]:
            raise line.error("one card is turned up")
        self._dealt_turn_up = cards[0]
        if len(line.head) == 1:
            self._turn_up = self._placed(line, cards)[0]

    def _twin_seat(self, line: Line) -> None:
        self._only(line, words=2)
        if not self.rules.deal.turn_up:
            raise line.error("these rules turn no card up")
        self._twin = self.seat(line)

    def _total(self, line: Line) -> None:
        self._only(line, words=2)
        self._totals[self.seat(line)] = line.number_in(line.body or "")

    def _dealer_seat(self, line: Line) -> None:
        self._only(line, words=2)
        self._dealer = self.seat(line)

    def _turn_line(self, line: Line) -> None:
        if self._turn is not None:
            raise line.error("the turn is said twice")
        self._turn = self.seat(line)
        self._drawn = line.head[2:] == ("drawn",)
        if line.head[2:] and not self._drawn:
            raise line.error("write turn N or turn N drawn")

    def _round_line(self, line: Line) -> None:
        self._only(line, words=2)
        self._round = line.number_in(line.head[1])
        if not 1 <= self._round <= 100:
            raise line.error("rounds are numbered 1 to 100")

    def _count(self, line: Line) -> None:
        self._only(line, words=2)
        self._counts[line.head[0]] = line.number_in(line.head[1])
        if self._counts[line.head[0]] < 0:
            raise line.error(f"{line.head[0]} is at least 0")

    def _only(self, line: Line, words: int) -> None:
        if len(line.head) != words:
            raise line.error(f"cannot read {line.text}: {line.head[0]} takes {words - 1 or 'no'} word before its colon")

    def build(self) -> Match:
        """Return the match that stands as described.

        Raises:
            ScenarioError: Too few cards are left to deal, or the described cannot be.
        """
        rules, players = self.rules, self.rules.players
        turn = self._dealer if self._turn is None else self._turn
        hands = self._dealt(turn)
        stock = self._stock if self._stock_only else (*self._stock, *self._left())
        public = self._public(turn, hands, len(stock))
        first = turn if public.phase is Phase.DRAW else (turn + 1) % players
        streams = players if rules.options["draw_streams"] else 1
        totals = tuple(self._totals.get(seat, 0) for seat in range(players))
        return Match(
            rules,
            DEALING,
            Round(rules, public, hands, Stock.of(stock, first, streams), self._twin),
            self._history(totals),
            totals,
            None,
        )

    def _left(self) -> tuple[Card, ...]:
        """Return the cards not named, canonical order; of equal ones the later copy is left."""
        kept = Counter(self._rest)
        left = []
        for card in reversed(canonical_deck(self.rules.deck)):
            if kept[card]:
                kept[card] -= 1
                left.append(card)
        return tuple(reversed(left))

    def _dealt(self, turn: int) -> tuple[CardBag, ...]:
        """Return all hands, those that no line names dealt from the rest seat by seat."""
        for seat in range(self.rules.players):
            if seat in self._hands:
                continue
            wanted = self.rules.deal.hand_size + (seat == turn and self._drawn)
            cards = self._left()[:wanted]
            if len(cards) < wanted:
                raise self._line.error(f"{len(cards)} cards are left to deal to seat {seat}, which gets {wanted}")
            self._hands[seat] = bag(self._placed(self._line, cards))
        return tuple(self._hands[seat] for seat in range(self.rules.players))

    def _public(self, turn: int, hands: tuple[CardBag, ...], stock_size: int) -> PublicRound:
        rules, players = self.rules, self.rules.players
        if not hands[turn]:
            raise self._line.error(f"seat {turn} is to play and holds no card")
        known = tuple(self._known.get(seat, EMPTY) for seat in range(players))
        for seat, held in enumerate(hands):
            if not includes(held, known[seat]):
                raise self._line.error(f"seat {seat} is known to hold what it does not hold")
        longer = size(hands[turn]) == rules.deal.hand_size + 1
        return PublicRound(
            index=self._round - 1,
            players=players,
            dealer=self._dealer,
            starter=self._dealer,
            turn=turn,
            phase=Phase.PLAY if self._drawn or longer else Phase.DRAW,
            piles=tuple(self._piles.get(row, ()) for row in range(players if rules.pile.row_per_seat else 1)),
            melds=tuple(self._melds),
            opened=tuple(seat in self._opened for seat in range(players)),
            hand_sizes=tuple(map(size, hands)),
            known=known,
            stock_size=stock_size,
            turn_up=self._turn_up,
            dealt_turn_up=self._dealt_turn_up,
            drew=self._drawn or (longer and not rules.deal.starter_extra),
            dry_turns=self._counts["dry-turns"],
            reshuffles=self._counts["reshuffles"],
            idle_reshuffles=self._counts["idle-reshuffles"],
        )

    def _history(self, totals: tuple[int, ...]) -> tuple[PlayedRound, ...]:
        """Return rounds before this one, all points as if made in the last of them."""
        nothing = (0,) * self.rules.players
        before = [PlayedRound(nothing, nothing, None)] * (self._round - 1)
        return (*before[:-1], PlayedRound(totals, totals, None)) if before else ()

    _handlers: ClassVar[dict[str, Callable[["PositionBuilder", Line], None]]] = {
        "hand": _hand,
        "discards": _discards,
        "row": _row,
        "stock": _stock_line,
        "meld": _meld,
        "opened": _opened_seats,
        "turn-up": _turn_up_line,
        "twin": _twin_seat,
        "total": _total,
        "dealer": _dealer_seat,
        "turn": _turn_line,
        "round": _round_line,
        "known": _known_cards,
        **dict.fromkeys(COUNTERS, _count),
    }
