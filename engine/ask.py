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
        opened: Whether the seat has opened, where the family has a bar; else ways out must reach it.
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
        RuleViolation: `CARD_MALFORMED` where there are more copies of a card than
            in the deck, `MOVE_NOT_IN_RULES` for a turn-up where none can be taken.
    """
    hand, turn_up = question.hand, question.turn_up
    if turn_up is not None and rules.moves.take_turn_up is None:
        raise RuleViolation(Reason.MOVE_NOT_IN_RULES, rules=rules.family, move="take-turn-up")
    with_it = CardBag(hand + ONE[turn_up.index]) if turn_up is not None else hand
    check_copies(rules, with_it, *(meld.held for meld in question.table))
    arranger, bar = rules.public_arranger, rules.moves.opening
    has_run = any(meld.sequence for meld in question.table)
    still_to_open = None if question.opened else bar
    ways = list(arranger.ways_out(hand, has_run=has_run, bar=still_to_open))
    if turn_up is not None:
        ways += arranger.ways_out(with_it, has_run=has_run, using=turn_up, bar=still_to_open)
    return Findings(
        arranger.arrange(hand, has_run=has_run),
        tuple((way, _points(rules, question.table, way)) for way in ways),
        arranger.opening(hand, bar) if bar is not None else None,
        arranger.cards_short(hand, has_run=has_run),
    )


def check_copies(rules: RuleSet, *parts: CardBag) -> None:
    """Refuse *parts* of a deck that together have more copies of a card than it has.

    Raises:
        RuleViolation: `CARD_MALFORMED`, naming the card.
    """
    for card in dict.fromkeys(card for part in parts for card in distinct(part)):
        most = rules.deck.jokers if card.is_joker else rules.deck.packs
        if sum(count(part, card) for part in parts) > most:
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
