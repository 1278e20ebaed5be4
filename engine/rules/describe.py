"""The rules in words, made from the rule set: for people, for the wire, for the docs."""

from typing import NamedTuple

from engine.rules.ruleset import LONGEST_MATCH, RuleSet, ScoreSense


class Section(NamedTuple):
    """A part of the rules.

    Attributes:
        title: What it is about.
        lines: Sentences, in order.
    """

    title: str
    lines: tuple[str, ...]


def describe(rules: RuleSet) -> tuple[Section, ...]:
    """Return the rules of a table in words."""
    return (
        Section("Deck and deal", _deal(rules)),
        Section("Melds", _melds(rules)),
        Section("Card values", _values(rules)),
        Section("Moves and what they oblige to", _moves(rules)),
        Section("Scoring", rules.scoring.about),
        Section("End of round and match", _ends(rules)),
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _deal(rules: RuleSet) -> tuple[str, ...]:
    deck, deal = rules.deck, rules.deal
    cards = 52 * deck.packs + deck.jokers
    jokers = f" and {_count(deck.jokers, 'joker')}" if deck.jokers else ", no jokers"
    lines = [
        f"{_count(deck.packs, 'pack')} of 52 cards{jokers}: {cards} cards; {_count(rules.players, 'seat')}.",
        f"{deal.hand_size} cards each" + (
            f", {deal.hand_size + deal.starter_extra} for the seat that acts first, which does not draw then."
            if deal.starter_extra
            else "."
        ),
    ]  # fmt: skip
    if deal.turn_up:
        lines.append("One more card is turned up beside the stock.")
    lines.append("The first dealer is drawn for by high card." if deal.dealer_by_draw else "Seat 0 deals first.")
    return (*lines, rules.dealers.about)


def _melds(rules: RuleSet) -> tuple[str, ...]:
    runs, sets = rules.melds.runs, rules.melds.sets
    stretches = " or of ".join(" ".join(sequence) for sequence in runs.sequences)
    lines = [f"A run is a stretch of {stretches}, of one suit, with 3 to {runs.max_length} cards."]
    if runs.max_jokers:
        touching = "" if runs.jokers_may_touch or runs.max_jokers == 1 else ", no two side by side"
        lines.append(f"A run has at most {_count(runs.max_jokers, 'joker')}{touching}.")
    lines.append("A set is 3 or 4 cards of one rank, suits all different.")
    if any(most for _, most in sets.max_jokers):
        most = "; ".join(f"{number} of {size} cards" for size, number in sets.max_jokers)
        lines.append(f"Jokers in a set, at most: {most}.")
    if sets.name_jokers:
        lines.append("A joker that could stand for several cards must be named, as in JK=8C.")
    return tuple(lines)


def _values(rules: RuleSet) -> tuple[str, ...]:
    points = rules.points
    laid = ", ".join(f"{rank} {value}" for rank, value in sorted(points.laid.items(), key=_by_rank))
    left = ", ".join(f"{rank} {value}" for rank, value in sorted(points.left.items(), key=_by_rank))
    lines = [f"In a meld: {laid}.", f"Left over: {left}."]
    if points.low_ace or points.high_ace:
        lines.append(f"An ace counts {points.low_ace} at the low end of a run and {points.high_ace} at the high end.")
    if rules.deck.jokers:
        worth = "the card it stands for" if points.laid_joker is None else str(points.laid_joker)
        lines.append(f"A joker in a meld counts {worth}; left over it costs {points.left_joker}.")
    return tuple(lines)


def _by_rank(item: tuple[str, int]) -> int:
    return "A23456789TJQK".index(item[0])


def _moves(rules: RuleSet) -> tuple[str, ...]:
    moves, pile = rules.moves, rules.pile
    reach = "the top card" if pile.depth == 1 else f"one of the top {pile.depth} cards"
    where = "of one's own row, which the right neighbour feeds" if pile.row_per_seat else "of the discard pile"
    blocked = " A joker on top blocks the row." if pile.joker_blocks else ""
    lines = [
        "draw: the top of the stock.",
        f"take: {reach} {where}.{blocked} {moves.take.about}",
        f"lay: {moves.lay.about}",
    ]
    if moves.take_turn_up is not None:
        lines.append(f"take-turn-up: {moves.take_turn_up.about}")
    if moves.grow is not None:
        lines.append(f"lay-off and swap: {moves.grow.about}")
    needs = " A run of one's own must be on the table." if moves.run_to_go_out else ""
    lines.append(f"discard: ends the turn; with the last card the seat goes out.{needs}")
    return tuple(lines)


def _ends(rules: RuleSet) -> tuple[str, ...]:
    stock, length = rules.stock, rules.length
    lines = ["A round ends when a seat goes out."]
    if stock.reshuffles:
        lines.append(
            "When the stock is empty the discards below the top are shuffled into a new one; "
            f"the round ends without a winner when there are none, or after {stock.idle_limit} such reshuffles "
            "with no card going to the table."
        )
    elif stock.ends_round_at_once:
        lines.append("It also ends with the turn in which the last card of the stock was drawn.")
    else:
        lines.append("It also ends when a seat draws from the empty stock.")
    if stock.stall_orbits:
        lines.append(f"It also ends after {_count(stock.stall_orbits, 'orbit')} of turns without a draw.")
    longest = _count(length.rounds or LONGEST_MATCH, "round")
    lines.append(f"The match ends after {longest}{'' if length.rounds else ' at the latest'}.")
    if length.target:
        lines.append(f"It ends when a total reaches {length.target} or falls to {-length.target}.")
    if length.limit:
        lines.append(f"It ends when a total is above {length.limit}; a total of {length.limit} does not end it.")
    sense = "highest" if rules.sense is ScoreSense.HIGH_WINS else "lowest"
    extra = f"; while it is tied up to {length.extra_rounds} more rounds are played" if length.extra_rounds else ""
    return (*lines, f"The {sense} total wins{extra}; equal totals share the win.")
