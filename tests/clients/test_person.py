"""A person at a terminal, with a session whose messages the test has written."""

from collections.abc import Iterable

import pytest

from clients.cli.person import Person
from clients.messages import Answered, Incoming
from engine.moves import DRAW
from engine.reasons import Reason
from tests.clients.playing import OVER, SEAT, SEATED, Scripted, asked, refused


def play(script: Iterable[Incoming], typed: list[str]) -> Scripted:
    """Let a person type *typed* while the referee says *script*; more questions than lines are the test's failure."""
    session, lines = Scripted(script), iter(typed)
    Person(session, read=lambda _: next(lines)).play()
    assert list(lines) == []
    return session


def accepted(decision: int) -> Answered:
    """Return the acceptance of a first try."""
    return Answered(SEAT, decision, 1, None, "", ())


def test_a_refused_play_may_be_tried_again() -> None:
    """The next try has the next number."""
    session = play([SEATED, asked(1), refused(1, 1), accepted(1), OVER], ["draw", "draw"])
    assert session.submitted == [(1, 1, DRAW), (1, 2, DRAW)]
    assert session.is_closed


@pytest.mark.parametrize("reason", [Reason.DECISION_STALE, Reason.NOT_YOUR_TURN, Reason.MATCH_OVER])
def test_who_was_too_late_is_asked_nothing_but_the_next_decision(
    reason: Reason, capsys: pytest.CaptureFixture[str]
) -> None:
    """A play sent behind the stand-in's has no other try, whether the next decision is known by then or not."""
    session = play(
        [
            SEATED,
            asked(1),
            asked(2),
            refused(1, 1, reason),
            accepted(2),
            asked(3),
            refused(3, 1, reason),
            asked(4),
            OVER,
        ],
        ["draw"] * 4,
    )
    assert session.submitted == [(decision, 1, DRAW) for decision in (1, 2, 3, 4)]
    assert capsys.readouterr().out.count("(too late: no)") == 2


def test_an_answer_to_an_earlier_decision_is_no_answer_to_this_one() -> None:
    """Whatever the reason: what has been sent for the newer decision waits for its own answer."""
    session = play([SEATED, asked(1), asked(2), refused(1, 1), accepted(2), OVER], ["draw"] * 2)
    assert session.submitted == [(1, 1, DRAW), (2, 1, DRAW)]
