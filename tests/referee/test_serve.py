"""Starting a referee: settings, and every bad input in one line with exit code 2."""

import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.__main__ import arguments
from referee.settings import ServeSettings, load
from referee.store.database import open_database
from tests.referee.conftest import House
from tests.referee.process import ROOT, RefereeProcess


def serve(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a referee that is expected to refuse to start."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}", "PATH": os.environ["PATH"], **environment},
        check=False,
    )


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    """Return the only line on stderr of a command that was refused."""
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    """Nothing else listens where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "in use" in one_line(serve("--listen", f"127.0.0.1:{port}", "--data", str(tmp_path)))


def test_a_data_folder_in_use_is_said(tmp_path: Path) -> None:
    """Two referees on one record would both go on with its matches."""
    first = RefereeProcess(tmp_path)
    assert "used by another rummyref" in one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path)))
    assert first.stop() == 0


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:", ":1"])
def test_an_address_that_is_none_is_said(tmp_path: Path, address: str) -> None:
    """HOST:PORT is meant, and a port that there is; no other one is listened on."""
    assert "HOST:PORT" in one_line(serve("--listen", address, "--data", str(tmp_path)))


@pytest.mark.parametrize("url", ["nonsense", "nonesuch://host/name", "sqlite+nonesuch:///file", "mysql://host/name"])
def test_a_database_url_that_is_none_is_said(tmp_path: Path, url: str) -> None:
    """No traceback, and what may be written."""
    said = one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path), "--database-url", url))
    assert "postgresql+psycopg://USER@HOST/NAME" in said


def test_a_password_in_a_database_url_is_not_shown(tmp_path: Path) -> None:
    """Where nobody answers the line names the database, without the password."""
    url = "postgresql+psycopg://me:hidden-word@127.0.0.1:9/name?connect_timeout=5"
    said = one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path), "--database-url", url))
    assert "127.0.0.1" in said
    assert "hidden-word" not in said


@pytest.mark.parametrize(("schema", "remedy"), [(1, "begin anew with another --data"), (999, "or a newer one")])
def test_a_database_of_another_schema_is_left_alone(tmp_path: Path, schema: int, remedy: str) -> None:
    """A referee does not touch what an older or a newer one wrote, and says what to do."""
    file = tmp_path / "rummyref.db"
    with sqlite3.connect(file) as connection:
        connection.execute("create table meta (id integer primary key, schema_version integer not null)")
        connection.execute(f"insert into meta values (1, {schema})")
    said = one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path)))
    assert f"schema {schema}" in said
    assert remedy in said
    with sqlite3.connect(file) as connection:
        assert [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")] == [
            "meta"
        ]


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    """A broken file is refused and kept."""
    (tmp_path / "rummyref.db").write_bytes(b"no database at all" * 100)
    assert "cannot be used" in one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path)))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """The data folder must be a folder."""
    (tmp_path / "file").write_text("x")
    assert "--data" in one_line(serve("--listen", "127.0.0.1:0", "--data", str(tmp_path / "file" / "data")))


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"log_level = 'loud'", "log_level: Input should be"),
        (b"unknown = 1", "unknown: there is no such setting"),
        (b"listen = [", "settings.toml is not TOML"),
        (b"\xff", "settings.toml is not TOML"),
    ],
)
def test_bad_settings_are_said(tmp_path: Path, content: bytes, part: str) -> None:
    """A wrong value, an unknown key, a broken file and one that is no text."""
    file = tmp_path / "settings.toml"
    file.write_bytes(content)
    assert part in one_line(serve("--config", str(file), "--data", str(tmp_path)))


def test_flag_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearer setting wins."""
    file = tmp_path / "settings.toml"
    file.write_text('listen = "127.0.0.1:1"\nlog_level = "error"\nlog_format = "json"\n')
    monkeypatch.setenv("RUMMYREF_SERVE_LISTEN", "127.0.0.1:2")
    monkeypatch.setenv("RUMMYREF_SERVE_LOG_LEVEL", "warning")
    settings = load(file, listen="127.0.0.1:3")
    assert (settings.listen, settings.log_level, settings.log_format) == ("127.0.0.1:3", "warning", "json")


def test_power_safe_is_a_switch() -> None:
    """It is set, unset, or left to the environment and the file."""
    given = [vars(arguments().parse_args(flags))["power_safe"] for flags in (["--power-safe"], ["--no-power-safe"], [])]
    assert given == [True, False, None]


@pytest.mark.parametrize(("power_safe", "level"), [(False, 1), (True, 2)], ids=["kill", "power"])
def test_commits_wait_for_the_disk_where_they_are_told_to(tmp_path: Path, *, power_safe: bool, level: int) -> None:
    """SQLite's `synchronous` of every connection: NORMAL in a write-ahead log survives a kill, FULL a loss of power."""
    engine = open_database(f"sqlite:///{tmp_path / 'rummyref.db'}", power_safe=power_safe)
    with engine.connect() as first, engine.connect() as second:
        assert {each.exec_driver_sql("PRAGMA synchronous").scalar() for each in (first, second)} == {level}
    engine.dispose()


def test_a_ladder_heeds_no_setting_of_a_referee_that_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the environment for `rummyref serve`, right or wrong, changes nothing for a ladder in its folder."""
    monkeypatch.setenv("RUMMYREF_SERVE_DATABASE_URL", "sqlite:///elsewhere.db")
    monkeypatch.setenv("RUMMYREF_SERVE_LOG_LEVEL", "loud")
    assert ServeSettings.of_folder(tmp_path).database == f"sqlite:///{tmp_path / 'rummyref.db'}"


def test_help_lists_every_setting() -> None:
    """Each setting is a flag with its explanation."""
    text = serve("--help").stdout
    for name in ServeSettings.model_fields:
        assert f"--{name.replace('_', '-')}" in text


async def test_health_and_reflection_are_on(house: House) -> None:
    """The standard services answer for every service of ours."""
    health = health_pb2_grpc.HealthStub(house.channel)
    answer = await health.Check(health_pb2.HealthCheckRequest(service="rummyref.v1.PlayService"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    stub = reflection_pb2_grpc.ServerReflectionStub(house.channel)
    requests = [reflection_pb2.ServerReflectionRequest(list_services="")]
    async for response in stub.ServerReflectionInfo(iter(requests)):
        names = {service.name for service in response.list_services_response.service}
    assert {"rummyref.v1.PlayService", "rummyref.v1.TableService", "grpc.health.v1.Health"} <= names


async def test_more_than_a_thousand_calls_may_wait(house: House) -> None:
    """The server of the gRPC library cancels calls beyond a thousand unless told otherwise."""
    import asyncio

    health = health_pb2_grpc.HealthStub(house.channel)
    request = health_pb2.HealthCheckRequest()
    answers = await asyncio.gather(*(health.Check(request) for _ in range(1500)), return_exceptions=True)
    assert not [answer for answer in answers if isinstance(answer, grpc.RpcError)]
