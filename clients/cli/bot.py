"""`rummyref bot`: run a bot that comes with rummyref."""

import os
import sys
from typing import Annotated

import typer

from clients.cli.exits import stop, stop_for
from clients.cli.options import Ca

app = typer.Typer(no_args_is_help=True, help="Run bots.")


@app.command("list")
def list_bots(
    misbehaving: Annotated[  # noqa: FBT002
        bool, typer.Option("--misbehaving", help="Those that misbehave, each with what must come of it in a ladder.")
    ] = False,
) -> None:
    """List the bots."""
    from clients.bots.faulty.catalogue import FAULTY  # noqa: PLC0415 - loads the stubs only when a bot is meant
    from clients.bots.registry import BOTS  # noqa: PLC0415

    if misbehaving:
        for name, (_, expected) in FAULTY.items():
            sys.stdout.write(f"{name:24} {expected}\n")
        return
    for name in BOTS:
        sys.stdout.write(f"{name}\n")


@app.command("run")
def run(
    name: Annotated[str, typer.Argument(help="Name of the bot, see `bot list`, or one that misbehaves.")],
    address: Annotated[str | None, typer.Option(help="HOST:PORT; else RUMMYREF_ADDRESS.")] = None,
    ca: Ca = None,
    token: Annotated[str | None, typer.Option(help="Token; else RUMMYREF_TOKEN; else a guest registers.")] = None,
    capacity: Annotated[int | None, typer.Option(min=1, max=1000, help="Tables at once.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed instead of each deal's.")] = None,
) -> None:
    """Connect a bot to a referee and play whatever it is seated at, until stopped."""
    from clients.bots.faulty.catalogue import FAULTY  # noqa: PLC0415
    from clients.bots.registry import BOTS, run_bot  # noqa: PLC0415 - loads the stubs only when a bot is meant
    from clients.session import RawSession, SessionError, Wishes, from_environment  # noqa: PLC0415

    if name not in BOTS and name not in FAULTY:
        stop(f"unknown bot {name}; there are {', '.join((*BOTS, *FAULTY))}")
    given = from_environment()
    tables = capacity or int(os.environ.get("RUMMYREF_CAPACITY", "8"))
    try:
        session = RawSession(
            address or given.address, token or given.token, Wishes(tables, name=f"rummyref-{name}"), ca or given.ca
        )
        run_bot(name, session, seed)
    except SessionError as refused:
        stop_for(refused)
