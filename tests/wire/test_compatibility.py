"""The API is held against the baseline that its clients were built for."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT

BASELINE = ROOT / "proto" / "baseline.binpb"
BUF = shutil.which("buf", path=str(Path(sys.executable).parent)) or "buf"


def breaking(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the API in *folder* as `make lint` does."""
    return subprocess.run(
        [BUF, "breaking", "--against", str(BASELINE)], cwd=folder, capture_output=True, text=True, check=False
    )


def changed(folder: Path, file: str, before: str, after: str) -> Path:
    """Return *folder* with a copy of the API in which a text of *file* is another."""
    shutil.copy(ROOT / "buf.yaml", folder)
    shutil.copytree(ROOT / "proto", folder / "proto", ignore=shutil.ignore_patterns("*.py", "*.pyi", "*.binpb"))
    path = folder / "proto" / "rummyref" / "v1" / file
    text = path.read_text("utf-8")
    assert before in text, "the text to be changed has gone: choose another"
    path.write_text(text.replace(before, after), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "before", "after", "told"),
    [
        ("play_service.proto", "bool want_views = 5;", "bool want_views = 55;", "without reserving"),
        ("play_service.proto", "bool want_views = 5;", "bool with_views = 5;", "changed name"),
        ("play_service.proto", "uint32 attempt = 4;", "string attempt = 4;", "changed type"),
        ("reasons.proto", "REASON_MATCH_OVER = 4;", "REASON_MATCH_OVER = 404;", "without reserving"),
        ("reasons.proto", "REASON_MATCH_OVER = 4;", "REASON_OVER = 4;", "changed name"),
        ("player_service.proto", "rpc Register(", "rpc Enrol(", "deleted"),
        ("moves.proto", "TakeTurnUp", "TakeAtu", "deleted"),
        ("table_service.proto", "returns (stream WatchResponse)", "returns (WatchResponse)", "streaming"),
    ],
)
def test_a_break_is_found(tmp_path: Path, file: str, before: str, after: str, told: str) -> None:
    """A number, name, type, call or message that clients know cannot be changed or taken away."""
    result = breaking(changed(tmp_path, file, before, after))
    assert result.returncode == 100, result
    assert told in result.stdout


def test_an_addition_is_none(tmp_path: Path) -> None:
    """A new field, value and message pass; so does the API as it is."""
    folder = changed(tmp_path, "player_service.proto", "string name = 1;", "string name = 1;\n  string motto = 1000;")
    result = breaking(folder)
    assert (result.returncode, result.stdout) == (0, "")


def test_the_check_is_in_make_lint() -> None:
    """What everybody runs holds the API against the baseline that is committed, not against a branch."""
    planned = subprocess.run(
        ["make", "--dry-run", "--silent", "lint"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "buf breaking --against proto/baseline.binpb" in planned.stdout
