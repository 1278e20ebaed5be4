"""`rummyref play` in a terminal: a whole match, refusals, undo, leaving and coming back."""

import re
import stat
import threading
from pathlib import Path
from signal import SIGHUP, SIGTERM

import pytest

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.cli.saved_game import load
from clients.session import Session
from engine.notation import parse_cards
from tests.cli.command import refused
from tests.cli.replaying import called
from tests.cli.terminal import Terminal
from tests.referee.process import RefereeProcess


def last_card(terminal: Terminal) -> str:
    """Return the last card of the hand shown last."""
    shown = re.findall(r"your hand: (.+)", terminal.seen)[-1]
    return parse_cards(re.sub(r"[\[\]]", "", shown))[-1].text


def choice(terminal: Terminal, phase: str) -> str:
    """Draw, and discard the last card shown."""
    return "draw" if phase == "draw" else f"discard {last_card(terminal)}"


@pytest.mark.parametrize(("preset", "rounds"), [("remi", 2), ("closed-rummy", 1), ("remik", 1)])
def test_a_whole_match(tmp_path: Path, preset: str, rounds: int) -> None:
    """Against two bots to the end, in every family: score sheets, the end, and nothing left to come back to."""
    options = ("-o", f"rounds={rounds}", "--data", str(tmp_path / "game"))
    terminal = Terminal("play", preset, "--against", "greedy,cautious", *options, cwd=tmp_path)
    terminal.play_on(lambda phase: choice(terminal, phase), "the match is over")
    terminal.wait_for(r"(wins|win)\n")
    assert terminal.end() == 0
    assert len(re.findall(r"round \d is over", terminal.seen)) == rounds
    assert "no game to come back to" in refused("play", "--data", str(tmp_path / "game"), "--resume")


def test_refusals_undo_and_coming_back(tmp_path: Path) -> None:
    """What is not possible is explained; a move can be taken back; the seat waits for its player until given up."""
    data = str(tmp_path / "game")
    terminal = Terminal("play", "remi", "--against", "greedy", "--data", data, cwd=tmp_path)
    terminal.wait_for("draw> ")
    terminal.type("take 1")
    terminal.wait_for("no: take 1 reaches too deep: nothing may be taken here")
    terminal.type("nonsense")
    terminal.wait_for("no: move nonsense cannot be read")
    terminal.type("help")
    terminal.wait_for("words:")
    terminal.type("undo")
    terminal.wait_for("nothing to undo")
    terminal.type("draw")
    drawn = terminal.wait_for(r"you draw (\S+)")[1]
    terminal.wait_for("play> ")
    terminal.type("discard JK=2C")
    terminal.wait_for("no: JK=2C is not a card")
    terminal.type("leave")
    terminal.wait_for("come back with")
    assert terminal.end() == 0
    again = Terminal("play", "--data", data, "--resume", cwd=tmp_path)
    hand = again.wait_for(r"your hand: (.+)")[1]
    assert drawn in hand
    again.wait_for("play> ")
    again.type(f"discard {drawn}")
    again.wait_for(rf"you: discard {drawn}")
    again.wait_for("draw> ")
    again.type("give up")
    again.wait_for("your seat is given up")
    assert again.end() == 0
    assert "no game to come back to" in refused("play", "--data", data, "--resume")


def test_a_closed_terminal_keeps_the_game(tmp_path: Path) -> None:
    """Whoever closes the terminal in mid-turn leaves nothing running, and comes back to the same seat."""
    data = tmp_path / "game"
    terminal = Terminal("play", "remi", "--data", str(data), cwd=tmp_path)
    terminal.wait_for("draw> ")
    terminal.type("draw")
    drawn = terminal.wait_for(r"you draw (\S+)")[1]
    terminal.wait_for("play> ")
    terminal.process.send_signal(SIGHUP)
    terminal.process.send_signal(SIGHUP)
    assert terminal.end() == 130
    assert stat.S_IMODE((data / "play.json").stat().st_mode) == 0o600
    again = Terminal("play", "--data", str(data), "--resume", cwd=tmp_path)
    assert drawn in again.wait_for(r"your hand: (.+)")[1]
    again.wait_for("play> ")
    again.type("leave")
    assert again.end() == 0


def test_a_match_that_ended_meanwhile_is_told(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Who comes back to a table that has played on to the end sees the totals, and nothing waits any more."""
    referee = RefereeProcess(tmp_path / "referee")
    request.addfinalizer(referee.kill)  # also where the test fails
    game, options = ("--data", str(tmp_path / "game")), ("-o", "players=2", "-o", "rounds=1", "--clock", "bullet")
    terminal = Terminal("play", "remi", "--address", referee.address, *options, *game, cwd=tmp_path)
    table_id = terminal.wait_for(r"--table (\S+)\n")[1]
    guest = Session(referee.address, "")
    guest.register("guest")
    guest.take_seat(table_id)
    playing = threading.Thread(target=Runner(guest, GreedyBot).run, kwargs={"matches": 1})
    playing.start()
    terminal.wait_for("draw> ")
    terminal.process.send_signal(SIGTERM)
    assert terminal.end() == 130
    playing.join()
    again = Terminal("play", "--resume", *game, cwd=tmp_path)
    again.wait_for(r"the match is over: you [+-]\d+, guest [+-]\d+\n")
    assert again.end() == 0
    assert "no game to come back to" in refused("play", "--resume", *game)
    assert referee.stop() == 0


def test_a_game_is_not_replaced(tmp_path: Path) -> None:
    """Where a game waits for its player no other one begins, and what is no saved game is said to be none."""
    saved = tmp_path / "play.json"
    for content in ("{", "[]", '{"address": ""}', '{"bots": 3}'):
        saved.write_text(content)
        ran = called(load, tmp_path)
        assert (ran.code, ran.err.splitlines()) == (
            2,
            [f"rummyref: {saved} is no saved game; remove it and begin another without --resume"],
        )
    assert "holds a game that you left" in refused("play", "remi", "--data", str(tmp_path))
    assert saved.read_text() == content


def test_bad_input_of_play_is_one_line(tmp_path: Path) -> None:
    """Unknown bots and rules, too many players, nobody there, nothing to come back to."""
    data = ("--data", str(tmp_path))
    assert "unknown preset" in refused("play", "nonsense", *data)
    assert "unknown bot" in refused("play", "remi", "--against", "nonsense", *data)
    assert "option players" in refused("play", "remi", "--against", "greedy,greedy,greedy,greedy", *data)
    assert "option players is 3, but you and greedy are 2" in refused("play", "remi", "-o", "players=3", *data)
    assert "no game to come back to" in refused("play", "--resume", *data)
    assert "cannot be written to" in refused("play", "remi", "--data", "/dev/null/game")
    assert "leave it out with --address" in refused("play", "--address", "127.0.0.1:1", "--against", "greedy", *data)
    assert "no referee answers" in refused("play", "remi", "--address", "127.0.0.1:1", *data, code=3)
