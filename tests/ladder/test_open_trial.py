"""Trials in a ladder that bots attend by themselves: nobody is ranked who has not passed."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.bots.faulty.answers import Illegal
from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import RawSession, SessionError, Wishes
from clients.session.office import EntrantLine, LadderWish, Office, Standings
from referee.accounts import TOKEN_FILE
from tests.referee.process import RefereeProcess

WITHIN_S = 60.0
LADDER = "open"


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[RefereeProcess]:
    """A referee of this test alone."""
    process = RefereeProcess(tmp_path)
    yield process
    assert process.stop() == 0


def until(watch: Iterator[Standings], part: str) -> None:
    """Return once the notes of the standings have *part*."""
    next(standings for standings in watch if any(part in note for note in standings.notes))


def entrant(office: Office, name: str) -> EntrantLine:
    """Return an entrant of the only ladder."""
    (ladder,) = office.ladders()
    return next(each for each in ladder.entrants if each.name == name)


def play(runner: Runner) -> None:
    """Run a bot until its session is closed, or its token is worth nothing any more."""
    with contextlib.suppress(SessionError):
        runner.run()


def test_only_who_has_passed_is_in_a_field(referee: RefereeProcess, tmp_path: Path) -> None:
    """One that fails waits for ever beside two that are ranked, and gets another trial when it enters again."""
    bots: list[tuple[RawSession, threading.Thread]] = []

    def attend(token: str, runner: type[Runner]) -> None:
        session = RawSession(referee.address, token, Wishes(capacity=2))
        thread = threading.Thread(target=play, args=(runner(session, GreedyBot),), daemon=True)
        thread.start()
        bots.append((session, thread))

    with Office(referee.address, (tmp_path / TOKEN_FILE).read_text("ascii").strip(), "") as office:
        office.create_ladder(LADDER, LadderWish("remi", {"players": 2}, "slow", "rotation", sets=2))
        owners = {name: Office(referee.address, office.create_owner(name, 1), "") for name in ("anna", "ben", "carl")}
        watch = office.watch_standings(LADDER)
        _, token = owners["carl"].enter(LADDER, "bot-carl", "1")
        assert (entrant(office, "bot-carl-1").trial, entrant(office, "bot-carl-1").trial_problem) == ("due", "")
        attend(token, Illegal)
        until(watch, "bot-carl-1 is not ranked yet: its trial found illegal 6.")
        assert (entrant(office, "bot-carl-1").trial, entrant(office, "bot-carl-1").trial_problem) == (
            "failed", "illegal 6",
        )  # fmt: skip
        for name in ("anna", "ben"):
            attend(owners[name].enter(LADDER, f"bot-{name}", "1")[1], Runner)
        next(standings for standings in watch if standings.sets)
        owners["carl"].withdraw(LADDER, "bot-carl-1")
        owners["carl"].enter(LADDER, "bot-carl", "1")
        assert entrant(office, "bot-carl-1").trial == "due"
        office.close_ladder(LADDER)
        final = list(watch)[-1]
        assert {line.entrant: (line.sets > 0, line.causes) for line in final.lines} == {
            "bot-anna-1": (True, {}), "bot-ben-1": (True, {}), "bot-carl-1": (False, {}),
        }  # fmt: skip
        assert [entrant(office, f"bot-{name}-1").trial for name in ("anna", "ben")] == ["passed", "passed"]
        for owner in owners.values():
            with owner:
                pass
    for session, thread in bots:
        session.close()
        thread.join(WITHIN_S)
