"""The bots of clients/starters: what building them takes, and how they are started."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.cli.command import ROOT, environment

FOLDER: Final = ROOT / "clients" / "starters"
BUILD: Final = ROOT / "build"


@dataclass(frozen=True, slots=True)
class Starter:
    """A bot in another language.

    Attributes:
        name: Of its folder.
        tools: Programs that building and running it takes.
        steps: Commands that build it, run in its folder.
        product: The file that they leave there, and that is run.
        runner: What runs it; empty where it runs by itself.
    """

    name: str
    tools: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    product: str
    runner: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where it stands."""
        return FOLDER / self.name

    @property
    def command(self) -> list[str]:
        """Return what starts it, once it has been built."""
        return [*self.runner, str(self.folder / self.product)]

    def lacking(self) -> str | None:
        """Return the first tool that this machine has not, if there is one."""
        return next((tool for tool in self.tools if shutil.which(tool) is None), None)

    def build(self) -> None:
        """Build it where it stands, unless it is newer than what it is made of.

        Raises:
            AssertionError: A step fails; with what it said.
        """
        with _alone():
            product = self.folder / self.product
            if product.exists() and product.stat().st_mtime >= max(file.stat().st_mtime for file in self._sources()):
                return
            for step in self.steps:
                result = subprocess.run(
                    step, cwd=self.folder, env=with_tools(), capture_output=True, text=True, check=False
                )
                assert result.returncode == 0, f"{' '.join(step)}: {result.stdout}{result.stderr}"
            product.touch()

    def _sources(self) -> Iterator[Path]:
        yield from (file for file in self.folder.iterdir() if file.is_file() and file.name != self.product)
        yield from (ROOT / "proto" / "rummyref" / "v1").glob("*.proto")


GO: Final = Starter("go", ("go", "make"), (("make",),), "bot")
TYPESCRIPT: Final = Starter(
    "typescript",
    ("node", "npm"),
    (("npm", "ci", "--no-audit", "--no-fund"), ("npm", "run", "build")),
    "dist/bot.js",
    runner=("node",),
)
STARTERS: Final = (GO, TYPESCRIPT)


def with_tools() -> dict[str, str]:
    """Return an environment in which the programs beside this Python are found, buf among them."""
    inherited = {name: value for name, value in environment().items() if not name.startswith("MAKE")}
    return {**inherited, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{inherited['PATH']}"}


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other processes from building in the same folders."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "starters.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
