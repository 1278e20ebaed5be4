"""The tree as a package and as a house."""

import importlib.metadata
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LONGEST_MODULE = 400


def tracked() -> list[Path]:
    """Return the files of the tree that are under version control."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.mark.parametrize("package", ["engine", "wire", "referee", "clients"])
def test_nobody_else_brings_a_package_of_our_name(package: str) -> None:
    """Generic names are ours alone in this environment."""
    owners = set(importlib.metadata.packages_distributions().get(package, ["rummyref"]))
    assert owners == {"rummyref"}


def test_generated_code_runs_on_the_oldest_versions_allowed() -> None:
    """The generator's versions are the floors of the dependencies."""
    floors = dict(re.findall(r"([a-z-]+)>=([\d.]+)", "\n".join(PROJECT["project"]["dependencies"])))
    messages = (ROOT / "proto/rummyref/v1/cards_pb2.py").read_text("utf-8")
    made_by = re.search(r"Protobuf Python Version: ([\d.]+)", messages)
    stubs = (ROOT / "proto/rummyref/v1/play_service_pb2_grpc.py").read_text("utf-8")
    stubs_by = re.search(r"GRPC_GENERATED_VERSION = '([\d.]+)'", stubs)
    assert made_by is not None
    assert stubs_by is not None
    assert version(made_by[1]) <= version(floors["protobuf"])
    assert version(stubs_by[1]) <= version(floors["grpcio"])


def version(text: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(map(int, text.split(".")))


def test_modules_stay_small() -> None:
    """No module of ours is longer than the house allows."""
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked()
        if path.suffix == ".py" and "_pb2" not in path.name
        if (lines := len(path.read_text("utf-8").splitlines())) > LONGEST_MODULE
    }
    assert not long


def test_every_target_is_explained() -> None:
    """`make help` lists each target that is meant to be called."""
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = set(re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)[1].split())  # type: ignore[index]
    explained = set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))
    assert phony == explained
    assert {"help", "setup", "test", "ladder", "bench", "proto", "proto-check", "clean"} <= explained


def test_docs_link_to_what_exists() -> None:
    """Every relative link in a Markdown file leads somewhere."""
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in tracked()
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
