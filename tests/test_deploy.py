"""The files of deploy/ can be read, and speak of what exists."""

import configparser
import re
import shlex
import tomllib
from pathlib import Path

from referee.__main__ import arguments
from referee.settings import ENV_PREFIX, ServeSettings, load

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


def settings_of(text: str) -> set[str]:
    """Return the settings that environment variables in *text* name."""
    return {name.lower() for name in re.findall(rf"{ENV_PREFIX}([A-Z_]+)", text)}


def test_example_settings_are_the_settings_there_are() -> None:
    """The TOML example is accepted as it is and names every setting, each with its default."""
    file = DEPLOY / "rummyref.example.toml"
    given = tomllib.loads(file.read_text("utf-8"))
    loaded = load(file)
    for name, value in given.items():
        assert str(getattr(loaded, name)) == str(value)
        assert str(ServeSettings.model_fields[name].get_default()) == str(value)
    named = set(re.findall(r"^#? ?([a-z_]+) = ", file.read_text("utf-8"), re.MULTILINE))
    assert named == set(ServeSettings.model_fields)


def test_environment_examples_name_settings() -> None:
    """No variable in a container, compose or environment file is unknown."""
    for name in ("Containerfile", "compose.yaml", "rummyref.example.env"):
        text = (DEPLOY / name).read_text("utf-8")
        assert settings_of(text)
        assert settings_of(text) <= set(ServeSettings.model_fields), name


def test_the_unit_runs_a_command_that_exists() -> None:
    """The flags in the systemd unit are flags of `rummyref serve`."""
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "rummyref.service", encoding="utf-8")
    program, command, *flags = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, command) == ("rummyref", "serve")
    parsed = vars(arguments().parse_args(flags))
    assert parsed["config"] == Path("/etc/rummyref.toml")
    assert parsed["data"] == f"/var/lib/{unit['Service']['StateDirectory']}"


def test_the_container_copies_what_is_there() -> None:
    """Every path that is copied exists, and every package of the wheel is copied."""
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    copied = [path for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE) for path in line.split()[:-1]]
    assert all((ROOT / path).exists() for path in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {path.split("/")[0] for path in packages} <= set(copied)


def test_compose_builds_the_container_and_keeps_its_data() -> None:
    """The compose file names the container file and a volume at its data folder."""
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    assert (DEPLOY / re.search(r"dockerfile: (\S+)", text)[1]).name == "Containerfile"  # type: ignore[index]
    assert (DEPLOY / re.search(r"env_file: (\S+)", text)[1]).exists()  # type: ignore[index]
    data = re.search(r"RUMMYREF_SERVE_DATA: \"(\S+)\"", text)[1]  # type: ignore[index]
    assert f"rummyref-data:{data}" in text
