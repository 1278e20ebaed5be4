"""Closed rummy: Romanian remi with tiles in which nothing is laid before the end.

Every seat has a row of its own that its right neighbour feeds; a card turned up
beside the stock (the atu) may finish a hand and changes the count.
"""

from dataclasses import dataclass
from typing import Final

from engine.cards import Card
from engine.melds import Meld, MeldRules, PointTable, RunRule, SetRule
from engine.reasons import Reason
from engine.rules.dealers import Rotate
from engine.rules.debts import Debt, GoOut, MeldCard
from engine.rules.options import Option, OptionError, Options, common_options
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

_ACE_BOTH_ENDS: Final = ("A23456789TJQKA",)
_LONGEST_RUN: Final = 14
_JOKERS: Final = 2
_HAND_SIZES: Final = {1: 10, 2: 14}
"""Tiles of a rack by number of packs."""

_LOW: Final = dict.fromkeys("23456789", 5)
_TENS: Final = dict.fromkeys("TJQK", 10)
_RACK: Final = {"A": 5, **_LOW, **_TENS}
_JOKER_COST: Final = 50
_TWIN_BONUS: Final = 50
_DOUBLED: Final = 2

_TABLES: Final[dict[str, PointTable]] = {
    "positional": PointTable({"A": 25, **_LOW, **_TENS}, _RACK, _JOKER_COST, low_ace=5, high_ace=10),
    "flat": PointTable({"A": 25, **_LOW, **_TENS}, _RACK, _JOKER_COST, low_ace=25, high_ace=25, laid_joker=50),
    "mirror": PointTable(_RACK, _RACK, _JOKER_COST, low_ace=5, high_ace=5, laid_joker=_JOKER_COST),
}
"""What the melds of the seat that goes out are worth; a rack costs the same in all of them."""

OPTIONS: Final = (
    *common_options(2, 4, players=4, rounds=0),
    Option("packs", 2, "packs of 52 tiles: two with 14 each, or one with ten each for two seats", choices=(1, 2)),
    Option(
        "laid_table",
        "positional",
        "what melds count: by the place of an ace and the tile a joker stands for (positional), "
        "an ace 25 and a joker 50 always (flat), or what they cost on a rack (mirror)",
        choices=("positional", "flat", "mirror"),
    ),
    Option("stall_orbits", 3, "orbits of turns without a draw that end the round", low=1, high=10),
    Option("modifiers_on_dead_round", default=True, about="count twin and doubling where nobody went out, too"),
)

PRESETS: Final = (
    Preset("closed-rummy", "two packs and 14 tiles each, as long as the table likes", {}, (2, 4)),
    Preset("closed-rummy-duel", "one pack and ten tiles each, for two", {"packs": 1}, (2, 2)),
)


@dataclass(frozen=True, slots=True)
class FreeTake:
    """The top of the own row is a draw like any other."""

    about: str = "It obliges to nothing."

    def debts(self, draft: Draft, card: Card) -> tuple[Debt, ...]:  # noqa: ARG002 - asked of every family
        """Owe nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class TurnUpToGoOut:
    """The turn-up is taken only to go out with it."""

    about: str = "Instead of a draw; the card goes into a meld of this play, and the play must go out."

    def debts(self, draft: Draft, card: Card) -> tuple[Debt, ...]:  # noqa: ARG002 - asked of every family
        """Owe a meld with *card*, and going out."""
        return (MeldCard(card, Reason.TAKEN_CARD_NOT_MELDED), GoOut())


@dataclass(frozen=True, slots=True)
class LayToGoOut:
    """Melds are laid only in going out."""

    about: str = "The play must go out: melds are laid for all tiles but the one discarded."

    def verify(self, draft: Draft, meld: Meld, settled: list[Debt]) -> None:
        """Allow every meld: the debt decides."""

    def debts(self, draft: Draft, settled: list[Debt]) -> tuple[Debt, ...]:  # noqa: ARG002 - asked of every family
        """Owe going out."""
        return (GoOut(),)


@dataclass(frozen=True, slots=True)
class LaidAgainstRacks:
    """The seat that goes out counts its melds, every other one loses its whole rack.

    Attributes:
        on_dead_round: Whether twin and doubling count where nobody went out.
    """

    on_dead_round: bool

    @property
    def about(self) -> tuple[str, ...]:
        """The scoring in words."""
        return (
            "The seat that goes out scores what its melds are worth.",
            "Every other seat loses what all its tiles cost, those that would fit a meld included.",
            f"The seat that was dealt a copy of the turn-up adds {_TWIN_BONUS}.",
            "A turn-up that is an ace or a joker doubles the round for every seat.",
            "A joker as last discard doubles the round of the seat that went out with it.",
            "The bonus is added before doubling, and both doublings together count four times.",
            "Where nobody goes out every seat loses its tiles; the bonus and the doubling by the turn-up "
            + ("count all the same." if self.on_dead_round else "do not count then."),
        )

    def points(self, rules: RuleSet, ended: EndedRound) -> tuple[int, ...]:
        """Return each seat's melds or rack with bonus and doublings."""
        public = ended.public
        counted = public.closer is not None or self.on_dead_round
        factor = _DOUBLED if counted and _doubles(public.dealt_turn_up) else 1
        found = []
        for seat, hand in enumerate(ended.hands):
            bonus = _TWIN_BONUS if counted and ended.twin == seat else 0
            if public.closer != seat:
                found.append((bonus - rules.arranger.cost(hand)) * factor)
                continue
            worth = sum(rules.points.worth(laid.meld) for laid in public.melds if laid.owner == seat)
            own = _DOUBLED if public.closing_card is not None and public.closing_card.is_joker else 1
            found.append((worth + bonus) * factor * own)
        return tuple(found)


def _doubles(turn_up: Card | None) -> bool:
    return turn_up is not None and (turn_up.is_joker or turn_up.rank == "A")


def _build(preset: str, declared: tuple[Option, ...], options: Options) -> RuleSet:
    """Return the rule set of *preset* with every option resolved."""
    packs, rounds, target = (int(options[name]) for name in ("packs", "rounds", "target"))
    if packs == 1 and options["players"] != 2:
        raise OptionError(f"option packs is 1, which is for two seats; players is {options['players']}, set players=2")
    return RuleSet(
        family="closed-rummy",
        preset=preset,
        options=options,
        declared=declared,
        deck=DeckSpec(packs, _JOKERS),
        deal=DealSpec(_HAND_SIZES[packs], starter_extra=1, turn_up=True),
        melds=MeldRules(
            RunRule(_ACE_BOTH_ENDS, max_length=_LONGEST_RUN, max_jokers=1, min_naturals=2),
            SetRule(((3, 1), (4, 1))),
        ),
        points=_TABLES[str(options["laid_table"])],
        pile=PileRule(row_per_seat=True, depth=1, joker_blocks=True),
        stock=StockRule(ends_round_at_once=True, stall_orbits=int(options["stall_orbits"])),
        moves=MoveRules(take=FreeTake(), lay=LayToGoOut(), take_turn_up=TurnUpToGoOut()),
        dealers=Rotate(),
        scoring=LaidAgainstRacks(on_dead_round=bool(options["modifiers_on_dead_round"])),
        sense=ScoreSense.HIGH_WINS,
        length=MatchLength(rounds, target),
    )


FAMILY: Final = Family("closed-rummy", "Closed rummy", OPTIONS, PRESETS, _build)
