"""`rummyref proto export`: the files of the API for whoever has no Python."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.cli.command import ROOT, refused, rummyref

FILES = {path.relative_to(ROOT / "proto"): path.read_bytes() for path in (ROOT / "proto").rglob("*.proto")}


def written(folder: Path) -> dict[Path, bytes]:
    """Return what lies in *folder*, by path."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_files_are_written_and_compile(tmp_path: Path) -> None:
    """All of them, byte for byte, at paths that their own imports name; a second time changes nothing."""
    folder = tmp_path / "vendor" / "api"
    result = rummyref("proto", "export", str(folder))
    assert (result.returncode, result.stdout.split()[:2]) == (0, ["wrote", str(len(FILES))])
    assert written(folder) == FILES
    descriptors = tmp_path / "api.bin"
    protoc = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(folder), f"--descriptor_set_out={descriptors}"]
    subprocess.run([*protoc, *map(str, FILES)], check=True)
    again = rummyref("proto", "export", str(folder))
    assert (again.returncode, "already" in again.stdout) == (0, True)


def test_other_files_are_not_written_over(tmp_path: Path) -> None:
    """A folder with an older file, or with somebody's own, is left as it is unless that is asked for."""
    older = next(iter(FILES))
    (tmp_path / older).parent.mkdir(parents=True)
    (tmp_path / older).write_text("older")
    assert f"its {older} differs" in refused("proto", "export", str(tmp_path))
    (tmp_path / older).rename(tmp_path / "mine")
    assert "it is not empty" in refused("proto", "export", str(tmp_path))
    assert written(tmp_path) == {Path("mine"): b"older"}
    assert rummyref("proto", "export", str(tmp_path), "--force").returncode == 0
    assert written(tmp_path) == {**FILES, Path("mine"): b"older"}


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    """What is no folder is refused in one line."""
    (tmp_path / "file").write_text("")
    assert "Not a directory" in refused("proto", "export", str(tmp_path / "file"))


def test_the_wheel_carries_the_files(tmp_path: Path) -> None:
    """An installation without the repository can export, too."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        held = {Path(name): packed.read(name) for name in packed.namelist() if name.endswith(".proto")}
    assert held == FILES
