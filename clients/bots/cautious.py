"""Greedy, with an eye on what can still come and on what others could make of a discard."""

from typing import Final, NamedTuple

from clients.bots.base import Bot
from clients.bots.counting import towards_closing
from clients.bots.seen import unseen_copies
from clients.bots.suits import evenly
from engine.arrange.queries import RUN_LACKING, RUN_WEIGHT, SET_LACKING, SET_WEIGHT
from engine.cards import Card, CardBag, size
from engine.compose import begun
from engine.moves import Discard, Lay, Play
from engine.rules.position import Draft, Position
from engine.stand_in import greedy
from engine.verify import can
from engine.views import SeatView

_GIFT_POINTS: Final = 10
"""What a meld given to one of the others weighs, parted by their number, against deadwood."""


class _Rival(NamedTuple):
    """A seat that comes to move while the next discard can be reached.

    Attributes:
        known: Cards that it is known to hold.
        chance: How likely it holds a given unseen copy of a card.
    """

    known: CardBag
    chance: float

    def holds(self, index: int, unseen: int) -> float:
        """Return how likely it holds the card of *index*, of which *unseen* copies are somewhere."""
        return 1.0 if self.known >> 4 * index & 7 else min(self.chance * unseen, 1.0)


class CautiousBot(Bot):
    """Plays as the greedy bot does, but chooses the discard by what has been seen."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:  # noqa: ARG002 - finds its own
        """Return the greedy play, its discard chosen with care where the round goes on."""
        return evenly(_careful, view.position)


def _careful(position: Position) -> Play:
    play = greedy(position)
    moves = play.moves[:-1]
    if position.rules.pile.row_per_seat:
        return play if any(isinstance(move, Lay) for move in moves) else towards_closing(position)
    start = begun(position, moves) if isinstance(play.moves[-1], Discard) else None
    if start is None or size(start.draft.hand) == 1:
        return play
    chosen = Play((*moves, Discard(_discard(start.draft))))
    return chosen if can(position, chosen) else play


def _discard(draft: Draft) -> Card:
    """Return the discard that costs least: deadwood, near melds that may still come, gifts to others."""
    rules, unseen = draft.rules, unseen_copies(draft)
    rivals = _rivals(draft, sum(unseen))
    left = rules.arranger.left_without(draft.hand, has_run=draft.owns_run())
    gift_points = _GIFT_POINTS / (rules.players - 1)

    def mark(card: Card) -> tuple[float, int, int]:
        hope, gift = (0.0, 0.0) if card.is_joker else _prospects(draft, card, unseen, rivals)
        return left[card] + hope + gift_points * gift, -rules.points.cost(card), card.index

    return min(left, key=mark)


def _rivals(draft: Draft, unseen: int) -> list[_Rival]:
    """Return the seats that may take the next discard, of *unseen* cards somewhere."""
    rules, public = draft.rules, draft.public
    rivals = []
    for step in range(1, min(rules.pile.depth, rules.players - 1) + 1):
        seat = (draft.seat + step) % rules.players
        known = public.known[seat]
        rivals.append(_Rival(known, max(public.hand_sizes[seat] - size(known), 0) / max(unseen, 1)))
    return rivals


def _prospects(draft: Draft, card: Card, unseen: list[int], rivals: list[_Rival]) -> tuple[float, float]:
    """Return what the near melds given up with *card* weigh, and how many melds it is likely to make for others."""
    rules = draft.rules
    lacking = rules.moves.run_to_go_out and not draft.owns_run()
    run_weight, set_weight = (RUN_LACKING, SET_LACKING) if lacking else (RUN_WEIGHT, SET_WEIGHT)
    hope = gift = 0.0
    for first, second, is_run in rules.arranger.partners.pairs[card.index]:
        weight = run_weight if is_run else set_weight
        for held, coming in ((first, second), (second, first)):
            if draft.hand >> 4 * held & 7 and unseen[coming]:
                hope += weight
        for rival in rivals:
            gift += rival.holds(first, unseen[first]) * rival.holds(second, unseen[second])
    return hope, gift
