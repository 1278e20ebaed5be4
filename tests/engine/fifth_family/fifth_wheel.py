"""Fifth wheel: a little game that only tests know, as a fourth module of rules would be written.

One pack, five cards each, the ace low; melds and lay-offs at any time, the top
discard for nothing; what is left in hand counts one point a card, and ten to
the seat that went out.
"""

from dataclasses import dataclass
from typing import Final

from engine.cards import size
from engine.melds import Meld, MeldRules, PointTable, RunRule, SetRule
from engine.rules.dealers import BestRound
from engine.rules.debts import Debt
from engine.rules.options import Option, Options, common_options
from engine.rules.position import Draft
from engine.rules.ruleset import (
    DealSpec,
    DeckSpec,
    EndedRound,
    Family,
    MatchLength,
    MoveRules,
    PileRule,
    Preset,
    RuleSet,
    ScoreSense,
    StockRule,
)  # fmt: skip

_ONE_EACH: Final = dict.fromkeys("A23456789TJQK", 1)

OPTIONS: Final = (
    *common_options(2, 5, players=3, rounds=4),
    Option("prize", 10, "points of the seat that goes out", low=0, high=50),
)


@dataclass(frozen=True, slots=True)
class Freely:
    """Everything is allowed and nothing is owed."""

    about: str = "At any time."

    def debts(self, *about: object) -> tuple[Debt, ...]:
        """Owe nothing."""
        return ()

    def verify(self, draft: Draft, meld: Meld | None = None, settled: list[Debt] | None = None) -> None:
        """Allow it."""


@dataclass(frozen=True, slots=True)
class Prize:
    """Minus one a card, and a prize for going out."""

    prize: int

    @property
    def about(self) -> tuple[str, ...]:
        """The scoring in words."""
        return (f"Each card in hand costs 1. Going out brings {self.prize}.",)

    def points(self, rules: RuleSet, ended: EndedRound) -> tuple[int, ...]:
        """Return the points of each seat."""
        return tuple(
            self.prize if ended.public.closer == seat else -size(hand) for seat, hand in enumerate(ended.hands)
        )


def _build(preset: str, declared: tuple[Option, ...], options: Options) -> RuleSet:
    target = int(options["target"])
    return RuleSet(
        family="fifth-wheel",
        preset=preset,
        options=options,
        declared=declared,
        deck=DeckSpec(packs=1, jokers=0),
        deal=DealSpec(hand_size=5),
        melds=MeldRules(RunRule(("A23456789TJQK",), max_length=13, max_jokers=0), SetRule()),
        points=PointTable(_ONE_EACH, _ONE_EACH, low_ace=1),
        pile=PileRule(row_per_seat=False, depth=1),
        stock=StockRule(reshuffles=True, idle_limit=1),
        moves=MoveRules(take=Freely(), lay=Freely(), grow=Freely()),
        dealers=BestRound(),
        scoring=Prize(int(options["prize"])),
        sense=ScoreSense.HIGH_WINS,
        length=MatchLength(int(options["rounds"]), target),
    )


PRESETS: Final = (
    Preset("fifth-wheel", "four short rounds", {}, (2, 5)),
    Preset("fifth-wheel-sudden", "until somebody has fifteen points", {"rounds": 0, "target": 15}, (2, 2)),
)
FAMILY: Final = Family("fifth-wheel", "Fifth wheel", OPTIONS, PRESETS, _build)
