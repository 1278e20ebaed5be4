"""`rummyref ladder create|close|list|enter|withdraw|watch`, `rummyref owner`, `rummyref token`: work at a referee."""

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.cli.exits import stop, stop_for
from clients.cli.options import AsJson, Ca, Settings, read_settings

if TYPE_CHECKING:
    from clients.session.office import LadderLine, Office, Standings

owner_app = typer.Typer(no_args_is_help=True, help="Make and list the owners of entrants.")
token_app = typer.Typer(no_args_is_help=True, help="Renew and revoke tokens.")

Address = Annotated[str | None, typer.Option(help="HOST:PORT of the referee; else RUMMYREF_ADDRESS.")]
Token = Annotated[
    Path | None,
    typer.Option("--token-file", help="File with your token, such as organiser.token; else RUMMYREF_TOKEN."),
]
Player = Annotated[str, typer.Argument(help="Id of the player, as `ladder list` and `owner list` show it.")]
LadderName = Annotated[str, typer.Argument(help="Name of the ladder.")]


@contextlib.contextmanager
def office(address: str | None, ca: str | None, token_file: Path | None) -> "Iterator[Office]":
    """Connect with the caller's token; ends the command with one line where the referee refuses."""
    from clients.session import SessionError, from_environment  # noqa: PLC0415 - loads the stubs only when needed
    from clients.session.office import Office  # noqa: PLC0415

    given = from_environment()
    token = given.token if token_file is None else _token_in(token_file)
    if not token:
        stop("your token is needed: name its file with --token-file, or set RUMMYREF_TOKEN")
    try:
        with Office(address or given.address, token, ca or given.ca) as opened:
            yield opened
    except SessionError as refused:
        stop_for(refused)


def _token_in(file: Path) -> str:
    try:
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as unreadable:
        stop(f"{file} cannot be read: {getattr(unreadable, 'strerror', unreadable)}")
    if not (token.isascii() and token.isprintable()) or " " in token:
        stop(f"{file} holds no token")
    return token


def create(
    name: LadderName,
    preset: Annotated[str, typer.Argument(help="Rules, such as remi.")] = "remi",
    settings: Settings = None,
    clock: Annotated[str, typer.Option(help="Clock profile.")] = "standard",
    design: Annotated[str, typer.Option(help="bridge, or rotation for owners whom you trust.")] = "bridge",
    tables: Annotated[int, typer.Option(min=0, help="Tables that play one deal in a bridge; 0 for 2.")] = 0,
    sets: Annotated[int, typer.Option(min=0, help="Sets of a season; 0 for 100.")] = 0,
    parallel_tables: Annotated[int, typer.Option(min=0, help="Tables open at once; 0 for 8.")] = 0,
    field: Annotated[int, typer.Option(min=0, help="Entrants that a season needs; 0 for those of one set.")] = 0,
    patience: Annotated[int, typer.Option(min=0, help="Seconds an entrant is waited for; 0 for an hour.")] = 0,
    skip_trial: Annotated[bool, typer.Option("--skip-trial", help="Rank entrants without a trial.")] = False,  # noqa: FBT002
    address: Address = None,
    ca: Ca = None,
    token_file: Token = None,
) -> None:
    """Make a ladder for bots that attend by themselves; for the organiser."""
    from clients.session.office import DESIGNS, LadderWish  # noqa: PLC0415

    if design not in DESIGNS:
        stop(f"unknown design {design}; there are {', '.join(DESIGNS)}")
    wish = LadderWish(
        preset, read_settings(settings), clock, design, tables, sets, parallel_tables, field, patience, skip_trial
    )  # fmt: skip
    with office(address, ca, token_file) as at:
        made = at.create_ladder(name, wish)
    sys.stdout.write(f"ladder {made.name}: {made.preset}, {made.design}, {made.sets} sets a season\n")


def close(name: LadderName, address: Address = None, ca: Ca = None, token_file: Token = None) -> None:
    """Let a ladder take no more entrants and begin no more seasons; for the organiser."""
    with office(address, ca, token_file) as at:
        at.close_ladder(name)


def list_ladders(address: Address = None, ca: Ca = None, token_file: Token = None, as_json: AsJson = False) -> None:  # noqa: FBT002
    """List the ladders of a referee and their entrants."""
    with office(address, ca, token_file) as at:
        ladders = at.ladders()
    if as_json:
        rows = [
            ladder._asdict() | {"entrants": [entrant._asdict() for entrant in ladder.entrants]} for ladder in ladders
        ]
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    for ladder in ladders:
        _write_ladder(ladder)


def enter(
    ladder: LadderName,
    bot: Annotated[str, typer.Argument(help="Name of the bot.")],
    version: Annotated[str, typer.Argument(help="Its version; another one is another entrant.")],
    address: Address = None,
    ca: Ca = None,
    token_file: Token = None,
) -> None:
    """Enter a version of a bot, and print the token that it connects with; for owners."""
    with office(address, ca, token_file) as at:
        name, token = at.enter(ladder, bot, version)
    sys.stderr.write(f"{name} has entered {ladder}; start it with this in RUMMYREF_TOKEN:\n")
    sys.stdout.write(token + "\n")


def withdraw(
    ladder: LadderName,
    entrant: Annotated[str, typer.Argument(help="Name of the entrant: BOT-VERSION.")],
    address: Address = None,
    ca: Ca = None,
    token_file: Token = None,
) -> None:
    """Withdraw an entrant; for its owner and the organiser."""
    with office(address, ca, token_file) as at:
        at.withdraw(ladder, entrant)


def watch(
    ladder: LadderName,
    once: Annotated[bool, typer.Option("--once", help="Show the standings now, and end.")] = False,  # noqa: FBT002
    address: Address = None,
    ca: Ca = None,
    token_file: Token = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Show the standings now and whenever a set is over, until the ladder is."""
    with office(address, ca, token_file) as at:
        shown = None
        for standings in [at.standings(ladder)] if once else at.watch_standings(ladder):
            if standings == shown:  # something else has changed, such as who attends
                continue
            shown = standings
            sys.stdout.write(_as_json(standings) if as_json else _as_text(standings))
            sys.stdout.flush()


@owner_app.command("add")
def add_owner(
    name: Annotated[str, typer.Argument(help="Name of the owner.")],
    quota: Annotated[int, typer.Option(min=0, help="Entrants at once; 0 for 4.")] = 0,
    address: Address = None,
    ca: Ca = None,
    token_file: Token = None,
) -> None:
    """Make an owner and print its token; for the organiser."""
    with office(address, ca, token_file) as at:
        sys.stdout.write(at.create_owner(name, quota) + "\n")


@owner_app.command("list")
def list_owners(address: Address = None, ca: Ca = None, token_file: Token = None) -> None:
    """List the owners with their quotas; for the organiser."""
    with office(address, ca, token_file) as at:
        for owner in at.owners():
            sys.stdout.write(f"{owner.name}  {owner.quota} entrants  {owner.player_id}\n")


@token_app.command("renew")
def renew(player: Player = "", address: Address = None, ca: Ca = None, token_file: Token = None) -> None:
    """Print a fresh token of a player, your own if none is named; the old one is worth nothing from then on."""
    with office(address, ca, token_file) as at:
        sys.stdout.write(at.renew_token(player) + "\n")


@token_app.command("revoke")
def revoke(player: Player, address: Address = None, ca: Ca = None, token_file: Token = None) -> None:
    """Make the token of a player worth nothing; streams that it opened are closed."""
    with office(address, ca, token_file) as at:
        at.revoke_token(player)


def add_to(ladder_app: typer.Typer) -> None:
    """Add the commands for ladders of a running referee to those for ladder files."""
    ladder_app.command("create")(create)
    ladder_app.command("close")(close)
    ladder_app.command("list")(list_ladders)
    ladder_app.command("enter")(enter)
    ladder_app.command("withdraw")(withdraw)
    ladder_app.command("watch")(watch)


def _write_ladder(ladder: "LadderLine") -> None:
    season = f"season {ladder.season}, " if ladder.season else ""
    sys.stdout.write(f"{ladder.name}: {ladder.preset}, {ladder.design}, {season}{ladder.state}\n")
    for entrant in ladder.entrants:
        state = "withdrawn" if entrant.withdrawn else "attending" if entrant.attending else "away"
        problem = f" ({entrant.trial_problem})" if entrant.trial_problem else ""
        trial = f"trial {entrant.trial}{problem}  " if entrant.trial else ""
        sys.stdout.write(f"  {entrant.name}  of {entrant.owner}  {state}  {trial}{entrant.player_id}\n")


def _as_text(standings: "Standings") -> str:
    lines = [f"{standings.ladder}: {standings.sets} sets"]
    width = max((len(line.entrant) for line in standings.lines), default=0)
    for line in standings.lines:
        faults = "".join(f"  {cause} {count}" for cause, count in sorted(line.causes.items()))
        points = f"{line.points_per_round:+8.2f}" if line.sets else "       –"
        if line.interval is not None:
            points += f"  {line.interval[0]:+.2f} … {line.interval[1]:+.2f}"
        rank = line.rank if line.sets else "–"
        lines.append(f"{rank:>3}  {line.entrant:{width}}  {points}  {line.sets} sets{faults}")
    return "\n".join([*lines, *standings.notes]) + "\n"


def _as_json(standings: "Standings") -> str:
    rows = [line._asdict() for line in standings.lines]
    whole = {"ladder": standings.ladder, "sets": standings.sets, "notes": standings.notes, "standings": rows}
    return json.dumps(whole) + "\n"
