"""Remik: Polish rummy with an opening of 51 points and a clean run.

Melds lie open, grow by lay-offs and give their jokers back for the cards they
stand for; points are penalties, and the lowest total wins.
"""

from dataclasses import dataclass
from typing import Final

from engine.cards import Card
from engine.melds import Meld, MeldRules, PointTable, RunRule, SetRule
from engine.reasons import Reason, RuleViolation
from engine.rules.dealers import Rotate
from engine.rules.debts import Debt, GoOut, HaveCleanRun, MeldCard, ReachBar
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

_ACE_LOW_OR_HIGH: Final = ("A23456789TJQK", "23456789TJQKA")
_LONGEST_RUN: Final = 13
_PACKS: Final = 2
_BAR: Final = 51
_OPENING: Final[tuple[Debt, ...]] = (ReachBar(_BAR), HaveCleanRun())
_EXTRA_ROUNDS: Final = 10
_MOST_JOKERS: Final = 6
_VALUES: Final = {
    **{str(face): face for face in range(2, 10)},
    **dict.fromkeys("TJQK", 10),
    "A": 11,
}  # fmt: skip

OPTIONS: Final = (
    *common_options(2, 6, players=4, rounds=0),
    Option("jokers", 4, "jokers in the deck", choices=(4, 6)),
    Option("joker_price", 30, "penalty points of a joker left in hand", choices=(25, 30, 50)),
    Option(
        "limit",
        300,
        "the match ends when a total is above it; 0 for none",
        low=1,
        high=100_000,
        none_is_zero=True,
        ends_match=True,
    ),
    Option(
        "tie",
        "share",
        "seats that tie for the lowest total share the win, or one more round is played, ten at most",
        choices=("share", "extra_round"),
    ),
    Option(
        "run_joker_limit", 0, "most jokers in one run; 0 for no such limit", low=1, high=_MOST_JOKERS, none_is_zero=True
    ),
    Option("idle_reshuffles", 3, "reshuffles in a row allowed with no card going to the table", low=0, high=10),
)

PRESETS: Final = (
    Preset("remik", "four jokers, until somebody is past 300", {}, (2, 6)),
    Preset("remik-500", "four jokers, until somebody is past 500", {"limit": 500}, (2, 6)),
)


@dataclass(frozen=True, slots=True)
class TakenByStanding:
    """What a taken discard obliges to depends on whether its seat has opened."""

    about: str = (
        "A seat that opened in an earlier turn melds the card anew in this play, not by a lay-off. "
        "Another seat takes it only to go out in this play."
    )

    def debts(self, draft: Draft, card: Card) -> tuple[Debt, ...]:
        """Owe a new meld with *card* if opened before, else going out."""
        return (MeldCard(card, Reason.TAKEN_CARD_NOT_MELDED),) if draft.opened_before else (GoOut(),)


@dataclass(frozen=True, slots=True)
class LayToOpen:
    """The first melds of a seat must reach a bar in one play, with a clean run.

    Attributes:
        about: Condition and debts in words.
    """

    about: str = (
        f"The first melds of a seat are worth {_BAR} points or more in one play, "
        "one of them a run without a joker. Later melds may be worth anything."
    )

    def verify(self, draft: Draft, meld: Meld, settled: list[Debt]) -> None:
        """Allow every meld: the debt decides."""

    def debts(self, draft: Draft, settled: list[Debt]) -> tuple[Debt, ...]:  # noqa: ARG002 - asked of every family
        """Owe the bar and the clean run until opened."""
        return () if draft.opened_before else _OPENING


@dataclass(frozen=True, slots=True)
class GrowOnceOpened:
    """Melds on the table may be touched by a seat that has opened.

    Attributes:
        about: The condition in words.
    """

    about: str = (
        "Only by a seat that has opened, if in this play then with the melds laid so far. Runs grow at their ends, "
        "a set of three takes the fourth suit. A swapped joker goes into a new meld of the same play."
    )

    def verify(self, draft: Draft) -> None:
        """Check that the seat opened before, or with what it has laid in this play."""
        if draft.opened_before:
            return
        lacking = next(filter(None, (debt.violation(draft) for debt in _OPENING)), None)
        if lacking is not None:
            raise RuleViolation(Reason.NOT_OPENED, needs=str(lacking))


@dataclass(frozen=True, slots=True)
class CardsLeftInHand:
    """Every seat but the one that went out counts the cards in its hand."""

    about: tuple[str, ...] = (
        "Points are penalties. The seat that went out has none.",
        "Every other seat counts all cards in its hand, those that would fit a meld included.",
        "They count double if the seat that went out had laid nothing before that turn.",
        "Where nobody went out every hand counts once.",
    )

    def points(self, rules: RuleSet, ended: EndedRound) -> tuple[int, ...]:
        """Return what each hand costs."""
        public = ended.public
        factor = 2 if public.closed_unopened else 1
        return tuple(
            0 if public.closer == seat else factor * rules.arranger.cost(hand) for seat, hand in enumerate(ended.hands)
        )


def _build(preset: str, declared: tuple[Option, ...], options: Options) -> RuleSet:
    """Return the rule set of *preset* with every option resolved."""
    jokers, in_run = int(options["jokers"]), int(options["run_joker_limit"])
    return RuleSet(
        family="remik",
        preset=preset,
        options=options,
        declared=declared,
        deck=DeckSpec(_PACKS, jokers),
        deal=DealSpec(hand_size=13, starter_extra=1, dealer_by_draw=True),
        melds=MeldRules(
            RunRule(_ACE_LOW_OR_HIGH, max_length=_LONGEST_RUN, max_jokers=min(in_run or jokers, jokers)),
            SetRule(((3, 1), (4, 2)), name_jokers=True),
        ),
        points=PointTable(_VALUES, _VALUES, int(options["joker_price"]), low_ace=1, high_ace=_VALUES["A"]),
        pile=PileRule(row_per_seat=False, depth=1),
        stock=StockRule(reshuffles=True, idle_limit=int(options["idle_reshuffles"])),
        moves=MoveRules(take=TakenByStanding(), lay=LayToOpen(), grow=GrowOnceOpened(), opening=_BAR),
        dealers=Rotate(),
        scoring=CardsLeftInHand(),
        sense=ScoreSense.LOW_WINS,
        length=_length(options),
    )


def _length(options: Options) -> MatchLength:
    rounds, limit, target = (int(options[name]) for name in ("rounds", "limit", "target"))
    extra = _EXTRA_ROUNDS if options["tie"] == "extra_round" else 0
    return MatchLength(rounds, target, limit, extra)


FAMILY: Final = Family("remik", "Polish rummy", OPTIONS, PRESETS, _build)
