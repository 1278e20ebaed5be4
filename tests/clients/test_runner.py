"""The runner: one bot a seat, tries again where that can help, and the runners that misbehave."""

import os
from collections.abc import Iterator

import pytest

from clients.bots.faulty.answers import Illegal
from clients.bots.faulty.catalogue import FAULTY
from clients.bots.faulty.crash import MidMatch
from clients.bots.faulty.times import Late, Silent
from clients.bots.greedy import GreedyBot
from clients.bots.registry import BOTS
from clients.bots.runner import Runner
from clients.messages import Noticed
from engine.reasons import Reason, RuleViolation, Violation
from engine.verify import can, verify
from tests.cli.command import rummyref
from tests.clients.playing import MADE, OFFERS, OVER, SEATED, VIEW, LastOffer, Scripted, asked, refused


@pytest.fixture(autouse=True)
def made() -> Iterator[None]:
    """Forget the bots of other tests."""
    MADE.clear()
    yield
    MADE.clear()


def test_a_decision_is_answered_with_the_bots_play() -> None:
    """Offers are found here where the referee sent none, and are the referee's where it did."""
    session = Scripted([SEATED, asked(1), asked(2, OFFERS[:1])])
    Runner(session, LastOffer).run()
    assert session.submitted == [(1, 1, OFFERS[-1]), (2, 1, OFFERS[0])]


def test_the_bot_learns_of_a_refusal_and_is_asked_again() -> None:
    """Each try has the next number; after three the first offer is sent, which is always accepted."""
    session = Scripted([SEATED, asked(1), *(refused(1, attempt) for attempt in (1, 2, 3))])
    Runner(session, LastOffer).run()
    assert session.submitted == [(1, 1, OFFERS[-1]), (1, 2, OFFERS[-1]), (1, 3, OFFERS[-1]), (1, 4, OFFERS[0])]
    assert MADE[0].told == [Violation(Reason.DRAW_NOT_ALONE)] * 3


@pytest.mark.parametrize("reason", [Reason.DECISION_STALE, Reason.MATCH_OVER, Reason.NOT_YOUR_TURN])
def test_what_comes_too_late_is_not_tried_again(reason: Reason) -> None:
    """A refusal that another try cannot mend ends the matter."""
    session = Scripted([SEATED, asked(1), refused(1, 1, reason)])
    Runner(session, LastOffer).run()
    assert len(session.submitted) == 1
    assert MADE[0].told == []


@pytest.mark.parametrize("old", [refused(1, 1), refused(2, 2)])
def test_refusals_of_something_else_are_passed_over(old: object) -> None:
    """Only the last try of the open decision counts."""
    session = Scripted([SEATED, asked(1), asked(2), old])  # type: ignore[list-item]
    Runner(session, LastOffer).run()
    assert [decision for decision, _, _ in session.submitted] == [1, 2]


def test_a_seat_keeps_its_bot_through_a_broken_connection() -> None:
    """Seated again in the same match the bot that sits there goes on."""
    Runner(Scripted([SEATED, SEATED, asked(1)]), LastOffer).run()
    assert len(MADE) == 1


def test_a_seat_gets_a_new_bot_for_a_new_match() -> None:
    """Nothing is carried over from one match to the next."""
    assert Runner(Scripted([SEATED, OVER, SEATED, OVER]), LastOffer).run() == 2
    assert len(MADE) == 2


@pytest.mark.parametrize(("given", "used"), [(None, 7), (0, 0), (5, 5)])
def test_a_bot_has_the_seed_of_its_deal_unless_told_another(given: int | None, used: int) -> None:
    """A given seed replaces the referee's, 0 too."""
    Runner(Scripted([SEATED]), LastOffer, given).run()
    assert MADE[0].seed == used


def test_enough_matches_close_the_session() -> None:
    """After as many matches as were asked for."""
    session = Scripted([SEATED, OVER])
    assert Runner(session, LastOffer).run(matches=1) == 1
    assert session.is_closed


def test_notices_reach_people(capsys: pytest.CaptureFixture[str]) -> None:
    """One line on stderr."""
    Runner(Scripted([Noticed("SEAT_MOVED", "elsewhere")]), LastOffer).run()
    assert capsys.readouterr().err == "referee: SEAT_MOVED: elsewhere\n"


@pytest.mark.parametrize("name", BOTS)
def test_every_fair_bot_plays_legally(name: str) -> None:
    """What it submits is accepted."""
    session = Scripted([SEATED, asked(1)])
    Runner(session, BOTS[name]).run()
    ((_, _, play),) = session.submitted
    assert can(VIEW.position, play)


def test_no_bot_has_the_name_of_another() -> None:
    """A name means one bot."""
    assert not set(BOTS) & set(FAULTY)


def test_silent_never_answers() -> None:
    """It is asked, and says nothing."""
    session = Scripted([SEATED, asked(1), asked(2)])
    Silent(session, GreedyBot).run()
    assert session.submitted == []


def test_illegal_is_never_legal() -> None:
    """Every try is refused, and it goes on trying."""
    session = Scripted([SEATED, asked(1), *(refused(1, attempt) for attempt in range(1, 9))])
    Illegal(session, GreedyBot).run()
    assert [attempt for _, attempt, _ in session.submitted] == list(range(1, 10))
    for _, _, play in session.submitted:
        with pytest.raises(RuleViolation):
            verify(VIEW.position, play)


def test_late_answers_after_its_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits a little longer than it may; without a clock it cannot be late."""
    waits = []

    class AtOnce:
        """A timer that has run out as soon as it starts."""

        daemon = False

        def __init__(self, after_s: float, call: object, arguments: tuple[object, ...]) -> None:
            waits.append(after_s)
            self.call, self.arguments = call, arguments

        def start(self) -> None:
            self.call(*self.arguments)  # type: ignore[operator]

    monkeypatch.setattr("clients.bots.faulty.times.threading.Timer", AtOnce)
    session = Scripted([SEATED, asked(1, allowance_s=2.0), asked(2)])
    Late(session, GreedyBot).run()
    assert [decision for decision, _, _ in session.submitted] == [1, 2]
    assert len(waits) == 1
    assert waits[0] > 2.0


def test_crash_ends_at_its_nth_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit code 1, before it answers."""

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setenv("RUMMYREF_CRASH_AT", "3")
    session = Scripted([SEATED, *map(asked, range(1, 6))])
    with pytest.raises(SystemExit) as ended:
        MidMatch(session, GreedyBot).run()
    assert ended.value.code == 1
    assert [decision for decision, _, _ in session.submitted] == [1, 2]


def test_bots_that_misbehave_are_listed_with_their_outcome() -> None:
    """One line each: what the catalogue says."""
    lines = rummyref("bot", "list", "--misbehaving").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(FAULTY)
    assert "silent                   strikes: time_out" in lines
