"""Runs bots under bubblewrap: nothing to write on, nobody to talk to but the referee.

A bot in the sandbox sees the machine's programs read only, and of folders that may
hold what is none of its business only what it needs to run. It has processes and a
network of its own, which reach no other; the referee is a socket in its file system.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from referee.ladder.processes import StartError

ADDRESS: Final = "unix:/run/rummyref/referee.sock"
"""Where a bot in the sandbox finds the referee."""

_SOCKET: Final = "referee.sock"
_HOME: Final = "/run/home"
_HIDDEN: Final = ("/tmp", "/var/tmp", "/run", "/home", "/root")  # noqa: S108 - hidden, not used
_BARE: Final = ("--unshare-all", "--die-with-parent", "--ro-bind", "/", "/")
_TRY_S: Final = 60
_INHERITED: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "VIRTUAL_ENV")


class Sandbox:
    """What the bots of one ladder run in.

    Attributes:
        socket: Where the referee must listen for them.
    """

    def __init__(self, data: Path) -> None:
        """Prepare to hide *data*, the folder of the ladder.

        Raises:
            StartError: There is no bubblewrap, or it may not do here what it has to.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise StartError("--sandbox needs bubblewrap: install it (Debian: apt-get install bubblewrap)")
        try:
            tried = subprocess.run(  # noqa: S603 - a program of the machine
                [program, *_BARE, "true"], capture_output=True, text=True, timeout=_TRY_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise StartError(f"--sandbox: bubblewrap has not started a program in {_TRY_S} s") from None
        if tried.returncode:
            said = tried.stderr.strip().splitlines()
            raise StartError(
                f"--sandbox: bubblewrap does not work here ({said[-1] if said else tried.returncode}); "
                "this machine must allow user namespaces"
            )
        self._program = program
        self._data = data.resolve()
        self._folder = tempfile.TemporaryDirectory(prefix="rummyref-")
        self.socket: Final = Path(self._folder.name) / _SOCKET

    @property
    def inherited(self) -> dict[str, str]:
        """What bots get of the organiser's environment: where they are, and nothing that could be a secret."""
        return {name: os.environ[name] for name in _INHERITED if name in os.environ}

    def wrapped(self, command: list[str], folder: Path, path: str) -> list[str]:
        """Return what runs *command* in *folder* in the sandbox; its program is looked for along *path*."""
        program = shutil.which(command[0] if "/" not in command[0] else str(folder / command[0]), path=path)
        needed = [folder, *_python(), *(_around(Path(program)) if program else [])]
        return [
            self._program, *_BARE, "--dev", "/dev", "--proc", "/proc",
            *(part for hidden in _HIDDEN if Path(hidden).is_dir() for part in ("--tmpfs", hidden)),
            *_shown(needed),
            *(("--tmpfs", str(self._data)) if self._data.is_dir() else ()),
            "--bind", self._folder.name, "/run/rummyref",
            "--dir", _HOME, "--setenv", "HOME", _HOME, "--setenv", "TMPDIR", _HOME,
            "--chdir", str(folder),
            "--", *command,
        ]  # fmt: skip

    def close(self) -> None:
        """Remove the socket's folder."""
        self._folder.cleanup()


def _shown(places: list[Path]) -> list[str]:
    """Return what lets *places* be seen again where they are hidden: themselves, or what they are links to."""
    real = list(dict.fromkeys(place.resolve() for place in places))
    linked = [place for place in dict.fromkeys(places) if not any(place.is_relative_to(folder) for folder in real)]
    return [
        *(part for place in real if _is_hidden(place) for part in ("--ro-bind", str(place), str(place))),
        *(part for place in linked if _is_hidden(place) for part in ("--symlink", str(place.resolve()), str(place))),
    ]


def _around(program: Path) -> list[Path]:
    """Return the folders that a program needs: where it stands, where it leads to, and its virtual environment."""
    environment, real = program.parent.parent, program.resolve()
    if (environment / "pyvenv.cfg").is_file():
        return [environment, real.parent.parent]
    return [program.parent, real.parent]


def _python() -> list[Path]:
    """Return the folders that this Python and this program need, as bots that come with it do."""
    prefixes = [Path(sys.prefix), Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()]
    imports = [Path(place).resolve() for place in sys.path if Path(place).is_dir()]
    return [*dict.fromkeys([*prefixes, *imports, Path(__file__).resolve().parents[2]])]


def _is_hidden(place: Path) -> bool:
    return any(place.is_relative_to(hidden) for hidden in _HIDDEN)
