"""Legality of a play, the one place where it is decided.

A function of what the seat knows: hidden cards are out of reach, so neither a
refusal nor a check can tell anything about them.
"""

from collections.abc import Callable
from typing import Any, Final

from engine.cards import JOKER, ONE, Card, CardBag, bag, count, distinct, includes
from engine.melds import Meld, MeldKind
from engine.moves import Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.notation import show_cards, show_move
from engine.reasons import Reason, RuleViolation, Violation
from engine.rules.debts import Debt, MeldCard
from engine.rules.position import Draft, Phase, Position, TableMeld


def verify(position: Position, play: Play) -> Draft:
    """Return the outcome of *play*, or refuse it.

    Args:
        position: What the playing seat knows.
        play: The play; nothing is changed by it.

    Returns:
        The draft with every move made and no debt open.

    Raises:
        RuleViolation: The first reason that applies, in the order of `Reason`.
    """
    draft = begin(position, play)
    for move in play.moves:
        _STEPS[type(move)](draft, move)
        draft.step += 1
    for violation in still_open(draft):
        raise RuleViolation(violation.reason, **violation.facts)
    return draft


def check(position: Position, play: Play) -> tuple[Violation, ...]:
    """Return what *play*, finished or not, still owes; empty if it could be sent.

    Raises:
        RuleViolation: A move of it is illegal in its place.
    """
    draft = begin(position, play)
    for move in play.moves:
        step(draft, move)
    return tuple(still_open(draft))


def can(position: Position, play: Play) -> bool:
    """Return whether *play* would be accepted."""
    try:
        verify(position, play)
    except RuleViolation:
        return False
    return True


def begin(position: Position, play: Play) -> Draft:
    """Return the draft before the first move, form and turn checked."""
    moves, public = play.moves, position.public
    if not moves:
        raise RuleViolation(Reason.PLAY_EMPTY)
    for move in moves:
        check_form = _FORMS[type(move)]
        if check_form is not None:
            check_form(move)
    if public.phase is Phase.OVER:
        raise RuleViolation(Reason.MATCH_OVER)
    if public.turn != position.seat:
        raise RuleViolation(Reason.NOT_YOUR_TURN, turn=public.turn)
    return Draft(position, alone=len(moves) == 1)


def step(draft: Draft, move: Move) -> None:
    """Make *move* in *draft*.

    Raises:
        RuleViolation: It is illegal in its place.
    """
    _STEPS[type(move)](draft, move)
    draft.step += 1


def still_open(draft: Draft) -> list[Violation]:
    """Return what ending the play as *draft* stands would break, in order."""
    if draft.drew:
        return []
    found: list[Violation] = []
    if draft.discarded is None:
        found.append(Violation(Reason.PLAY_UNFINISHED))
    for debt in draft.debts:
        violation = debt.violation(draft)
        if violation is not None:
            found.append(violation)
    return found


def _has_cards(move: Lay | LayOff) -> None:
    if not move.cards:
        raise RuleViolation(Reason.MOVE_MALFORMED, move="lay", problem="it names no cards")


def _is_natural(move: Swap) -> None:
    if move.card.is_joker:
        raise RuleViolation(Reason.CARD_MALFORMED, card=move.card.text)


def _is_held_card(move: Discard) -> None:
    if move.card.index > JOKER.index:
        raise RuleViolation(Reason.CARD_MALFORMED, card=move.card.text)


def _wrong_phase(draft: Draft, move: Move) -> RuleViolation:
    return RuleViolation(Reason.WRONG_PHASE, move=show_move(move), phase=draft.phase.name, due=_DUE[draft.phase])


def _need_phase(draft: Draft, move: Move, phase: Phase) -> None:
    if draft.phase is not phase:
        raise _wrong_phase(draft, move)


def _not_in_rules(draft: Draft, move: Move) -> RuleViolation:
    return RuleViolation(Reason.MOVE_NOT_IN_RULES, rules=draft.rules.family, move=show_move(move).split()[0])


def _draw(draft: Draft, move: Move) -> None:
    _need_phase(draft, move, Phase.DRAW)
    if not draft.alone:
        raise RuleViolation(Reason.DRAW_NOT_ALONE)
    draft.drew = True
    draft.phase = Phase.PLAY


def _take(draft: Draft, move: Take) -> None:
    _need_phase(draft, move, Phase.DRAW)
    rule = draft.rules.pile
    pile = draft.public.piles[rule.own(draft.seat)]
    reach = min(rule.depth, len(pile))
    if not 1 <= move.depth <= reach:
        raise RuleViolation(Reason.TAKE_TOO_DEEP, depth=move.depth, reach=_reach_in_words(reach))
    if rule.joker_blocks and pile[0] is JOKER:
        raise RuleViolation(Reason.ROW_BLOCKED)
    draft.taken = pile[: move.depth]
    draft.hand = CardBag(draft.hand + bag(draft.taken))
    draft.phase = Phase.PLAY
    draft.debts += draft.rules.moves.take.debts(draft, draft.taken[-1])


def _reach_in_words(reach: int) -> str:
    return ("nothing", "only the top card")[reach] if reach < 2 else f"the top {reach} cards"


def _take_turn_up(draft: Draft, move: TakeTurnUp) -> None:
    _need_phase(draft, move, Phase.DRAW)
    rule = draft.rules.moves.take_turn_up
    if rule is None:
        raise _not_in_rules(draft, move)
    card = draft.public.turn_up
    if card is None:
        raise RuleViolation(Reason.TURN_UP_GONE)
    draft.took_turn_up = True
    draft.hand = CardBag(draft.hand + ONE[card.index])
    draft.phase = Phase.PLAY
    draft.debts += rule.debts(draft, card)


def _need_card(draft: Draft, card: Card) -> CardBag:
    if not count(draft.hand, card):
        raise RuleViolation(Reason.CARD_NOT_HELD, card=card.held_as.text)
    return ONE[card.index]


def _need_cards(draft: Draft, cards: tuple[Card, ...]) -> CardBag:
    held = bag(cards)
    if not includes(draft.hand, held):
        # More copies than a bag counts leave nothing to name: any card of them is missing then.
        lacking = (card for card in distinct(held) if not includes(draft.hand, _all_of(held, card)))
        missing = next(lacking, cards[0].held_as)
        raise RuleViolation(Reason.CARD_NOT_HELD, card=missing.text)
    return held


def _all_of(held: CardBag, card: Card) -> CardBag:
    return CardBag(held & 7 * ONE[card.index])


def _put_down(draft: Draft, held: CardBag) -> None:
    draft.hand = CardBag(draft.hand - held)
    draft.spent = CardBag(draft.spent + held)


def _settled(draft: Draft, meld: Meld) -> tuple[list[Debt], list[Debt]]:
    """Return the debts that *meld* settles, each copy one, and those that it leaves."""
    copies = meld.held
    settled: list[Debt] = []
    still: list[Debt] = []
    for debt in draft.debts:
        in_time = debt.due is None or debt.due == draft.step
        if debt.card is not None and in_time and includes(copies, ONE[debt.card.index]):
            copies = CardBag(copies - ONE[debt.card.index])
            settled.append(debt)
        else:
            still.append(debt)
    return settled, still


def _lay(draft: Draft, move: Lay) -> None:
    _need_phase(draft, move, Phase.PLAY)
    held = _need_cards(draft, move.cards)
    rules = draft.rules
    meld = rules.melds.read(move.cards)
    settled, still = _settled(draft, meld)
    rule = rules.moves.lay
    rule.verify(draft, meld, settled)
    if held == draft.hand:
        raise RuleViolation(Reason.NO_CARD_LEFT_TO_DISCARD)
    _put_down(draft, held)
    draft.laid += (meld,)
    draft.melds += (TableMeld(draft.seat, meld),)
    draft.debts = tuple(still)
    draft.debts += tuple([debt for debt in rule.debts(draft, settled) if debt not in still])


def _find_meld(draft: Draft, number: int) -> TableMeld:
    if not 1 <= number <= len(draft.melds):
        raise RuleViolation(Reason.MELD_UNKNOWN, meld=number, melds=_melds_in_words(len(draft.melds)))
    return draft.melds[number - 1]


def _melds_in_words(number: int) -> str:
    return ("there are none", "there is m1 only")[number] if number < 2 else f"there are m1 to m{number}"


def _lay_off(draft: Draft, move: LayOff) -> None:
    _need_phase(draft, move, Phase.PLAY)
    grow = draft.rules.moves.grow
    if grow is None:
        raise _not_in_rules(draft, move)
    held = _need_cards(draft, move.cards)
    target = _find_meld(draft, move.meld)
    grow.verify(draft)
    end, grown = _grown(draft, target.meld, move)
    if held == draft.hand:
        raise RuleViolation(Reason.NO_CARD_LEFT_TO_DISCARD)
    _put_down(draft, held)
    added = grown.cards[: len(move.cards)] if end is End.LOW else grown.cards[-len(move.cards) :]
    draft.grown += (LayOff(move.meld, end if grown.kind is MeldKind.RUN else None, added),)
    _stands(draft, move.meld, TableMeld(target.owner, grown))


def _stands(draft: Draft, number: int, laid: TableMeld) -> None:
    draft.melds = (*draft.melds[: number - 1], laid, *draft.melds[number:])


def _grown(draft: Draft, meld: Meld, move: LayOff) -> tuple[End, Meld]:
    """Return *meld* with the cards of *move* added, and the end of it where they stand."""
    ends = [move.end] if move.end else [End.LOW, End.HIGH]
    if meld.kind is MeldKind.SET:
        ends = [End.HIGH]
    found: list[tuple[End, Meld]] = []
    problem = ""
    for end in ends:
        cards = move.cards + meld.cards if end is End.LOW else meld.cards + move.cards
        try:
            found.append((end, draft.rules.melds.read(cards)))
        except RuleViolation as violation:
            if violation.violation.reason is Reason.JOKER_UNNAMED:
                raise
            problem = str(violation.violation.facts["problem"])
    if len(found) > 1:
        raise RuleViolation(Reason.LAY_OFF_AMBIGUOUS, cards=show_cards(move.cards), meld=move.meld)
    if not found:
        why = _better(draft, meld, move) or problem
        raise RuleViolation(Reason.LAY_OFF_INVALID, cards=show_cards(move.cards), meld=move.meld, problem=why)
    return found[0]


def _better(draft: Draft, meld: Meld, move: LayOff) -> str:
    """Return what would be right where the cards of *move* do not go on *meld* as it says, empty if nothing would."""
    if len(move.cards) == 1 and move.cards[0] in _stood_for(meld):
        return f"a joker stands for it there; swap m{move.meld} {move.cards[0].text} takes the joker's place"
    if meld.kind is MeldKind.RUN and move.end is not None:
        other, cards = (
            ("high", meld.cards + move.cards) if move.end is End.LOW else ("low", move.cards + meld.cards)
        )  # fmt: skip
        if draft.rules.melds.is_meld(cards):
            return f"at the {other} end it would fit"
    return ""


def _stood_for(meld: Meld) -> list[Card]:
    return [card.face for card in meld.cards if card.is_joker]


def _swap(draft: Draft, move: Swap) -> None:
    _need_phase(draft, move, Phase.PLAY)
    grow = draft.rules.moves.grow
    if grow is None:
        raise _not_in_rules(draft, move)
    held = _need_card(draft, move.card)
    target = _find_meld(draft, move.meld)
    grow.verify(draft)
    swapped = _without_joker(draft, target.meld, move.card)
    if swapped is None:
        jokers = show_cards(_stood_for(target.meld))
        whose = f"its jokers stand for {jokers}" if jokers else "it has no joker"
        raise RuleViolation(Reason.JOKER_NOT_SWAPPABLE, meld=move.meld, card=move.card.text, jokers=whose)
    _put_down(draft, held)
    draft.hand = CardBag(draft.hand + ONE[JOKER.index])
    _stands(draft, move.meld, TableMeld(target.owner, swapped))
    draft.debts += (MeldCard(JOKER, Reason.JOKER_NOT_MELDED),)


def _without_joker(draft: Draft, meld: Meld, card: Card) -> Meld | None:
    """Return *meld* with *card* in the place of the joker that stands for it.

    The two jokers of a set of four stand for its two missing suits in either
    order, which the names they carry express: any of the two frees its own.
    """
    for place, standing in enumerate(meld.cards):
        if standing.is_joker and standing.face is card:
            return draft.rules.melds.read((*meld.cards[:place], card, *meld.cards[place + 1 :]))
    return None


def _discard(draft: Draft, move: Discard) -> None:
    _need_phase(draft, move, Phase.PLAY)
    rest = CardBag(draft.hand - _need_card(draft, move.card))
    if not rest and draft.rules.moves.run_to_go_out and not draft.owns_run():
        raise RuleViolation(Reason.NO_RUN_TO_GO_OUT)
    draft.hand = rest
    draft.discarded = move.card
    draft.phase = Phase.OVER


_DUE: Final = {
    Phase.DRAW: "draw or take a card first",
    Phase.PLAY: "no more cards come, and a discard ends the turn",
    Phase.OVER: "the discard before it has ended the turn",
}
"""What may be done in a phase instead of what may not."""

_FORMS: Final[dict[type[Move], Callable[[Any], None] | None]] = {
    Draw: None,
    Take: None,
    TakeTurnUp: None,
    Lay: _has_cards,
    LayOff: _has_cards,
    Swap: _is_natural,
    Discard: _is_held_card,
}
"""What each kind of move must be like before anything else is looked at, None where all are well-formed."""

_STEPS: Final[dict[type[Move], Callable[[Draft, Any], None]]] = {
    Draw: _draw,
    Take: _take,
    TakeTurnUp: _take_turn_up,
    Lay: _lay,
    LayOff: _lay_off,
    Swap: _swap,
    Discard: _discard,
}
"""How each kind of move is made; a step takes the move that it is listed under."""
