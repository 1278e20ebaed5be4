"""Conduct: what a record says of how one seat behaved."""

import pytest

from engine.moves import DRAW
from engine.notation import parse_play
from engine.reasons import Reason
from engine.record.conduct import Conduct, conduct
from engine.record.entries import Cause, Entry, Forfeit, Played, Presence, Refusal, StoodIn

THROWN = parse_play("discard 2C")
RECORD: list[Entry] = [
    Played(0, DRAW, 1_000),
    Refusal(0, None, Reason.CARD_MALFORMED),
    Refusal(0, THROWN, Reason.CARD_NOT_HELD, 2),
    Played(0, THROWN, 5_000, 3),
    StoodIn(1, (DRAW, THROWN), Cause.TIME_OUT, 2_000_000),
    Presence(1, present=False),
    StoodIn(1, (DRAW, THROWN), Cause.STRIKES, 0),
    Forfeit(1, Cause.CRASHED),
]


def test_a_seat_is_judged_by_its_own_entries() -> None:
    """Plays with their times, refusals, and what the stand-in had to do, each in order."""
    assert conduct(RECORD, 0) == Conduct(
        (DRAW, THROWN), (1_000, 5_000), (Reason.CARD_MALFORMED, Reason.CARD_NOT_HELD), ()
    )


def test_what_follows_from_a_fault_is_not_counted_again() -> None:
    """The stand-in that plays on after three strikes is no further fault."""
    assert conduct(RECORD, 1) == Conduct(faults=(Cause.TIME_OUT, Cause.CRASHED))


def test_only_who_has_played_and_was_never_stood_in_for_is_clean() -> None:
    """Refusals alone are no fault; having done nothing is no proof."""
    assert conduct(RECORD, 0).is_clean
    assert not conduct(RECORD, 1).is_clean
    assert not (conduct(RECORD, 0) + conduct(RECORD, 1)).is_clean
    assert not Conduct().is_clean


@pytest.mark.parametrize(("percent", "used"), [(1, 2), (50, 100), (95, 190), (99, 198), (100, 200)])
def test_times_are_told_by_percent(percent: int, used: int) -> None:
    """Nearest rank of two hundred plays, in whatever order they were made."""
    assert Conduct(used_us=tuple(range(200, 0, -1))).used_at(percent) == used
    assert Conduct(used_us=(7,)).used_at(percent) == 7
    assert Conduct().used_at(percent) == 0
