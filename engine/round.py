"""A round: the public state with the hidden hands and stock, and how plays change it."""

from typing import NamedTuple

from engine.cards import EMPTY, ONE, CardBag, bag, overlap, size
from engine.events import CardDrawn, Event, PlayMade, RoundDealt, StockReshuffled, YouDrew, YouWereDealt
from engine.moves import Lay, LayOff, Move, Play
from engine.rules.position import Draft, Phase, Position, PublicRound, RoundEnd
from engine.rules.ruleset import EndedRound, RuleSet
from engine.shuffle import Dealing
from engine.stock import Stock
from engine.verify import verify


class Round(NamedTuple):
    """A round in play. Audience: the referee alone; views are made from it by white list.

    Attributes:
        rules: Rule set of the table.
        public: What anybody may know.
        hands: Cards held, per seat.
        stock: The stock.
        twin: Seat that was dealt a copy of the turn-up, None if none was.
    """

    rules: RuleSet
    public: PublicRound
    hands: tuple[CardBag, ...]
    stock: Stock
    twin: int | None

    def position(self, seat: int) -> Position:
        """Return what *seat* knows."""
        return Position(self.rules, self.public, seat, self.hands[seat])

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.public.end is not None

    def ended(self) -> EndedRound:
        """Return what scoring reads."""
        return EndedRound(self.public, self.hands, self.twin)


def deal(rules: RuleSet, dealing: Dealing, index: int, dealer: int) -> tuple[Round, list[Event]]:
    """Deal round *index*: one card at a time from the starter on, then the turn-up.

    The starter's extra card, where there is one, comes after all hands.
    """
    players, spec = rules.players, rules.deal
    deck = dealing.deck(rules.deck, index)
    dealt = spec.hand_size * players
    hands = [EMPTY] * players
    for step in range(players):
        hands[(dealer + step) % players] = bag(deck[step:dealt:players])
    extra = deck[dealt : dealt + spec.starter_extra]
    hands[dealer] = CardBag(hands[dealer] + bag(extra))
    dealt += spec.starter_extra
    turn_up = deck[dealt] if spec.turn_up else None
    dealt += spec.turn_up
    first = (dealer + 1) % players if spec.starter_extra and rules.version == 1 else dealer
    streams = players if rules.options["draw_streams"] else 1
    stock = Stock.of(deck[dealt:], first, streams)
    public = PublicRound(
        index=index,
        players=players,
        dealer=dealer,
        starter=dealer,
        turn=dealer,
        phase=Phase.PLAY if spec.starter_extra else Phase.DRAW,
        piles=((),) * (players if rules.pile.row_per_seat else 1),
        melds=(),
        opened=(False,) * players,
        hand_sizes=tuple(size(hand) for hand in hands),
        known=(EMPTY,) * players,
        stock_size=stock.size,
        turn_up=turn_up,
        dealt_turn_up=turn_up,
    )
    twin = None
    if turn_up is not None:
        twin = next((seat for seat, hand in enumerate(hands) if overlap(hand, ONE[turn_up.index])), None)
    events: list[Event] = [RoundDealt(index, dealer, dealer, public.hand_sizes, stock.size, turn_up)]
    events += [YouWereDealt(seat, hand, seat == twin) for seat, hand in enumerate(hands)]
    return Round(rules, public, tuple(hands), stock, twin), events


def play_in(
    state: Round, dealing: Dealing, seat: int, play: Play, *, stand_in: bool = False
) -> tuple[Round, list[Event]]:
    """Return the round after *play* of *seat*, and what is told of it.

    Raises:
        RuleViolation: The play is refused; *state* is as before.
    """
    draft = verify(state.position(seat), play)
    if draft.drew:
        return _drawn(state, dealing, seat)
    after = _played(state, draft)
    return after, [PlayMade(seat, _with_names(draft, play), stand_in)]


def _drawn(state: Round, dealing: Dealing, seat: int) -> tuple[Round, list[Event]]:
    events: list[Event] = []
    if not state.public.stock_size:
        pile = state.public.piles[0]
        rule = state.rules.stock
        if not rule.reshuffles or len(pile) < 2 or state.public.idle_reshuffles >= rule.idle_limit:
            return state._replace(public=state.public._replace(phase=Phase.OVER, end=RoundEnd.STOCK_EMPTY)), []
        state = _reshuffled(state, dealing, seat)
        events.append(StockReshuffled(state.public.stock_size))
    card, stock = state.stock.draw(seat)
    public = _with_one_drawn(state.public, seat)
    events += [CardDrawn(seat, public.stock_size), YouDrew(seat, card)]
    hands = state.hands
    hand = CardBag(hands[seat] + ONE[card.index])
    return Round(state.rules, public, (*hands[:seat], hand, *hands[seat + 1 :]), stock, state.twin), events


def _with_one_drawn(public: PublicRound, seat: int) -> PublicRound:
    sizes, drew = public.hand_sizes, True
    # Every turn makes two rounds of twenty-two fields: in their order that takes half the time that it takes by name.
    return PublicRound(
        public.index, public.players, public.dealer, public.starter, public.turn,
        Phase.PLAY,
        public.piles, public.melds, public.opened,
        (*sizes[:seat], sizes[seat] + 1, *sizes[seat + 1 :]),
        public.known,
        public.stock_size - 1,
        public.turn_up, public.dealt_turn_up,
        drew,
        public.dry_turns, public.reshuffles, public.idle_reshuffles,
        public.closer, public.closing_card, public.closed_unopened, public.end,
    )  # fmt: skip


def _reshuffled(state: Round, dealing: Dealing, seat: int) -> Round:
    public = state.public
    top, *rest = public.piles[0]
    cards = dealing.reshuffle(rest, public.index, public.reshuffles)
    public = public._replace(
        piles=((top,),),
        stock_size=len(cards),
        reshuffles=public.reshuffles + 1,
        idle_reshuffles=public.idle_reshuffles + 1,
    )
    return state._replace(public=public, stock=Stock.of(cards, seat, state.stock.streams))


def _played(state: Round, draft: Draft) -> Round:
    """Return the round after the finished play of *draft*, turn passed or round ended."""
    rules, public, seat = state.rules, state.public, draft.seat
    players = public.players
    card = draft.discarded
    if card is None:
        raise AssertionError("a verified play without a draw ends in a discard")
    piles = list(public.piles)
    if draft.taken:
        own = rules.pile.own(seat)
        piles[own] = piles[own][len(draft.taken) :]
    fed = rules.pile.fed(seat, players)
    piles[fed] = (card, *piles[fed])
    sizes, hands, spent = public.hand_sizes, state.hands, draft.spent
    held = size(draft.hand) if spent or draft.taken or draft.took_turn_up else sizes[seat] - 1
    drew, dry_turns = False, 0 if public.drew else public.dry_turns + (public.phase is Phase.DRAW)
    end = _end(rules, public, dry_turns) if draft.hand else RoundEnd.WENT_OUT
    went_out = end is RoundEnd.WENT_OUT
    after = PublicRound(
        public.index, players, public.dealer, public.starter,
        seat if end else (seat + 1) % players,
        Phase.OVER if end else Phase.DRAW,
        tuple(piles),
        draft.melds if spent else public.melds,
        _set(public.opened, seat, value=True) if draft.laid else public.opened,
        (*sizes[:seat], held, *sizes[seat + 1 :]),
        _known_after(public.known, draft),
        public.stock_size,
        None if draft.took_turn_up else public.turn_up,
        public.dealt_turn_up,
        drew, dry_turns, public.reshuffles,
        0 if spent else public.idle_reshuffles,
        seat if went_out else None,
        card if went_out else None,
        went_out and not public.opened[seat],
        end,
    )  # fmt: skip
    return Round(rules, after, (*hands[:seat], draft.hand, *hands[seat + 1 :]), state.stock, state.twin)


def _end(rules: RuleSet, public: PublicRound, dry_turns: int) -> RoundEnd | None:
    """Return why the round ends with a turn in which nobody went out, None if it goes on."""
    if rules.stock.ends_round_at_once and not public.stock_size:
        return RoundEnd.STOCK_EMPTY
    orbits = rules.stock.stall_orbits
    return RoundEnd.STALLED if orbits and dry_turns >= orbits * public.players else None


def _set(flags: tuple[bool, ...], seat: int, *, value: bool) -> tuple[bool, ...]:
    return (*flags[:seat], value, *flags[seat + 1 :])


def _known_after(known: tuple[CardBag, ...], draft: Draft) -> tuple[CardBag, ...]:
    """Return the cards known to be in hands after the play of *draft*."""
    seat = draft.seat
    if not (known[seat] or draft.taken or draft.took_turn_up):
        return known
    gained = bag(draft.taken)
    if draft.took_turn_up and draft.public.turn_up:
        gained = CardBag(gained + ONE[draft.public.turn_up.index])
    held = CardBag(known[seat] + gained)
    gone = CardBag(draft.spent + (ONE[draft.discarded.index] if draft.discarded else EMPTY))
    return (*known[:seat], CardBag(held - overlap(held, gone)), *known[seat + 1 :])


def _with_names(draft: Draft, play: Play) -> Play:
    """Return *play* with the jokers that it put down named and the ends of runs told, as the table shows them."""
    if not draft.laid and not draft.grown:
        return play
    laid, grown = iter(draft.laid), iter(draft.grown)
    moves: list[Move] = []
    for move in play.moves:
        match move:
            case Lay():
                moves.append(Lay(next(laid).cards))
            case LayOff():
                moves.append(next(grown))
            case _:
                moves.append(move)
    return Play(tuple(moves))
