"""docs/write-a-bot.md: every section is done as it says, in a folder of its own."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import ROOT
from tests.referee.process import RefereeProcess
from tests.starters.starter import GO, TYPESCRIPT, Starter, with_tools

PAGE: Final = (ROOT / "docs" / "write-a-bot.md").read_text("utf-8")
SECTIONS: Final = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
SERVES: Final = "rummyref serve --listen 127.0.0.1:50051"
WITHIN_S: Final = 500  # the first build on a machine compiles libraries


def script(section: str) -> str:
    """Return the commands of a section."""
    return "".join(re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL))


def save_files(section: str, folder: Path) -> list[str]:
    """Write the files that a section has its reader save, and return their names."""
    found = re.findall(r"as `([\w.]+)`:\n\n```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    for name, text in found:
        (folder / name).write_text(text)
    return [name for name, _ in found]


def newcomer(folder: Path, *starters: Starter) -> dict[str, str]:
    """Make *folder* look like a fresh clone, skip the test where a tool is missing, and return the environment."""
    for starter in starters:
        lacking = starter.lacking()
        if lacking is not None:
            pytest.skip(f"this machine has no {lacking}")
        made = shutil.ignore_patterns("node_modules", "gen", "dist", "bot")
        shutil.copytree(starter.folder, folder / "clients" / "starters" / starter.name, ignore=made)
    (folder / "proto").symlink_to(ROOT / "proto")
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    program = programs / "rummyref"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clients.cli "$@"\n')
    program.chmod(0o755)
    return with_tools()


def follow(commands: str, folder: Path, env: dict[str, str]) -> str:
    """Run the commands as one shell would, after those of the introduction; return what they print.

    A bot is examined with a slow clock: that the machine is busy with other tests is no fault of its.
    """
    introduction = script(PAGE.partition("\n## ")[0])
    commands = re.sub(r"^rummyref doctor .+", r"\g<0> --clock slow", commands, flags=re.MULTILINE)
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", introduction + commands],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert result.returncode == 0, result
    return result.stdout


def test_python(tmp_path: Path) -> None:
    """The bot on the page plays its ladder and is better than a random one."""
    env = newcomer(tmp_path)
    assert save_files(SECTIONS["Python"], tmp_path) == ["first_bot.py", "first.toml"]
    printed = follow(script(SECTIONS["Python"]), tmp_path, env)
    assert printed.index(" first ") < printed.index(" random ")


@pytest.mark.timeout(WITHIN_S)
@pytest.mark.parametrize("starter", [GO, TYPESCRIPT], ids=["Go", "TypeScript"])
def test_other_languages(tmp_path: Path, starter: Starter, request: pytest.FixtureRequest) -> None:
    """The starter is built from nothing, and found fit."""
    env = newcomer(tmp_path, starter)
    printed = follow(script(SECTIONS[request.node.callspec.id]), tmp_path, env)
    assert "back after a restart" in printed
    assert "failed" not in printed


def test_by_hand(tmp_path: Path) -> None:
    """A generic tool arranges a hand, seats two guests and watches their match to its end."""
    env = newcomer(tmp_path)
    served, *commands = script(SECTIONS["By hand"]).splitlines(keepends=True)
    assert served.startswith(SERVES)
    referee = RefereeProcess(tmp_path / "by-hand")
    printed = follow("".join(commands).replace("127.0.0.1:50051", referee.address), tmp_path, env)
    assert referee.stop() == 0
    assert '"CARD_KING_OF_CLUBS"' in printed
    assert printed.index('"roundDealt"') < printed.index('"matchOver"')


def test_nothing_on_the_page_goes_unread() -> None:
    """Every command stands in a section that a test follows, and every make target exists."""
    followed = {"Python", "Go", "TypeScript", "By hand"}
    assert {title for title, section in SECTIONS.items() if script(section)} == followed
    for target in re.findall(r"`make ([a-z-]+)`", PAGE):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
