"""Replays of every format stay readable: files as they were once written, never to be changed."""

import json
from pathlib import Path

import pytest

from clients.cli.replay import show
from clients.cli.signatures import is_signed
from engine.record.audit import audit
from engine.record.chain import lines_in, write
from engine.record.entries import FORMAT, Header
from engine.record.replay import SUFFIX, only_entries, read
from engine.rules.ruleset import RULES_VERSION
from tests.cli.replaying import called

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob(f"format-*/*{SUFFIX}"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_an_old_replay_verifies(file: Path) -> None:
    """Chain, deal, plays, clocks, scores and, where there is one, the signature hold, as on the day it was written."""
    with file.open("rb") as raw:
        verdict = audit(lines_in(raw), is_signed)
    assert verdict.ok, verdict


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_an_old_replay_keeps_its_format_and_its_bytes(file: Path) -> None:
    """The folder names the format; entries read are written as they were; the match can be shown."""
    with file.open("rb") as raw:
        lines = list(only_entries(read(lines_in(raw))))
    header = lines[0].entry
    assert isinstance(header, Header)
    assert file.parent.name == f"format-{header.format}"
    again = list(write(line.text for line in lines))
    assert again == file.read_text("utf-8").splitlines(keepends=True)[: len(lines)]
    shown = called(show, file)
    assert (shown.code, shown.err) == (0, "")


def test_rules_of_every_version_are_kept() -> None:
    """There are tables of a set, whose stock is parted, in a game that begins without a draw: versions part there."""
    headers = [json.loads(file.read_text("utf-8").splitlines()[0])["entry"] for file in FILES]
    kept = {header["rules_version"] for header in headers if header["preset"].startswith("closed-rummy")}
    assert kept == set(range(1, RULES_VERSION + 1))


def test_every_format_is_kept() -> None:
    """There are files of each format that was ever written, tables of their own and tables of a set."""
    kept = {(file.parent.name, file.name.removesuffix(SUFFIX).rpartition("-")[2]) for file in FILES}
    wanted = {(f"format-{number}", kind) for number in range(1, FORMAT + 1) for kind in ("table", "set")}
    assert kept >= wanted
