"""`rummyref play` in a terminal: a whole match, refusals, undo, leaving and coming back."""

import re
from pathlib import Path

import pytest

from engine.notation import parse_cards
from tests.cli.command import refused
from tests.cli.terminal import Terminal


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
    """What is not possible is explained; a move can be taken back; the seat waits for its player."""
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
    again.type("leave")
    assert again.end() == 0


def test_bad_input_of_play_is_one_line(tmp_path: Path) -> None:
    """Unknown bots and rules, too many players, nobody there, nothing to come back to."""
    data = ("--data", str(tmp_path))
    assert "unknown preset" in refused("play", "nonsense", *data)
    assert "unknown bot" in refused("play", "remi", "--against", "nonsense", *data)
    assert "option players" in refused("play", "remi", "--against", "greedy,greedy,greedy,greedy", *data)
    assert "no game to come back to" in refused("play", "--resume", *data)
    assert "no referee answers" in refused("play", "remi", "--address", "127.0.0.1:1", *data, code=3)
