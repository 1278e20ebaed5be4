"""The tree as a package and as a house."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = ("engine", "wire", "referee", "clients")
LONGEST_MODULE = 400
# What would tie the tree to one machine, network or package index.
ELSEWHERE = re.compile(
    r"(?<![\w.])/(?:home|root|Users|work|tmp|mnt)/\w|\.\./shared|py[p]i|python[h]osted|index-[u]rl|@ (?:file|http)"
)
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
HERE = {"127.0.0.1", "0.0.0.0"}


def files(suffix: str = "") -> Iterator[Path]:
    """Yield the files of the tree, without what .gitignore names; needs no git."""
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()] + [".git"]

    def is_ignored(path: Path) -> bool:
        named = (path.name, path.relative_to(ROOT).as_posix())
        return any(fnmatch(name, pattern) for name in named for pattern in ignored) or (path / "pyvenv.cfg").exists()

    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if not is_ignored(Path(folder, name))]
        paths = (Path(folder, name) for name in names if name.endswith(suffix))
        yield from (path for path in paths if not is_ignored(path))


def requirements(*, runtime: bool = False) -> list[Requirement]:
    """Return what the project asks for by name: what `make ladder` installs, or all."""
    groups = [] if runtime else PROJECT["dependency-groups"].values()
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [PROJECT["project"]["dependencies"], extras["analysis"], extras["report"], *groups]
    lines += [] if runtime else [extras["postgres"]]
    return [Requirement(line) for group in lines for line in group]


def plain(name: str) -> str:
    """Return a distribution's name in its canonical spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_else_brings_a_package_of_our_name(package: str) -> None:
    """Generic names are ours alone in this environment."""
    owners = set(importlib.metadata.packages_distributions().get(package, ["rummyref"]))
    assert owners == {"rummyref"}


def test_the_api_leaves_room_for_others_at_proto() -> None:
    """Neither `proto` nor `rummyref` is a regular package, which would hide another's folder of that name."""
    assert not list((ROOT / "proto").glob("__init__.py"))
    assert not list((ROOT / "proto" / "rummyref").glob("__init__.py"))


def test_generated_code_runs_on_the_oldest_versions_allowed() -> None:
    """The generator's versions are the floors of the dependencies."""
    floors = {
        wanted.name: Version(bound.version)
        for wanted in requirements(runtime=True)
        for bound in wanted.specifier
        if bound.operator == ">="
    }
    headers = [(path, path.read_text("utf-8")) for path in files("_pb2.py")]
    assert headers
    for path, text in headers:
        made_by = re.search(r"Protobuf Python Version: ([\d.]+)", text)
        assert made_by is not None, path
        assert Version(made_by[1]) <= floors["protobuf"], path
    stubs = [(path, path.read_text("utf-8")) for path in files("_pb2_grpc.py")]
    assert stubs
    for path, text in stubs:
        made_by = re.search(r"GRPC_GENERATED_VERSION = '([\d.]+)'", text)
        assert made_by is not None, path
        assert Version(made_by[1]) <= floors["grpcio"], path


def test_pins_satisfy_what_is_asked_for() -> None:
    """constraints.txt pins every named dependency to a version in its range, and holds nothing but pins."""
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split())
    pinned = {plain(name): version for name, version in pins.items()}
    for wanted in requirements():
        assert wanted.specifier.contains(pinned[plain(wanted.name)]), wanted


def test_what_is_imported_is_asked_for() -> None:
    """The packages import nothing that an installation without the dev group lacks."""
    asked = {plain(wanted.name) for wanted in requirements(runtime=True)}
    bringers = importlib.metadata.packages_distributions()
    ours = {*PACKAGES, "rummyref", *sys.stdlib_module_names}
    imported = {name: path for package in PACKAGES for path in (ROOT / package).rglob("*.py") for name in imports(path)}
    assert len(imported) > len(PACKAGES)
    lacking = {
        name: str(path.relative_to(ROOT))
        for name, path in imported.items()
        if name not in ours and not asked & {plain(bringer) for bringer in bringers.get(name, [])}
    }
    assert not lacking


def imports(path: Path) -> Iterator[str]:
    """Yield the top-level names that a module imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_modules_stay_small() -> None:
    """No module of ours is longer than the house allows."""
    long = {
        str(path.relative_to(ROOT)): lines
        for path in files(".py")
        if "_pb2" not in path.name
        if (lines := len(path.read_text("utf-8").splitlines())) > LONGEST_MODULE
    }
    assert not long


def test_the_layers_name_every_family() -> None:
    """The contract that keeps families behind the registry lists each module that defines one."""
    contracts = {contract["name"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
    families = {
        f"engine.rules.{path.stem}"
        for path in (ROOT / "engine" / "rules").glob("*.py")
        if re.search(r"^FAMILY\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert families
    assert set(contracts["Only the registry knows families"]["protected_modules"]) == families


def test_nothing_depends_on_one_machine() -> None:
    """No file names somebody's folder, network address or package index."""
    found = []
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        names = ELSEWHERE.findall(text) + [address for address in ADDRESS.findall(text) if address not in HERE]
        found += [f"{path.relative_to(ROOT)}: {name}" for name in names]
    assert not found


def test_every_target_is_explained() -> None:
    """`make help` lists each target that is meant to be called."""
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    printed = make("help").stdout.splitlines()
    explained = {line.split()[0] for line in printed}
    assert all(len(line.split()) > 1 for line in printed)
    assert explained == set(phony[1].split())
    assert {"help", "setup", "test", "ladder", "bench", "proto", "proto-check", "clean"} <= explained


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make, untouched by a make that may have started these tests."""
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(["make", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("python", "missing"),
    [
        (None, "Python 3.11 or newer, and there is no "),
        ('[ "$1" = --version ] && echo Python 3.9.2; exit 1', " is Python 3.9.2: say make PYTHON="),
        ('case "$*" in *venv*) exit 1;; esac', "the venv module of Python: install it"),
    ],
)
def test_set_up_says_what_is_missing(tmp_path: Path, python: str | None, missing: str) -> None:
    """No Python, an old one, and one without venv: one line each, and nothing is made."""
    program = tmp_path / "python3"
    if python is not None:
        program.write_text(f"#!/bin/sh\n{python}\n")
        program.chmod(0o755)
    result = make(f"PYTHON={program}", f"VENV={tmp_path / 'venv'}", "ladder")
    assert result.returncode == 2
    told, by_make = result.stderr.splitlines()
    assert told.startswith("rummyref needs ")
    assert missing in told
    assert by_make.startswith("make: ***")
    assert not (tmp_path / "venv").exists()


def test_ci_does_what_people_do() -> None:
    """The CI script can be run, parses, and ends in `make test`."""
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert "make test" in script.read_text("utf-8").splitlines()


def test_docs_link_to_what_exists() -> None:
    """Every relative link in a Markdown file leads somewhere."""
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in files(".md")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
