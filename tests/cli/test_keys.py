"""`rummyref keys`: a key is made once, kept from others, and shown by its public half alone."""

import stat
import subprocess
import sys
from pathlib import Path

from tests.cli.command import ROOT, environment, rummyref


def test_a_key_is_made_once_and_shown(tmp_path: Path) -> None:
    """`init` and `show` print the same public key; a second `init` changes nothing and says so."""
    made = rummyref("keys", "init", "--data", str(tmp_path / "data"))
    assert (made.returncode, len(made.stdout.strip())) == (0, 64)
    file = tmp_path / "data" / "referee.key"
    secret = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret not in made.stdout
    shown = rummyref("keys", "show", "--data", str(tmp_path / "data"))
    assert (shown.returncode, shown.stdout) == (0, made.stdout)
    again = rummyref("keys", "init", "--data", str(tmp_path / "data"))
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)
    assert "is there already" in again.stderr
    assert file.read_text().strip() == secret


def test_a_key_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    """One line and exit code 2; once there is room it is made."""
    command = [sys.executable, "-m", "clients.cli", "keys", "init", "--data", str(tmp_path)]
    full = subprocess.run(
        ["prlimit", "--fsize=0", *command], capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    assert (full.returncode, full.stdout, len(full.stderr.splitlines())) == (2, "", 1), full
    assert f"{tmp_path / 'referee.key'} cannot be written" in full.stderr
    assert not list(tmp_path.iterdir())
    assert rummyref("keys", "init", "--data", str(tmp_path)).returncode == 0


def test_what_is_no_key_is_said(tmp_path: Path) -> None:
    """No file, a file of something else, a key cut short: one line and exit code 2, and nothing of the file."""
    for content in (None, "no key", "ab" * 31):
        if content is not None:
            (tmp_path / "referee.key").write_text(content)
            (tmp_path / "referee.key").chmod(0o600)
        shown = rummyref("keys", "show", "--data", str(tmp_path))
        assert (shown.returncode, shown.stdout, len(shown.stderr.splitlines())) == (2, "", 1), shown
        assert content is None or content not in shown.stderr


def test_a_key_that_everybody_may_read_signs_nothing(tmp_path: Path) -> None:
    """One line says so and how to close it; closed it is the key again."""
    made = rummyref("keys", "init", "--data", str(tmp_path)).stdout
    file = tmp_path / "referee.key"
    file.chmod(0o644)
    shown = rummyref("keys", "show", "--data", str(tmp_path))
    assert (shown.returncode, shown.stdout, len(shown.stderr.splitlines())) == (2, "", 1), shown
    assert f"chmod 600 {file}" in shown.stderr
    file.chmod(0o600)
    assert rummyref("keys", "show", "--data", str(tmp_path)).stdout == made
