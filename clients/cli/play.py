"""`rummyref play`: a seat for a person, against bots here or at a table elsewhere."""

import contextlib
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from clients.cli import saved_game
from clients.cli.exits import DONE, INTERRUPTED, stop, stop_for
from clients.cli.options import Ca, Settings, read_settings, rules_or_stop
from clients.cli.saved_game import Game

if TYPE_CHECKING:
    from clients.session import Session

_COMPANY: Final = "greedy"
"""Who plays against a person that names nobody."""


def play(
    preset: Annotated[str, typer.Argument(help="Rules, such as remi.")] = "remi",
    against: Annotated[
        str | None, typer.Option(help="Bots to play against, parted by commas.", show_default=_COMPANY)
    ] = None,
    settings: Settings = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "you",
    clock: Annotated[str, typer.Option(help="Clock profile.")] = "untimed",
    address: Annotated[str | None, typer.Option(help="HOST:PORT of a referee elsewhere.")] = None,
    ca: Ca = None,
    table: Annotated[str | None, typer.Option(help="Table to join there; else one is made.")] = None,
    data: Annotated[Path, typer.Option(help="Folder of this game.")] = Path("rummyref-data/play"),
    resume: Annotated[bool, typer.Option("--resume", help="Return to the seat you left.")] = False,  # noqa: FBT002
) -> None:
    """Play a whole match in the terminal, line by line; `help` there explains the moves."""
    from clients.cli import beside  # noqa: PLC0415 - loads nothing that other commands need
    from clients.session import Session, SessionError, Wishes, from_environment  # noqa: PLC0415

    saved, opponents, options = None, [], list(settings or [])
    if resume:
        saved = saved_game.load(data)
    else:
        saved_game.need_none(data)
        opponents = _opponents(against, address)
        options += _seats(opponents, options)
        if not table:
            rules_or_stop(preset, options)
    _leave_when_told()
    try:
        with contextlib.ExitStack() as stack:
            where = (saved.address if saved else address) or stack.enter_context(beside.referee(data))
            elsewhere = (ca or from_environment().ca) if address else ""
            session = Session(
                where, saved.token if saved else "", Wishes(gathered=False), saved.ca if saved else elsewhere
            )
            stack.callback(session.close)
            if saved is None:
                saved = _sit_down(session, address or "", preset, options, clock, name, table, opponents)
                saved_game.save(data, saved)
            if _is_over(session, saved.table_id):
                saved_game.forget(data)
                return
            stack.enter_context(beside.bots(where, list(saved.bots)))
            _play(session, data)
    except SessionError as refused:
        stop_for(refused)


def _leave_when_told() -> None:
    """Leave as by Ctrl-C when the terminal is closed or the process is told to end: what runs beside us ends too."""

    def leave(*_: object) -> NoReturn:
        for number in told_by:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    told_by = (signal.SIGHUP, signal.SIGTERM)
    for number in told_by:
        signal.signal(number, leave)


def _opponents(against: str | None, address: str | None) -> list[str]:
    from clients.bots.registry import BOTS  # noqa: PLC0415

    if address:
        if against is not None:
            stop("--against starts bots for a table beside you; leave it out with --address")
        return []
    opponents = [bot.strip() for bot in (_COMPANY if against is None else against).split(",") if bot.strip()]
    unknown = next((bot for bot in opponents if bot not in BOTS), None)
    if unknown is not None:
        stop(f"unknown bot {unknown}; there are {', '.join(BOTS)}")
    return opponents


def _seats(opponents: list[str], options: list[str]) -> list[str]:
    """Return the option that seats the person and *opponents*; ends the command where *options* seat others."""
    if not opponents:
        return []
    seats = str(len(opponents) + 1)
    asked = read_settings(options).get("players", seats)
    if asked != seats:
        bots = ",".join(opponents)
        stop(f"option players is {asked}, but you and {bots} are {seats}; name as many bots, or no number")
    return [f"players={seats}"]


def _is_over(session: "Session", table_id: str) -> bool:
    """Say what is to be known of the table before it plays on; return whether it does not."""
    from clients.cli.person import say  # noqa: PLC0415
    from clients.cli.show import totals_line  # noqa: PLC0415

    standing = session.standing(table_id)
    if standing.state == "seating":
        say([f"table {table_id}: others join with rummyref play --address {session.address} --table {table_id}"])
    elif standing.state == "ended":
        totals = totals_line(standing.totals, standing.players) if standing.totals else "nobody shows its totals"
        say([f"the match is over: {totals}"])
    elif standing.state == "void":
        say(["the match does not count"])
    return standing.state in ("ended", "void")


def _sit_down(
    session: "Session",
    address: str,
    preset: str,
    options: list[str],
    clock: str,
    name: str,
    table: str | None,
    opponents: list[str],
) -> Game:
    """Take a seat, and seats for the bots beside us."""
    from clients.session import Session  # noqa: PLC0415

    token = session.register(name)
    table_id = table or session.create_table(preset, read_settings(options), clock, "greedy")
    session.take_seat(table_id)
    seated = []
    for bot in opponents:
        guest = Session(session.address, "", ca=session.ca)
        seated.append((bot, guest.register(bot)))
        guest.take_seat(table_id)
        guest.close()
    return Game(address, session.ca, table_id, token, tuple(seated))


def _play(session: "Session", data: Path) -> None:
    from clients.cli.keyboard import Keyboard  # noqa: PLC0415
    from clients.cli.person import GaveUp, Left, Person, say  # noqa: PLC0415

    try:
        with Keyboard() as keyboard:
            Person(session, keyboard.line).play()
    except GaveUp:
        say(["your seat is given up"])
    except (Left, KeyboardInterrupt) as left:
        with contextlib.suppress(OSError):  # the terminal may be what has gone
            say(["", f"your seat is held; come back with: rummyref play --data {shlex.quote(str(data))} --resume"])
        raise typer.Exit(DONE if isinstance(left, Left) else INTERRUPTED) from None
    saved_game.forget(data)
