"""Servers and bots in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
_END_WITHIN_S: Final = 10


class Server(NamedTuple):
    """A server that listens.

    Attributes:
        address: HOST:PORT.
        pid: Of its process.
    """

    address: str
    pid: int


def start(*arguments: str) -> "subprocess.Popen[str]":
    """Start the module of the first of *arguments* with the others."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "proto")))
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    """Run a server and say where it is; end it afterwards."""
    process = start(*arguments)
    try:
        if process.stdout is None:
            raise RuntimeError("no pipe to the server")
        line = process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"{arguments[0]} does not listen: {line!r}")
        yield Server(line.removeprefix("listening on ").strip(), process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
