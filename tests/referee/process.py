"""A referee in a process of its own, to be killed for real."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


class RefereeProcess:
    """`python -m referee` on loopback with a data folder of the test."""

    def __init__(
        self, data: Path, listen: str = "127.0.0.1:0", *more: str, program: Sequence[str] = ("-m", "referee")
    ) -> None:
        """Start it with *more* flags and wait until it listens; *program* is what Python runs."""
        flags = ["--listen", listen, "--data", str(data), "--log-level", "warning", *more]
        self.process = subprocess.Popen(
            [sys.executable, *program, *flags],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}", "PATH": "/usr/bin:/bin"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), line
        self.address = line.removeprefix("listening on ").strip()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self._close()

    def stop(self) -> int:
        """End it in an orderly way and return its exit code."""
        self.process.terminate()
        code = self.process.wait(60)
        self._close()
        return code

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()
