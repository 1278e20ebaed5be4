"""The fold: how each entry changes the state of a table, and what is told of it.

The referee folds entries as it makes them, a restart folds those it finds, an
audit those of a file: one function decides for all three.
"""

from typing import Final, NamedTuple

from engine.clock import PROFILES, ClockProfile
from engine.events import Event, SeatPresence
from engine.match import Match, apply, start
from engine.moves import Play
from engine.reasons import Reason, RuleViolation
from engine.record.entries import (
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Forfeited,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    StoodIn,
    Void,
)  # fmt: skip
from engine.record.fields import EntryError
from engine.rules.options import OptionError
from engine.rules.position import Phase
from engine.rules.registry import rule_set
from engine.shuffle import SeededDealing
from engine.stand_in import STAND_INS
from engine.verify import verify

REFUSALS_A_DECISION: Final = 20
"""Refusals of one decision after which the stand-in answers it."""

FOR_GOOD: Final = frozenset({Cause.STRIKES, Cause.NEVER_CAME})
"""Causes that forfeit not only the round in play but the rest of the match."""


class TableState(NamedTuple):
    """A match with all that a table keeps beside the rules. Audience: the referee.

    Attributes:
        header: What the match is.
        match: The match.
        clock: The clock profile.
        banks_us: Time left in each seat's bank.
        present: Whether each seat's player is there.
        decision: Number of the decision that is open; refusals do not move it.
        refusals: Refusals of the open decision so far.
        faults: Seat and cause of every turn that the stand-in had to play, in order.
        forfeits: Rounds forfeited, in order.
    """

    header: Header
    match: Match
    clock: ClockProfile
    banks_us: tuple[int, ...]
    present: tuple[bool, ...]
    decision: int
    refusals: int
    faults: tuple[tuple[int, Cause], ...]
    forfeits: tuple[Forfeited, ...]

    @property
    def turn(self) -> int | None:
        """Seat to act, None once the match is over."""
        return self.match.turn

    def forfeited(self, seat: int) -> bool:
        """Return whether *seat* has forfeited the round in play."""
        return any(
            lost.seat == seat and (lost.round == self.match.public.index or lost.cause in FOR_GOOD)
            for lost in self.forfeits
        )

    def result(self) -> Result:
        """Return the entry that ends the match.

        Raises:
            ValueError: The match goes on.
        """
        if self.match.over is None:
            raise ValueError("the match goes on")
        points = tuple(played.points for played in self.match.history)
        return Result(points, self.match.over.totals, self.match.over.winners, self.forfeits, self.faults)


def begin(header: Header, dealing: SeededDealing) -> tuple[TableState, list[Event]]:
    """Return the state after the deal: the first round is dealt.

    Raises:
        EntryError: Unknown rules, options, clock or stand-in.
    """
    try:
        rules = rule_set(header.preset, header.options, version=header.rules_version)
    except OptionError as wrong:
        raise EntryError(str(wrong)) from wrong
    if header.clock not in PROFILES:
        raise EntryError(f"unknown clock profile {header.clock}")
    if header.stand_in not in STAND_INS:
        raise EntryError(f"unknown stand-in {header.stand_in}")
    if len(header.seats) != rules.players:
        raise EntryError(f"{len(header.seats)} seats for {rules.players} players")
    match, events = start(rules, dealing)
    clock, players = PROFILES[header.clock], rules.players
    state = TableState(
        header, match, clock, (clock.bank_us,) * players, (True,) * players, 1, 0, (), ()
    )  # fmt: skip
    return state, events


def fold(state: TableState, entry: Entry) -> tuple[TableState, list[Event]]:
    """Return the state after *entry* and what is told of it, in order.

    Raises:
        RuleViolation: A play in it is not legal now.
        EntryError: It cannot follow this state.
    """
    match entry:
        case Played(seat, play, used_us):
            match_after, events = apply(state.match, seat, play)
            return _answered(state, match_after, seat, used_us), events
        case Refusal():
            return state._replace(refusals=state.refusals + 1), []
        case StoodIn(seat, plays, cause, used_us):
            match_after, events = state.match, []
            for play in plays:
                match_after, told = apply(match_after, seat, play, stand_in=True)
                events += told
            after = _answered(state, match_after, seat, used_us)
            return _struck(after, seat, cause), events
        case Presence(seat, present):
            flags = (*state.present[:seat], present, *state.present[seat + 1 :])
            return state._replace(present=flags, decision=state.decision), [SeatPresence(seat, present)]
        case Forfeit(seat, cause):
            return state._replace(forfeits=(*state.forfeits, Forfeited(state.match.public.index, seat, cause))), []
        case Result():
            if entry != state.result():
                raise EntryError("the result is not that of the match")
            return state, []
        case Void():
            return state, []
        case Header() | Hashes() | Dealt() | Reveal():
            raise EntryError("a match has one header, one deal and one reveal")


def finish_turn(state: TableState) -> tuple[Play, ...]:
    """Return the plays with which the stand-in finishes the turn that is open.

    Raises:
        ValueError: The match is over.
    """
    seat = state.turn
    if seat is None:
        raise ValueError("the match is over")
    stand_in = STAND_INS[state.header.stand_in]
    match, plays = state.match, list[Play]()
    while True:
        play = stand_in(match.round.position(seat))
        plays.append(play)
        before = match.round.public
        match, _ = apply(match, seat, play, stand_in=True)
        public = match.round.public
        same_turn = match.over is None and public.index == before.index and public.turn == seat
        if not (same_turn and before.phase is Phase.DRAW and public.phase is Phase.PLAY):
            return tuple(plays)


def refusal_of(state: TableState, seat: int, play: Play) -> RuleViolation | None:
    """Return the refusal of *play*, None if it would be accepted."""
    if state.match.over is not None:
        return RuleViolation(Reason.MATCH_OVER)
    try:
        verify(state.match.round.position(seat), play)
    except RuleViolation as refused:
        return refused
    return None


def _answered(state: TableState, match: Match, seat: int, used_us: int) -> TableState:
    banks = state.banks_us
    if state.clock.timed:
        left = state.clock.charged_us(banks[seat], used_us)
        banks = (*banks[:seat], left, *banks[seat + 1 :])
    return TableState(
        state.header, match, state.clock, banks, state.present, state.decision + 1, 0, state.faults, state.forfeits
    )  # fmt: skip


def _struck(state: TableState, seat: int, cause: Cause) -> TableState:
    """Count a fault; the strikes of a ladder's table forfeit the rest of the match."""
    if state.forfeited(seat) or cause not in (Cause.TIME_OUT, Cause.ILLEGAL):
        return state
    faults = (*state.faults, (seat, cause))
    state = state._replace(faults=faults)
    limit = state.header.strikes
    if limit and sum(who == seat for who, _ in faults) >= limit:
        lost = Forfeited(state.match.public.index, seat, Cause.STRIKES)
        state = state._replace(forfeits=(*state.forfeits, lost))
    return state
