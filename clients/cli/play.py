"""`rummyref play`: a seat for a person, against bots here or at a table elsewhere."""

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.cli.exits import stop, stop_for
from clients.cli.options import Ca, Settings, rules_or_stop

if TYPE_CHECKING:
    from clients.session import Session

_SAVED = "play.json"


@dataclass(frozen=True, slots=True)
class _Game:
    """What is needed to come back.

    Attributes:
        address: Of a referee elsewhere; empty for one beside us.
        ca: Certificate authorities of a referee elsewhere; empty for no TLS.
        table_id: The table.
        token: The person's.
        bots: Name and token of each bot beside us.
    """

    address: str
    ca: str
    table_id: str
    token: str
    bots: tuple[tuple[str, str], ...]


def play(
    preset: Annotated[str, typer.Argument(help="Rules, such as remi.")] = "remi",
    against: Annotated[str, typer.Option(help="Bots to play against, parted by commas.")] = "greedy",
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

    if resume and not (data / _SAVED).exists():
        stop(f"{data} holds no game to come back to")
    saved = _load(data) if resume else None
    opponents = [] if address else [bot.strip() for bot in against.split(",") if bot.strip()]
    if saved is None and not table:
        rules_or_stop(preset, [*(settings or []), *_seats(opponents)])
    try:
        with contextlib.ExitStack() as stack:
            where = (saved.address if saved else address) or stack.enter_context(beside.referee(data))
            elsewhere = (ca or from_environment().ca) if address else ""
            session = Session(
                where, saved.token if saved else "", Wishes(gathered=False), saved.ca if saved else elsewhere
            )
            stack.callback(session.close)
            if saved is None:
                options = [*(settings or []), *_seats(opponents)]
                saved = _sit_down(session, address or "", preset, options, clock, name, table, opponents)
                data.mkdir(parents=True, exist_ok=True)
                (data / _SAVED).write_text(json.dumps(asdict(saved)), "utf-8")
            stack.enter_context(beside.bots(where, list(saved.bots)))
            _play(session, data)
    except SessionError as refused:
        stop_for(refused)


def _seats(opponents: list[str]) -> list[str]:
    return [f"players={len(opponents) + 1}"] if opponents else []


def _load(data: Path) -> _Game:
    read = json.loads((data / _SAVED).read_text("utf-8"))
    bots = tuple((bot[0], bot[1]) for bot in read["bots"])
    return _Game(read["address"], read.get("ca", ""), read["table_id"], read["token"], bots)


def _sit_down(
    session: "Session",
    address: str,
    preset: str,
    settings: list[str],
    clock: str,
    name: str,
    table: str | None,
    opponents: list[str],
) -> _Game:
    """Take a seat, and seats for the bots beside us."""
    from clients.bots.registry import BOTS  # noqa: PLC0415
    from clients.cli.options import read_settings  # noqa: PLC0415
    from clients.cli.person import say  # noqa: PLC0415
    from clients.session import Session  # noqa: PLC0415

    unknown = next((bot for bot in opponents if bot not in BOTS), None)
    if unknown is not None:
        stop(f"unknown bot {unknown}; there are {', '.join(BOTS)}")
    token = session.register(name)
    table_id = table or session.create_table(preset, read_settings(settings), clock, "greedy")
    session.take_seat(table_id)
    seated = []
    for bot in opponents:
        guest = Session(session.address, "", ca=session.ca)
        seated.append((bot, guest.register(bot)))
        guest.take_seat(table_id)
        guest.close()
    if not opponents:
        say([f"table {table_id}: others join with rummyref play --address {session.address} --table {table_id}"])
    return _Game(address, session.ca, table_id, token, tuple(seated))


def _play(session: "Session", data: Path) -> None:
    from clients.cli.person import Left, Person, say  # noqa: PLC0415

    try:
        Person(session).play()
    except (Left, KeyboardInterrupt):
        say(["", f"your seat is held; come back with: rummyref play --data {data} --resume"])
        raise typer.Exit(0) from None
    (data / _SAVED).unlink(missing_ok=True)
