"""The files of deploy/ can be read, and speak of what exists."""

import configparser
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
import yaml
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from referee.__main__ import arguments
from referee.commands.serve import BAD_INPUT
from referee.settings import ENV_PREFIX, ServeSettings, load

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text("utf-8")
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def instruction(name: str) -> list[str]:
    """Return the arguments of each instruction of that name in the container file, lines joined."""
    return re.findall(rf"^{name} (.+)$", CONTAINERFILE.replace("\\\n", " "), re.MULTILINE)


def variables(lines: list[str]) -> dict[str, str]:
    """Return NAME=VALUE lines as a mapping."""
    return dict(line.split("=", 1) for line in lines)


def image_environment() -> dict[str, str]:
    """Return the environment that the image sets."""
    return variables(shlex.split(" ".join(instruction("ENV"))))


def example_environment() -> dict[str, str]:
    """Return the environment of the example file."""
    lines = (DEPLOY / "rummyref.example.env").read_text("utf-8").splitlines()
    return variables([line for line in lines if line and not line.startswith("#")])


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


@pytest.mark.parametrize("given", [image_environment(), example_environment()], ids=["image", "example"])
def test_environments_are_accepted(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable of the image and of the example is a setting, and its value is one that is allowed."""
    assert given
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = load(None)
    for name, value in given.items():
        assert name.startswith(ENV_PREFIX)
        assert str(getattr(settings, name.removeprefix(ENV_PREFIX).lower())) == value


def test_the_unit_runs_a_command_that_exists() -> None:
    """The systemd unit gives flags that there are, a folder that it owns, and time for an orderly end."""
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "rummyref.service", encoding="utf-8")
    service = unit["Service"]
    program, command, *flags = shlex.split(service["ExecStart"])
    assert (Path(program).name, command) == ("rummyref", "serve")
    parsed = vars(arguments().parse_args(flags))
    assert parsed["config"] == Path("/etc/rummyref.toml")
    assert parsed["data"] == f"/var/lib/{service['StateDirectory']}"
    assert int(service["RestartPreventExitStatus"]) == BAD_INPUT
    assert int(service["TimeoutStopSec"]) > load(DEPLOY / "rummyref.example.toml").shutdown_grace_s


def test_the_container_copies_what_is_there() -> None:
    """Every path that is copied exists and is let into the build, and every package of the wheel is copied."""
    copied = {path for line in instruction("COPY") for path in line.split()[:-1]}
    assert all((ROOT / path).exists() for path in copied)
    let_in = re.findall(r"^!(.+)$", (DEPLOY / "Containerfile.dockerignore").read_text("utf-8"), re.MULTILINE)
    assert {path.rstrip("/") for path in copied} == set(let_in)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {path.split("/")[0] for path in packages} <= copied
    assert {"pyproject.toml", "constraints.txt", project["project"]["readme"]} <= copied


def test_the_container_serves_as_somebody_without_rights() -> None:
    """The image runs `rummyref serve` as its own user, on the port that it exposes, with its data in its volume."""
    assert json.loads(instruction("ENTRYPOINT")[-1]) + json.loads(instruction("CMD")[-1]) == ["rummyref", "serve"]
    user = instruction("USER")[-1]
    assert any(line.startswith("useradd ") and line.endswith(f" {user}") for line in instruction("RUN"))
    environment = image_environment()
    assert environment[f"{ENV_PREFIX}LISTEN"].endswith(f":{instruction('EXPOSE')[0]}")
    assert environment[f"{ENV_PREFIX}DATA"] == instruction("VOLUME")[0]


@contextmanager
def healthy(status: health_pb2.HealthCheckResponse.ServingStatus.ValueType) -> Iterator[int]:
    """Yield the port of a server whose health is *status*."""
    server = grpc.server(ThreadPoolExecutor(1))
    checks = health.HealthServicer()
    checks.set("", status)
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()


def test_the_health_check_tells_the_healthy_from_the_others() -> None:
    """The command in the image ends with 0 for a referee that serves, else with 1."""
    command = re.search(r"CMD (\[.+\])$", instruction("HEALTHCHECK")[0])
    assert command is not None
    python, *rest = json.loads(command[1])
    assert python == "python"

    def code(port: int) -> int:
        run = [sys.executable, *(part.replace("127.0.0.1:50051", f"127.0.0.1:{port}") for part in rest)]
        return subprocess.run(run, capture_output=True, check=False).returncode

    with healthy(SERVING) as port:
        assert code(port) == 0
    with healthy(NOT_SERVING) as port:
        assert code(port) == 1
    assert code(port) == 1


def test_compose_builds_the_container_and_keeps_its_data() -> None:
    """The compose file builds this tree, keeps the data in a volume and serves this machine only."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    (service,) = compose["services"].values()
    context = (DEPLOY / service["build"]["context"]).resolve()
    assert context == ROOT
    assert (context / service["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
    assert (DEPLOY / service["env_file"]).samefile(DEPLOY / "rummyref.example.env")
    environment = service["environment"]
    assert {name.removeprefix(ENV_PREFIX).lower() for name in environment} <= set(ServeSettings.model_fields)
    (mount,) = service["volumes"]
    volume, folder = mount.split(":")
    assert volume in compose["volumes"]
    assert folder == environment[f"{ENV_PREFIX}DATA"] == image_environment()[f"{ENV_PREFIX}DATA"]
    (published,) = service["ports"]
    assert published.startswith("127.0.0.1:")
    assert environment[f"{ENV_PREFIX}LISTEN"].endswith(f":{published.split(':')[-1]}")
    grace = float(example_environment()[f"{ENV_PREFIX}SHUTDOWN_GRACE_S"])
    assert float(service["stop_grace_period"].removesuffix("s")) > grace
