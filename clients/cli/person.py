"""A person at a table: reads moves line by line, checks them, undoes them, sends them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from clients.cli.show import event_lines, view_lines
from clients.messages import TOO_LATE, Answered, Asked, Broken, Noticed, Over, Seated, SeatInfo, Told, Voided
from clients.session import Session
from engine.moves import DRAW, Discard, Move, Play
from engine.notation import parse_play, show_play
from engine.offers import offered
from engine.reasons import RuleViolation, Violation
from engine.verify import check

HELP = """moves:  draw | take 1 | take-turn-up | lay 4H 5H 6H | lay-off m1 high 9H | swap m1 8C | discard KD
        several at once: take 1; lay KS KD KH; discard 9D        a discard sends what you have put together
words:  show (the table)  offers (possible plays)  undo (the last move)  help
        leave (come back with --resume)  give up (the stand-in plays on for you)"""


class Left(Exception):
    """The player has left, and may come back."""


class GaveUp(Exception):
    """The player has given up the seat."""


@dataclass(slots=True)
class Person:
    """Plays one table by lines of text.

    Attributes:
        session: Session that holds the seat.
        read: Returns the next line after a prompt; raises `EOFError` at the end of input.
    """

    session: Session
    read: Callable[[str], str]
    _moves: list[Move] = field(default_factory=list)
    _attempt: int = 1
    _asked: Asked | None = None

    def play(self) -> None:
        """Play until the match is over.

        Raises:
            Left: The player leaves.
            GaveUp: The player gives up.
            SessionError: The session cannot go on.
        """
        for message in self.session.messages():
            match message:
                case Seated(seat):
                    self._sit(seat)
                case Told(seat, event):
                    say(event_lines(event, seat.seat, seat.players))
                case Asked():
                    self._begin(message)
                case Answered(refused=Violation() as refused):
                    self._refused(message, refused)
                case Over() | Voided():
                    self._end(message)
                case Noticed(_, text) | Broken(text):
                    say([f"({text})"])
                case _:
                    pass

    def _sit(self, seat: SeatInfo) -> None:
        name = seat.players[seat.seat]
        say([f"you are {'' if name == 'you' else f'{name}, '}in seat {seat.seat} of table {seat.table_id}"])
        if seat.view.round.turn != seat.seat:  # else the view comes with the question
            say(["", *view_lines(seat.view, seat.players)])

    def _refused(self, answer: Answered, refused: Violation) -> None:
        """Have another try at the decision; at one whose time has run out there is none, and the next is waited for."""
        asked = self._asked
        if refused.reason in TOO_LATE or asked is None or answer.decision_id != asked.decision_id:
            say([f"(too late: {answer.message})"])
            return
        say([f"refused: {answer.message}"])
        self._attempt += 1
        self._compose(asked)

    def _end(self, message: Over | Voided) -> None:
        if isinstance(message, Voided):
            blame = "the referee" if message.culprit is None else f"seat {message.culprit}"
            say([f"the match does not count: {message.cause.replace('_', ' ')} ({blame})"])
        self.session.close()

    def _begin(self, asked: Asked) -> None:
        self._asked, self._attempt = asked, 1
        self._moves.clear()
        say(["", *view_lines(asked.view, asked.seat.players)])
        self._compose(asked)

    def _compose(self, asked: Asked) -> None:
        """Read lines until a play is sent."""
        self._moves.clear()
        while True:
            try:
                line = self.read(f"{asked.view.round.phase.value}> ").strip()
            except EOFError:
                raise Left from None
            if self._word(asked, line):
                continue
            try:
                added = parse_play(line).moves
                debts = check(asked.view.position, Play((*self._moves, *added)))
            except RuleViolation as refused:
                say([f"no: {refused}"])
                continue
            self._moves += added
            play = Play(tuple(self._moves))
            if isinstance(self._moves[-1], Discard) and debts:
                say([f"no: {debts[0]}"])
                del self._moves[-len(added) :]
            elif play == DRAW or isinstance(self._moves[-1], Discard):
                self.session.submit(asked, play, self._attempt)
                return
            else:
                say([f"so far: {show_play(play)}", *(f"  still to do: {debt}" for debt in debts)])

    def _word(self, asked: Asked, line: str) -> bool:
        """Do what a word asks for; return whether it was one."""
        match line.lower():
            case "":
                pass
            case "help" | "?":
                say([HELP])
            case "show":
                say(view_lines(asked.view, asked.seat.players))
            case "offers":
                say([f"  {show_play(play)}" for play in offered(asked.view.position)])
            case "undo":
                undone = self._moves.pop() if self._moves else None
                say([f"so far: {show_play(Play(tuple(self._moves))) or 'nothing'}" if undone else "nothing to undo"])
            case "leave" | "quit":
                raise Left
            case "give up":
                self.session.leave_seat(asked.seat.table_id, asked.seat.seat)
                raise GaveUp
            case _:
                return False
        return True


def say(lines: list[str]) -> None:
    """Print *lines*."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
