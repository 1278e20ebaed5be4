"""Remi: the Indonesian game with the closing card.

Seeds: 002 (eight deals) and 003 (variants). Runs lie among 2–10 or are J-Q-K;
sets count only beside a run; melds are laid with a taken discard or in going out.
"""

from dataclasses import dataclass
from typing import Final

from engine.cards import ONE, Card, CardBag, bag, includes, listed
from engine.melds import Meld, MeldKind, MeldRules, PointTable, RunRule, SetRule
from engine.notation import show_cards
from engine.reasons import Reason, RuleViolation
from engine.rules.dealers import BestRound, LastCloser, LowestTotal
from engine.rules.debts import Debt, GoOut, melds_next
from engine.rules.options import Option, OptionError, Options, common_options
from engine.rules.position import Draft
from engine.rules.ruleset import (
    DealerRule,
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

_NUMERALS_OR_COURT: Final = ("23456789T", "JQK")
_VALUES: Final = {**dict.fromkeys("23456789T", 5), **dict.fromkeys("JQK", 10), "A": 15}
_JOKER_VALUE: Final = 25
_CLOSING_FACTOR: Final = 10
_LONGEST_RUN: Final = 9
_SEATS_A_PACK: Final = 4

OPTIONS: Final = (
    *common_options(2, 8, players=4, rounds=8),
    Option(
        "starter",
        "lowest_total",
        "who deals and begins the next round",
        choices=("lowest_total", "last_closer", "best_round"),
    ),
    Option("jokers", 0, "jokers in the deck", choices=(0, 2, 4)),
    Option("packs", 1, "packs of 52 cards", choices=(1, 2)),
    Option(
        "stock_end",
        "must_draw",
        "an empty stock ends the round when somebody draws from it, or with the turn that drew its last card",
        choices=("must_draw", "at_once"),
    ),
)

_SHORT: Final[Options] = {"rounds": 5, "stock_end": "at_once"}
_WINNER_STARTS: Final[Options] = {**_SHORT, "starter": "last_closer"}
_WITH_JOKERS: Final[Options] = {**_SHORT, "jokers": 2}
_JOKER_KARO: Final[Options] = {**_SHORT, "jokers": 4, "packs": 2}

PRESETS: Final = (
    Preset("remi", "eight rounds, four seats as a rule", {}, (2, 4)),
    Preset("remi-five-rounds", "five rounds; the round ends as the stock runs out", _SHORT, (2, 4)),
    Preset("remi-winner-starts", "the seat that went out begins the next round", _WINNER_STARTS, (2, 4)),
    Preset("remi-jokers", "two jokers in the pack", _WITH_JOKERS, (2, 4)),
    Preset("remi-joker-karo", "two packs and four jokers, for large groups", _JOKER_KARO, (2, 8)),
)

_PLAYED_WITH_JOKERS: Final = ("remi-jokers", "remi-joker-karo")

_DEALERS: Final[dict[str, DealerRule]] = {
    "lowest_total": LowestTotal(),
    "last_closer": LastCloser(),
    "best_round": BestRound(),
}


@dataclass(frozen=True, slots=True)
class TakenIntoMeld:
    """A taken discard goes at once into a meld with two cards from hand."""

    about: str = (
        "The very next move lays a meld of that card and two or more cards that were in hand before; "
        "cards that came along stay in hand."
    )

    def debts(self, draft: Draft, card: Card) -> tuple[Debt, ...]:
        """Owe *card* in the next move."""
        return melds_next(card, draft.step + 1)


@dataclass(frozen=True, slots=True)
class LayWithTakeOrOut:
    """Melds are laid with a taken discard, or to go out."""

    about: str = (
        "With a taken discard: a set needs a run of one's own beside it, on the table or among the cards held before. "
        "Otherwise the play must go out."
    )

    def verify(self, draft: Draft, meld: Meld, settled: list[Debt]) -> None:
        """Check the meld of a taken discard against the hand before the take."""
        if not settled:
            return
        taken = draft.taken[-1]
        from_hand = CardBag(meld.held - ONE[taken.index])
        if not includes(draft.before, from_hand):
            raise RuleViolation(Reason.TWO_TAKEN_CARDS, cards=show_cards(meld.cards), taken=taken.text)
        if meld.kind is MeldKind.SET and not draft.owns_run():
            kept = CardBag(draft.before - from_hand)
            if not draft.rules.arranger.has_run(kept):
                raise RuleViolation(Reason.SET_WITHOUT_RUN, cards=show_cards(meld.cards))

    def debts(self, draft: Draft, settled: list[Debt]) -> tuple[Debt, ...]:  # noqa: ARG002 - asked of every family
        """Owe going out for a meld without a taken discard."""
        return () if settled else (GoOut(),)


@dataclass(frozen=True, slots=True)
class CombinedAgainstLoose:
    """Melds count for their owner, everything else against; the closing card ten times."""

    about: tuple[str, ...] = (
        "Cards in melds, on the table or in hand, score plus their value; other cards score minus.",
        "Without a run, on the table or in hand, every card scores minus.",
        "The hand is parted into melds in the way that scores most.",
        "The seat that went out adds ten times the value of its closing card, which counts in no other way.",
    )

    def points(self, rules: RuleSet, ended: EndedRound) -> tuple[int, ...]:
        """Return each seat's melds less its loose cards, with the closer's bonus."""
        return tuple(self._seat_points(rules, ended, seat) for seat in range(ended.public.players))

    def _seat_points(self, rules: RuleSet, ended: EndedRound, seat: int) -> int:
        public, hand = ended.public, ended.hands[seat]
        table = [laid.meld for laid in public.melds if laid.owner == seat]
        on_table = sum(rules.points.worth(meld) for meld in table)
        if public.closer == seat and public.closing_card is not None:
            return on_table + _CLOSING_FACTOR * rules.points.cost(public.closing_card)
        has_run = public.has_run(seat)
        best = rules.arranger.best_balance(hand, has_run=has_run)
        if not has_run and not any(meld.kind is MeldKind.RUN for meld in best.melds):
            laid = sum(rules.points.cost(card) for meld in table for card in listed(bag(meld.cards)))
            return -laid - rules.arranger.cost(hand)
        return on_table + best.meld_points - best.left_points


def _build(preset: str, declared: tuple[Option, ...], options: Options) -> RuleSet:
    """Return the rule set of *preset* with every option resolved."""
    jokers, packs, rounds, target = (int(options[name]) for name in ("jokers", "packs", "rounds", "target"))
    most = 1 if jokers else 0
    if not jokers and preset in _PLAYED_WITH_JOKERS:
        raise OptionError(f"option jokers is 0; {preset} is played with jokers, allowed: 2, 4")
    if int(options["players"]) > _SEATS_A_PACK * packs:
        raise OptionError(
            f"option players is {options['players']}; {packs} pack of cards seats {_SEATS_A_PACK * packs}, set packs=2"
        )
    return RuleSet(
        family="remi",
        preset=preset,
        options=options,
        declared=declared,
        deck=DeckSpec(packs, jokers),
        deal=DealSpec(hand_size=7),
        melds=MeldRules(
            RunRule(_NUMERALS_OR_COURT, max_length=_LONGEST_RUN, max_jokers=most, min_naturals=2),
            SetRule(((3, most), (4, most))),
        ),
        points=PointTable(laid=_VALUES, left=_VALUES, left_joker=_JOKER_VALUE),
        pile=PileRule(row_per_seat=False, depth=3),
        stock=StockRule(ends_round_at_once=options["stock_end"] == "at_once"),
        moves=MoveRules(take=TakenIntoMeld(), lay=LayWithTakeOrOut(), run_to_go_out=True),
        dealers=_DEALERS[str(options["starter"])],
        scoring=CombinedAgainstLoose(),
        sense=ScoreSense.HIGH_WINS,
        length=MatchLength(rounds, target),
    )


FAMILY: Final = Family("remi", "Indonesian remi", OPTIONS, PRESETS, _build)
