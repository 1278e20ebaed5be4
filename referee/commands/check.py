"""`rummyref ladder check`: what a run of a ladder file would do."""

import sys
from datetime import timedelta
from pathlib import Path

from referee.ladder.forecast import Forecast, forecast
from referee.ladder.manifest import Manifest, ManifestError, read_manifest
from referee.ladder.processes import StartError, need_command

DONE, BAD_INPUT = 0, 2


def check(file: Path) -> int:
    """Print what a run of *file* would do; return 2 if it could not be run."""
    try:
        manifest = read_manifest(file)
    except ManifestError as wrong:
        sys.stderr.write(f"rummyref ladder: {wrong}\n")
        return BAD_INPUT
    sys.stdout.write("".join(f"{line}\n" for line in _lines(manifest, forecast(manifest))))
    missing = 0
    for entrant in manifest.entrant:
        owner = f", owner {entrant.owner}" if entrant.owner else ""
        try:
            need_command(entrant.name, entrant.command, manifest.folder_of(file), entrant.env)
        except StartError as refused:
            missing += 1
            sys.stderr.write(f"rummyref ladder: {refused}\n")
        else:
            sys.stdout.write(f"  {entrant.name}{owner}: {' '.join(entrant.command)}\n")
    return BAD_INPUT if missing else DONE


def _met(manifest: Manifest, meetings: tuple[int, int]) -> str:
    """Return how often those meet in a cycle who are not in every set; with one free seat they do not meet at all."""
    least, most = meetings
    if not most:
        return f"in it each of the others meets {' and '.join(manifest.always)} once"
    often = f"{least}" if least == most else f"{least} to {most}"
    others = " others" if manifest.always else ""
    return f"in it every two{others} meet {often} time{'' if least == most == 1 else 's'}"


def _lines(manifest: Manifest, found: Forecast) -> list[str]:
    spec, shape, rules = manifest.ladder, manifest.shape, manifest.rules()
    isolated = ", each with fresh bots" if spec.isolate else ""
    until = f", until it is decided within {spec.margin:g} points" if spec.margin is not None else ""
    lines = [
        f"ladder {spec.name}: {rules.preset}, {spec.players} players, clock {spec.clock}",
        f"format {spec.format}, design {spec.design}: {len(manifest.names)} entrants, {shape.entrants} in a set",
        f"{spec.sets} sets of {shape.tables} tables{isolated}: {found.tables} tables, {spec.parallel_tables} at once"
        + until,
    ]
    if found.cycle is not None and found.meetings is not None:
        whole = "" if spec.sets % found.cycle == 0 else f"; {spec.sets} sets are no whole number of cycles"
        lines.append(f"a cycle has {found.cycle} sets; {_met(manifest, found.meetings)}{whole}")
    took = timedelta(seconds=round(found.seconds))
    lines.append(f"about {found.decisions} decisions, {took} on one processor if bots think as long as greedy")
    lines.append("entrants:")
    return lines
