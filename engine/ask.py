"""Everything one may ask about a hand, answered together: what `arrange` prints and sends."""

from dataclasses import dataclass

from engine.arrange.queries import Arrangement, Opening, WayOut
from engine.cards import CARDS, EMPTY, ONE, Card, CardBag, count, distinct
from engine.melds import Meld
from engine.reasons import Reason, RuleViolation
from engine.rules.position import Phase, PublicRound, RoundEnd, TableMeld
from engine.rules.ruleset import EndedRound, RuleSet


@dataclass(frozen=True, slots=True)
class Question:
    """A hand and what lies about it.

    Attributes:
        hand: The cards.
        table: Own melds on the table.
        turn_up: Turn-up that could be taken to go out.
        opened: Whether the seat has opened, where the family has a bar.
    """

    hand: CardBag
    table: tuple[Meld, ...] = ()
    turn_up: Card | None = None
    opened: bool = True


@dataclass(frozen=True, slots=True)
class Findings:
    """What a hand is worth.

    Attributes:
        arrangement: Fewest points left, then most meld points.
        going_out: Ways out with the closer's points, by discard; with a turn-up those that take it follow.
        opening: Best melds that meet the family's bar; None without bar or where it is not met.
        cards_short: Cards loose beyond the one to discard.
    """

    arrangement: Arrangement
    going_out: tuple[tuple[WayOut, int], ...]
    opening: Opening | None
    cards_short: int


def ask(rules: RuleSet, question: Question) -> Findings:
    """Answer *question*.

    Raises:
        RuleViolation: `CARD_MALFORMED` where the hand has more copies of a card
            than the deck.
    """
    hand = question.hand
    check_copies(rules, hand)
    arranger = rules.arranger
    has_run = any(meld.sequence for meld in question.table)
    ways = list(arranger.ways_out(hand, has_run=has_run))
    if question.turn_up is not None:
        with_it = CardBag(hand + ONE[question.turn_up.index])
        ways += arranger.ways_out(with_it, has_run=has_run, using=question.turn_up)
    bar = rules.moves.opening
    return Findings(
        arranger.arrange(hand, has_run=has_run),
        tuple((way, _points(rules, question.table, way)) for way in ways),
        arranger.opening(hand, bar) if bar is not None else None,
        arranger.cards_short(hand, has_run=has_run),
    )


def check_copies(rules: RuleSet, hand: CardBag) -> None:
    """Refuse a hand with more copies of a card than the deck has.

    Raises:
        RuleViolation: `CARD_MALFORMED`, naming the card.
    """
    for card in distinct(hand):
        most = rules.deck.jokers if card.is_joker else rules.deck.packs
        if count(hand, card) > most:
            raise RuleViolation(Reason.CARD_MALFORMED, card=f"{card.text} number {most + 1}, of a deck with {most},")


def _points(rules: RuleSet, table: tuple[Meld, ...], way: WayOut) -> int:
    """Return the closer's points for the round with no turn-up, twin or opponents."""
    players = rules.players
    public = PublicRound(
        index=0,
        players=players,
        dealer=0,
        starter=0,
        turn=0,
        phase=Phase.OVER,
        piles=((CARDS[way.discard.index],),),
        melds=tuple(TableMeld(0, meld) for meld in (*table, *way.melds)),
        opened=(True,) * players,
        hand_sizes=(0,) * players,
        known=(EMPTY,) * players,
        stock_size=0,
        closer=0,
        closing_card=way.discard,
        end=RoundEnd.WENT_OUT,
    )
    return rules.scoring.points(rules, EndedRound(public, (EMPTY,) * players, None))[0]
