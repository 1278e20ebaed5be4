"""A referee and bots of one's own, started beside a person and ended with the game."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from clients.cli.exits import stop

_LISTENING = "listening on "
_LOG = "referee.log"
_END_WITHIN_S = 10.0


@contextlib.contextmanager
def referee(data: Path, *flags: str) -> Iterator[str]:
    """Run a referee on any free port of this machine, with more *flags* of `serve`; yield its address."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        log = (data / _LOG).open("ab")
    except OSError as refused:
        stop(f"{data} cannot be written to: {refused.strerror}; choose another folder with --data")
    with log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "referee", "--listen", "127.0.0.1:0", "--data", str(data), *flags],
            env={name: value for name, value in os.environ.items() if not name.startswith("RUMMYREF_SERVE_")},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    try:
        line = process.stdout.readline() if process.stdout is not None else ""
        if not line.startswith(_LISTENING):
            process.wait()
            stop(f"the referee did not start: {_last_words(data / _LOG)}")
        yield line.removeprefix(_LISTENING).strip()
    finally:
        _end(process)


@contextlib.contextmanager
def bots(address: str, tokens: list[tuple[str, str]]) -> Iterator[None]:
    """Run a bot for each (name, token)."""
    processes = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "clients.cli", "bot", "run", name, "--address", address, "--capacity", "1"],
            env={**os.environ, "RUMMYREF_TOKEN": token, "RUMMYREF_CA": ""},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for name, token in tokens
    ]
    try:
        yield
    finally:
        for process in processes:
            _end(process)


def _last_words(log: Path) -> str:
    """Return what the referee said last, without its name, and where the rest is."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return f"{lines[-1].removeprefix('rummyref serve: ') if lines else 'it said nothing'} ({log})"


def _end(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_END_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
