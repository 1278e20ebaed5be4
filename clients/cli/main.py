"""`rummyref`: the one command, its parts loaded only when they are asked for."""

import errno
import importlib
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final, cast

import typer

from clients.cli import arrange, bot, doctor, ladder_verify, office, play, proto, replay, rules, scenario
from clients.cli.exits import BAD_INPUT, INTERRUPTED, stop

app = typer.Typer(
    name="rummyref",
    help="A referee for rummy games: deals, enforces the rules, records everything, runs ladders.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(rules.app, name="rules")
app.add_typer(scenario.app, name="scenario")
app.add_typer(replay.app, name="replay")
app.add_typer(bot.app, name="bot")
app.add_typer(proto.app, name="proto")
app.command("arrange")(arrange.arrange)
app.command("play")(play.play)
app.command("doctor")(doctor.doctor)
ladder = typer.Typer(no_args_is_help=True, help="Run ladders between bots and show their standings.")
office.add_to(ladder)
app.add_typer(ladder, name="ladder")
keys = typer.Typer(no_args_is_help=True, help="The key with which a referee signs its replays.")
app.add_typer(keys, name="keys")
app.add_typer(office.owner_app, name="owner")
app.add_typer(office.token_app, name="token")

Data = Annotated[Path, typer.Option("--data", help="Folder of database, replays and logs.")]
DEFAULT_DATA = Path("rummyref-data")
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_UsageError: Final = cast("type[typer.BadParameter]", typer.BadParameter.__base__)
"""What the library raises for every command line that it cannot read; it names only this one kind of it."""

Sandbox = Annotated[bool, typer.Option("--sandbox", help="Run the bots under bubblewrap.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit code 1 if there was misconduct, or a set void or left out.")
]
LadderName = Annotated[str | None, typer.Argument(help="Name of the ladder; needless where there is one.")]
AsOf = Annotated[int | None, typer.Option("--as-of", min=0, help="Count the first N sets only.", metavar="N")]


def referee_command(name: str) -> Any:
    """Return a module of `referee.commands`; clients do not import the referee otherwise."""
    try:
        return importlib.import_module(f"referee.commands.{name}")
    except KeyboardInterrupt:
        stop("interrupted before anything began; give the same command again", INTERRUPTED)
    except ModuleNotFoundError as missing:
        if missing.name != "numpy":
            raise
        stop("ladders need numpy for their standings; install rummyref with its extra analysis")


@app.command(
    "serve", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def serve(context: typer.Context) -> None:
    """Run a referee until it is told to stop."""
    raise typer.Exit(importlib.import_module("referee.__main__").main(context.args))


@keys.command("init")
def keys_init(data: Data = DEFAULT_DATA) -> None:
    """Make the key of a data folder, and print its public half; a referee makes one where there is none."""
    raise typer.Exit(referee_command("keys").init(data))


@keys.command("show")
def keys_show(data: Data = DEFAULT_DATA) -> None:
    """Print the public half of a data folder's key, for those who verify its replays."""
    raise typer.Exit(referee_command("keys").show(data))


@ladder.command("run")
def ladder_run(
    file: Annotated[Path, typer.Argument(help="The ladder file (TOML).")],
    data: Data = DEFAULT_DATA,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted ladder.")] = False,  # noqa: FBT002
    readmit: Annotated[
        list[str] | None, typer.Option(help="With --resume: let this withdrawn entrant in again.")
    ] = None,
    sandbox: Sandbox = False,  # noqa: FBT002
    strict: Strict = False,  # noqa: FBT002
) -> None:
    """Play a ladder: start the referee and the bots, show progress, print standings."""
    command = referee_command("ladder")
    wishes = command.Wishes(resume=resume, readmit=readmit or [], sandbox=sandbox, strict=strict)
    raise typer.Exit(command.run(file, data, wishes))


@ladder.command("check")
def ladder_check(file: Annotated[Path, typer.Argument(help="The ladder file (TOML).")]) -> None:
    """Say what a run of a ladder file would do, without doing it."""
    raise typer.Exit(referee_command("check").check(file))


@app.command("match")
def match(
    preset: Annotated[str, typer.Argument(help="What is played; `rummyref rules list` has them.")],
    commands: Annotated[
        list[str], typer.Argument(help="Bots: names of ours, or commands in quotes.", metavar="COMMAND...")
    ],
    sets: Annotated[int, typer.Option(min=1, help="Sets to play, at most.")] = 20,
    players: Annotated[int | None, typer.Option(help="Seats at a table; else one a bot, as far as there are.")] = None,
    rounds: Annotated[int, typer.Option(help="Rounds at each table.")] = 1,
    clock: Annotated[str, typer.Option(help="Clock profile.")] = "standard",
    seed: Annotated[str | None, typer.Option(help="64 hex digits for a repeatable match.")] = None,
    margin: Annotated[
        float | None, typer.Option(help="Of two bots: stop once one is better, or both alike within so many points.")
    ] = None,
    data: Data = DEFAULT_DATA,
    sandbox: Sandbox = False,  # noqa: FBT002
    strict: Strict = False,  # noqa: FBT002
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,  # noqa: FBT002
) -> None:
    """Play bots against each other without a ladder file."""
    from clients.bots.registry import BOTS  # noqa: PLC0415 - loads the stubs only when bots are meant

    command, runs = referee_command("match"), referee_command("ladder")
    asked = command.Match(preset, tuple(commands), sets, players, rounds, clock, seed, margin)
    wishes = runs.Wishes(sandbox=sandbox, strict=strict, form="json" if as_json else "text")
    raise typer.Exit(command.play(asked, list(BOTS), data, wishes))


ladder.command("verify")(ladder_verify.ladder_verify)


@ladder.command("standings")
def ladder_standings(
    name: LadderName = None,
    data: Data = DEFAULT_DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,  # noqa: FBT002
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a row an entrant.")] = False,  # noqa: FBT002
    as_of: AsOf = None,
) -> None:
    """Print the standings of a ladder from its record."""
    form = "json" if as_json else "csv" if as_csv else "text"
    raise typer.Exit(referee_command("standings").show_standings(data, name, form=form, as_of=as_of))


@ladder.command("report")
def ladder_report(
    name: LadderName = None,
    data: Data = DEFAULT_DATA,
    out: Annotated[Path | None, typer.Option("--out", help="File to write; else NAME.html in the data folder.")] = None,
    as_of: AsOf = None,
) -> None:
    """Write the standings of a ladder as one HTML page that needs nothing else."""
    raise typer.Exit(referee_command("report").write_report(data, name, out, as_of=as_of))


@ladder.command("explain")
def ladder_explain(
    one: Annotated[str, typer.Argument(help="An entrant.")],
    two: Annotated[str, typer.Argument(help="Another.")],
    name: LadderName = None,
    data: Data = DEFAULT_DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,  # noqa: FBT002
    as_of: AsOf = None,
) -> None:
    """Say which sets decide the order of two entrants, and how many more would settle it."""
    form = "json" if as_json else "text"
    raise typer.Exit(referee_command("standings").show_explanation(data, name, (one, two), form=form, as_of=as_of))


def main() -> None:
    """Run the command line; never shows a traceback for bad input, nor for an output that takes nothing."""
    try:
        try:
            sys.exit(app(standalone_mode=False, prog_name="rummyref"))
        finally:
            sys.stdout.flush()
    except _UsageError as wrong:
        sys.stderr.write(_usage(wrong))
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    except OSError as full:
        if full.errno not in _FULL:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"rummyref: {full.filename or 'the output'} cannot be written: {full.strerror}\n")
        sys.exit(BAD_INPUT)


def _usage(wrong: typer.BadParameter) -> str:
    """Return the line about a command line that cannot be read; nothing where its help has been shown instead."""
    said = " ".join(wrong.format_message().split()).rstrip(".")
    where = wrong.ctx.command_path if wrong.ctx is not None else "rummyref"
    return f"rummyref: {said[0].lower()}{said[1:]}; see {where} --help\n" if said else ""
