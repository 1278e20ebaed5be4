"""Lines that a person types, read so that no signal is lost between the question and the wait for its answer.

`input` checks for signals, then blocks: one that comes in between is seen at the next line only, so a
program that is told to end waits for a key. Here every signal also writes to a pipe, and what is waited
for is either of the two.
"""

import os
import select
import signal
import sys
from types import TracebackType
from typing import Final, Self

_AT_ONCE: Final = 65_536
"""Bytes read at once."""


class Keyboard:
    """The standard input, line by line, in the main thread.

    A context: while it lasts, the signals of the whole process lead here.
    """

    def __init__(self) -> None:
        """Read nothing yet."""
        self._typed = b""

    def __enter__(self) -> Self:
        """Have signals wake whoever waits for a line."""
        self._woken, self._wakes = os.pipe()
        for end in (self._woken, self._wakes):
            os.set_blocking(end, False)
        self._before = signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let signals be as they were."""
        signal.set_wakeup_fd(self._before)
        os.close(self._woken)
        os.close(self._wakes)

    def line(self, prompt: str) -> str:
        """Return the next line, without its end, after *prompt*.

        Raises:
            EOFError: There is no more input, or the terminal has gone.
        """
        sys.stdout.write(prompt)
        sys.stdout.flush()
        typing = sys.stdin.fileno()
        while b"\n" not in self._typed:
            # The handler of a signal that came before runs here at the latest, and may raise.
            ready, _, _ = select.select([typing, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, _AT_ONCE)
            if typing in ready:
                self._typed += self._read(typing)
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _read(self, typing: int) -> bytes:
        try:
            typed = os.read(typing, _AT_ONCE)
        except OSError as gone:
            raise EOFError from gone
        if not typed and not self._typed:
            raise EOFError
        return typed or b"\n"  # a last line may have no end of its own
