"""Reading what a person types: no signal is lost, whatever moment it comes at, and every kind of input ends cleanly."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.cli.command import environment
from tests.cli.terminal import Terminal

SIGNALS = 200

ASKING = """
import signal
from clients.cli.keyboard import Keyboard

def told(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, told)
with Keyboard() as keyboard:
    while True:
        try:
            print(f"[{keyboard.line('> ')}]", flush=True)
        except KeyboardInterrupt:
            print("told", flush=True)
        except EOFError:
            print("the end", flush=True)
            break
"""


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and what it starts, on one core: who is waited for is halted as soon as it is heard."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def test_no_signal_is_lost(tmp_path: Path) -> None:
    """One that comes after the question and before the wait for its answer ends the wait.

    Where both programs share a core about 7 % come then; `input` loses them.
    """
    with one_core():
        terminal = Terminal(cwd=tmp_path, program=("-c", ASKING))
        for _ in range(SIGNALS):
            terminal.wait_for("> ")
            terminal.process.send_signal(SIGTERM)
            terminal.wait_for("told\n", within_s=10)
        terminal.wait_for("> ")
        terminal.type("still here")
        terminal.wait_for(r"\[still here\]\n> ")
        terminal.type("\x04")  # Ctrl-D ends the line, the second one the input
        terminal.type("\x04")
        terminal.wait_for("the end\n")
        assert terminal.end() == 0


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (b"", []),
        (b"a\nb c\n\n", ["a", "b c", ""]),
        (b"a\nleft open", ["a", "left open"]),
        (b"\xff\x00\n", ["\ufffd\x00"]),
        (b"x" * 200_000 + b"\ny\n", ["x" * 200_000, "y"]),
    ],
    ids=["nothing", "lines", "no end", "no text", "long"],
)
def test_input_that_nobody_types(typed: bytes, lines: list[str]) -> None:
    """From a pipe come all lines, the last one too where it has no end, and what is no text as far as it shows."""
    ran = subprocess.run(
        [sys.executable, "-c", ASKING], input=typed, capture_output=True, env=environment(), check=True, timeout=60
    )
    assert ran.stdout.decode() == "".join(f"> [{line}]\n" for line in lines) + "> the end\n"


def test_a_terminal_that_has_gone(tmp_path: Path) -> None:
    """It is the end of input."""
    screen, theirs = pty.openpty()
    said = tmp_path / "said"
    with said.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", ASKING], stdin=theirs, stdout=out, env=environment())
    os.close(theirs)
    os.write(screen, b"a\n")
    os.close(screen)
    assert process.wait(60) == 0
    assert said.read_bytes().endswith(b"> the end\n")
