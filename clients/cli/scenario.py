"""`rummyref scenario`: check positions written down as text."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from clients.cli.exits import BAD_INPUT, FAILED, stop
from clients.cli.options import AsJson
from engine.scenario.reader import ScenarioError, read_file
from engine.scenario.runner import Outcome, run

app = typer.Typer(no_args_is_help=True, help="Run scenario files.")


@app.command("run")
def run_files(
    files: Annotated[list[Path], typer.Argument(help="Scenario files.")],
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Play scenarios, print what happens, and count those that pass."""
    outcomes: list[Outcome] = []
    try:
        for file in files:
            outcomes += [run(scenario) for scenario in read_file(_text(file), str(file))]
    except ScenarioError as unreadable:
        stop(str(unreadable), BAD_INPUT)
    failed = sum(bool(outcome.failures) for outcome in outcomes)
    if as_json:
        sys.stdout.write(json.dumps(_as_json(outcomes, failed)) + "\n")
    else:
        for outcome in outcomes:
            sys.stdout.writelines(f"{line}\n" for line in (*outcome.transcript, *outcome.failures))
        sys.stdout.write(f"{len(outcomes) - failed} passed, {failed} failed\n")
    raise typer.Exit(FAILED if failed else 0)


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as unreadable:
        stop(f"{file} cannot be read: {unreadable.strerror}", BAD_INPUT)
    except UnicodeDecodeError as no_text:
        line = no_text.object.count(b"\n", 0, no_text.start) + 1
        raise ScenarioError(str(file), line, "this is no text in UTF-8") from no_text


def _as_json(outcomes: list[Outcome], failed: int) -> dict[str, object]:
    return {
        "passed": len(outcomes) - failed,
        "failed": failed,
        "scenarios": [
            {"name": outcome.name, "line": outcome.line, "failures": list(outcome.failures)} for outcome in outcomes
        ],
    }
