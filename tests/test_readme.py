"""Every command in the README is run, in its order, as a newcomer would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT, environment

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
STARTS_A_SERVER = "rummyref serve"
EXAMINES = "rummyref doctor "
BY_MAKE = "make "


def commands() -> list[str]:
    """Return the commands of the README without their comments.

    A bot is examined with a slow clock: that the machine is busy with other tests is no fault of its.
    """
    blocks = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [f"{line} --clock slow" if line.startswith(EXAMINES) else line for line in lines if line]


def newcomer(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Return a folder with the ladders, and an environment that has the `rummyref` command."""
    folder, programs = tmp_path / "home", tmp_path / "bin"
    programs.mkdir()
    script = programs / "rummyref"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clients.cli "$@"\n')
    script.chmod(0o755)
    folder.mkdir()
    shutil.copytree(ROOT / "ladders", folder / "ladders")
    demo = folder / "ladders" / "demo.toml"
    demo.write_text(re.sub(r"^sets = \d+$", "sets = 2", demo.read_text("utf-8"), flags=re.MULTILINE))
    env = environment()
    return folder, {**env, "PATH": f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"}


@pytest.mark.timeout(600)
def test_every_command_works(tmp_path: Path) -> None:
    """Each command ends well; the referee says where it listens and stops when told to."""
    folder, env = newcomer(tmp_path)
    ran = 0
    for command in commands():
        if command.startswith(BY_MAKE):
            target = command.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        elif command.startswith(STARTS_A_SERVER):
            serve(command.replace("127.0.0.1:50051", "127.0.0.1:0"), folder, env)
        else:
            result = subprocess.run(
                command,
                shell=True,
                cwd=folder,
                env=env,
                input="leave\n",
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert result.returncode == 0, (command, result)
        ran += 1
    assert ran >= 9


def serve(command: str, folder: Path, env: dict[str, str]) -> None:
    """Start the referee, wait for its first line, and stop it."""
    process = subprocess.Popen(command.split(), cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("listening on ")
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
