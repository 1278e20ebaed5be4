"""`rummyref play` at a table elsewhere, a whole match of each family with cards that are known beforehand."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from signal import SIGINT

import pytest

from clients.bots.base import Bot
from clients.bots.runner import Runner
from clients.session import Session
from engine.moves import Play
from engine.notation import parse_play
from engine.rules.ruleset import RuleSet
from engine.views import SeatView
from tests.cli.terminal import Terminal
from tests.referee.process import RefereeProcess

LEAVE = "leave"
"""Types it, and comes back with `--resume`."""


@dataclass(frozen=True)
class Script:
    """A match of one round between the person, who deals, and a guest.

    Attributes:
        preset: The rules.
        hands: Cards of the person and of the guest.
        more: Cards that come after the hands: the dealer's extra card, the turn-up, the stock.
        guest: Plays of the guest.
        steps: What the person types, and a pattern that is then shown.
        hand: What the hand looks like after coming back.
    """

    preset: str
    hands: tuple[str, str]
    more: str
    guest: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    hand: str

    @property
    def deck(self) -> str:
        """The deck from its top: one card each in turn, then *more*."""
        mine, theirs = (hand.split() for hand in self.hands)
        return " ".join([*chain.from_iterable(zip(mine, theirs, strict=True)), self.more])


REMI = Script(
    "remi",
    ("4H 5H 6H KS KD 2C 9D", "KH 3S 5D 7C 8C JS AC"),
    "3D 2D TC 7H",
    ("draw", "discard KH", "draw", "discard 2D"),
    (
        ("take 1", "no: take 1 reaches too deep: nothing may be taken here"),
        ("discard 9D", "no: discard 9D"),
        ("draw", "you draw 3D"),
        ("lay 4H 5H 6H", "still to do: "),
        ("undo", "so far: nothing"),
        ("discard KC", "no: KC is not in the hand"),
        ("discard 3D", "you: discard 3D"),
        ("take 1", "still to do: "),
        ("lay KS KD KH", "so far: take 1; lay KS KD KH"),
        ("undo", "so far: take 1"),
        ("discard 9D", "no: "),
        ("show", "discards, top first: KH 3D"),
        ("lay KS KD KH; discard 9D", "you: take 1; lay KS KD KH; discard 9D"),
        ("draw", "you draw 7H"),
        ("lay 4H 5H 7H", "no: "),
        (LEAVE, r"m1 of you: KS KD KH"),
        ("offers", r"lay 4H 5H 6H 7H; discard 2C"),
        ("lay 4H 5H 6H 7H", "still to do: "),
        ("discard 2C", r"you +\+100  total +\+100"),
    ),
    r"\[4H 5H 6H 7H\] 2C",
)
CLOSED_RUMMY = Script(
    "closed-rummy",
    ("AS 2S 3S QH KH AH 7S 7H 7D 7C TC JC QC 9D", "KC AC 2H 3C QD KD AD 4S 5S 8D TD JD QC 9C"),
    "5C 6H 2C",
    ("draw", "discard KC"),
    (
        ("draw", "no: "),
        ("lay AS 2S 3S", "still to do: "),
        ("discard 9D", "no: this play must go out"),
        ("undo", "so far: nothing"),
        ("lay 3S 2S AS", "no: .*not consecutive low to high"),
        ("discard 5C", "you: discard 5C"),
        ("take-turn-up; discard 9D", "no: "),
        ("take 2", "no: take 2 reaches too deep: only the top card"),
        (LEAVE, r"turn-up: 6H"),
        ("take 1", "so far: take 1"),
        ("lay AS 2S 3S; lay QH KH AH; lay 7S 7H 7D 7C; lay TC JC QC KC", "so far: take 1; lay AS 2S 3S; lay QH KH AH"),
        ("discard 9D", r"you +\+105  total +\+105"),
    ),
    r"\[AS 2S 3S\].*9D",
)
REMIK = Script(
    "remik",
    ("9D TD JD QD KD AD 7C 8C JK 3H 4H 5S 6S", "9C 2C 4D 5H 7H 8H TS JS QS KH AC AH 2S"),
    "KS 2D 3D 8D",
    ("draw", "discard 9C", "draw", "discard 2C"),
    (
        ("draw", "no: "),
        ("lay 9D TD JD QD KD", "still to do: the opening lays 49 points and needs 51"),
        ("discard KS", "no: the opening lays 49 points"),
        ("undo", "so far: nothing"),
        ("lay 9D TD JD QD KD AD; discard KS", "you: lay 9D TD JD QD KD AD; discard KS"),
        ("take 1; discard 9C", "no: "),
        ("take 1; lay 7C 8C 9C", "so far: take 1; lay 7C 8C 9C"),
        ("lay-off m2 JK", "no: .*say low or high"),
        ("lay-off m2 low JK", "so far: take 1; lay 7C 8C 9C; lay-off m2 low JK"),
        ("undo", "so far: take 1; lay 7C 8C 9C\n"),
        ("undo", "so far: take 1\n"),
        ("undo", "so far: nothing"),
        ("take 1; lay 7C 8C 9C; lay-off m1 low JK; discard 6S", "lay-off m1 low JK=8D; discard 6S"),
        ("draw", "you draw 8D"),
        ("swap m1 8C", "no: "),
        (LEAVE, r"m1 of you: JK=8D 9D TD JD QD KD AD"),
        ("swap m1 8D", "still to do: "),
        ("discard 5S", "no: "),
        ("lay 3H 4H JK", "so far: swap m1 8D; lay 3H 4H JK"),
        ("discard 5S", r"guest +\+93  total +\+93"),
    ),
    r"5S 3H 4H 8D",
)


class Guest(Bot):
    """Plays what the script says."""

    script: tuple[str, ...] = ()

    def __init__(self, rules: RuleSet, seed: int) -> None:
        """Begin the script."""
        super().__init__(rules, seed)
        self._plays = iter(self.script)

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the next play."""
        return parse_play(next(self._plays))


@contextmanager
def table(folder: Path, script: Script) -> Iterator[Terminal]:
    """Yield the terminal of the person, who has made the table, with the guest seated."""
    stacked = (str(Path(__file__).with_name("stacked_referee.py")), script.deck)
    referee = RefereeProcess(folder / "referee", program=stacked)
    options = ("--address", referee.address, "-o", "players=2", "-o", "rounds=1", "--data", str(folder / "game"))
    terminal = Terminal("play", script.preset, *options, cwd=folder)
    table_id = terminal.wait_for(r"others join with rummyref play --address \S+ --table (\S+)\n")[1]
    session = Session(referee.address, "")
    session.register("guest")
    session.take_seat(table_id)
    guest = threading.Thread(target=Runner(session, type("Scripted", (Guest,), {"script": script.guest})).run)
    guest.start()
    try:
        yield terminal
    finally:
        session.close()
        guest.join()
        assert referee.stop() == 0


@pytest.mark.parametrize("script", [REMI, CLOSED_RUMMY, REMIK], ids=lambda script: script.preset)
def test_a_scripted_match(tmp_path: Path, script: Script) -> None:
    """Moves one by one and together, refusals in words, undo, leaving and coming back, to the last score sheet."""
    with table(tmp_path, script) as begun:
        terminal = begun
        for line, shown in script.steps:
            terminal.wait_for("(draw|play)> ")
            terminal.type(line)
            if line == LEAVE:
                terminal.wait_for("come back with: rummyref play --data")
                assert terminal.end() == 0
                terminal = Terminal("play", "--data", str(tmp_path / "game"), "--resume", cwd=tmp_path)
            terminal.wait_for(shown)
            if line == LEAVE:
                terminal.wait_for(f"your hand: {script.hand}")
        terminal.wait_for("the match is over: .*\nyou win\n")
        assert terminal.end() == 0


def test_two_people_meet(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The command shown to the first one seats the second, who sees the table and what the first does. Ctrl-C."""
    stacked = (str(Path(__file__).with_name("stacked_referee.py")), REMI.deck)
    referee = RefereeProcess(tmp_path / "referee", program=stacked)
    request.addfinalizer(referee.kill)  # also where the test fails
    here = ("--address", referee.address)
    anna = Terminal("play", "remi", *here, "--name", "anna", "-o", "players=2", "--data", "my game", cwd=tmp_path)
    command = anna.wait_for(r"others join with rummyref (play --address \S+ --table \S+)\n")[1]
    ben = Terminal(*command.split(), "--name", "ben", "--data", "ben", cwd=tmp_path)
    ben.wait_for(r"discards, top first: none\ncards held: anna 7\nyour hand: 3S JS KH 5D AC 7C 8C\n")
    assert "others join" not in ben.seen
    anna.wait_for("draw> ")
    anna.type("draw")
    anna.wait_for("play> ")
    anna.type("discard KD")
    assert ben.wait_for(r"anna draws; \d+ left\nanna: discard (\S+)\n")[1] == "KD"
    ben.wait_for(r"your hand: .*\ndraw> ")
    ben.type("leave")
    assert ben.end() == 0
    anna.process.send_signal(SIGINT)
    anna.wait_for("your seat is held; come back with: rummyref play --data 'my game' --resume")
    assert anna.end() == 130
    assert referee.stop() == 0
