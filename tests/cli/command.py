"""The `rummyref` command as a user runs it, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Return an environment in which `rummyref` and the packages of this tree are found."""
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}", "NO_COLOR": "1", "COLUMNS": "120"}


def rummyref(*arguments: str, cwd: Path = ROOT, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "clients.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(),
        timeout=timeout_s,
        check=False,
    )


def refused(*arguments: str, code: int = 2) -> str:
    """Run a command that must be refused in one line, and return the line."""
    result = rummyref(*arguments)
    assert result.returncode == code, result
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr
