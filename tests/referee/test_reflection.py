"""Every call can be made with a generic gRPC tool that knows nothing but the address."""

import importlib
import json
import pkgutil
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from google.protobuf.descriptor import MethodDescriptor

import rummyref.v1
from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session
from tests.referee.process import RefereeProcess

BUF: Final = shutil.which("buf", path=str(Path(sys.executable).parent)) or "buf"
WITHIN_S: Final = 60.0

ANSWERED: Final[dict[str, dict[str, Any]]] = {
    "PlayerService/Register": {"name": "anna"},
    "RulesService/ListRuleSets": {},
    "RulesService/GetRuleSet": {"preset": "remik", "options": [{"name": "jokers", "value": "6"}]},
    "RulesService/Arrange": {"preset": "remi", "cards": ["CARD_FOUR_OF_HEARTS", "CARD_FIVE_OF_HEARTS"]},
    "TableService/CreateTable": {"preset": "remi", "options": [{"name": "players", "value": "2"}]},
    "TableService/ListTables": {"pageSize": 10},
    "TableService/TakeSeat": {"tableId": "TABLE", "seat": 1},
    "TableService/GetTable": {"tableId": "TABLE"},
    "TableService/LeaveSeat": {"tableId": "TABLE", "seat": 1},
}
"""What makes each of these calls succeed, in this order; `TABLE` is the table that has been made by then."""


def methods() -> list[MethodDescriptor]:
    """Return every method of the API, service by service."""
    found = []
    for module in pkgutil.iter_modules(rummyref.v1.__path__):
        if module.name.endswith("_service_pb2"):
            file = importlib.import_module(f"rummyref.v1.{module.name}").DESCRIPTOR
            found += [method for service in file.services_by_name.values() for method in service.methods]
    return found


def named(method: MethodDescriptor) -> str:
    """Return a method as its path has it, without the package."""
    return f"{method.containing_service.name}/{method.name}"


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RefereeProcess]:
    """A referee as it is started by `rummyref serve`."""
    process = RefereeProcess(tmp_path_factory.mktemp("data"))
    yield process
    assert process.stop() == 0


def curl(referee: RefereeProcess, *arguments: str, path: str = "", token: str = "") -> subprocess.CompletedProcess[str]:
    """Run `buf curl`, which learns the API from the referee's reflection."""
    header = ["--header", f"authorization: Bearer {token}"] if token else []
    url = f"http://{referee.address}" + (f"/rummyref.v1.{path}" if path else "")
    return subprocess.run(
        [BUF, "curl", "--protocol", "grpc", *header, *arguments, url],
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


def call(referee: RefereeProcess, path: str, token: str, request: dict[str, Any]) -> dict[str, Any]:
    """Make a call that must be answered, and return the answer."""
    result = curl(referee, "--data", json.dumps(request), path=path, token=token)
    assert result.returncode == 0, (path, result)
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_every_method_is_listed(referee: RefereeProcess) -> None:
    """Reflection names all of the API, and the health service."""
    listed = set(curl(referee, "--list-methods").stdout.split())
    assert {f"rummyref.v1.{named(method)}" for method in methods()} | {"grpc.health.v1.Health/Check"} <= listed


def test_every_unary_call_can_be_made(referee: RefereeProcess) -> None:
    """Each is answered, or refused with the reason that its request deserves."""
    unary = [named(method) for method in methods() if not (method.client_streaming or method.server_streaming)]
    assert set(ANSWERED) <= set(unary)
    token = table = ""
    for path, request in ANSWERED.items():
        filled = {key: table if value == "TABLE" else value for key, value in request.items()}
        answer = call(referee, path, token, filled)
        token = answer.get("token", token)
        table = table or answer.get("table", {}).get("tableId", "")
    for path in set(unary) - set(ANSWERED):
        result = curl(referee, "--data", "{}", path=path, token=token)
        assert result.returncode == 0 or "google.rpc.ErrorInfo" in result.stderr, (path, result)


def test_a_table_can_be_watched(referee: RefereeProcess) -> None:
    """From the deal to the end of the match, as JSON: while it is played, and afterwards."""
    sessions = [Session(referee.address, "") for _ in range(2)]
    tokens = [session.register(f"guest {number}") for number, session in enumerate(sessions)]
    table = sessions[0].create_table("remi", {"players": 2, "rounds": 1}, "untimed", "minimal")
    for session in sessions:
        session.take_seat(table)
    watching: list[subprocess.CompletedProcess[str]] = []
    request = json.dumps({"tableId": table})
    watcher = threading.Thread(
        target=lambda: watching.append(curl(referee, "--data", request, path="TableService/Watch", token=tokens[0])),
    )
    watcher.start()
    players = [threading.Thread(target=Runner(session, GreedyBot).run, kwargs={"matches": 1}) for session in sessions]
    for thread in players:
        thread.start()
    for thread in (*players, watcher):
        thread.join(WITHIN_S)
    watching.append(curl(referee, "--data", request, path="TableService/Watch", token=tokens[0]))
    assert [watched.returncode for watched in watching] == [0, 0], watching
    live, past = (list(messages(watched.stdout)) for watched in watching)
    assert live == past
    events = [message["event"] for message in live]
    assert [int(event["sequence"]) for event in events] == list(range(1, len(events) + 1))
    assert "roundDealt" in events[0]
    assert "matchOver" in events[-1]
    looked_at = call(referee, "TableService/GetTable", tokens[0], {"tableId": table})["table"]
    assert looked_at["state"] == "TABLE_STATE_ENDED"
    assert looked_at["view"]["matchOver"]


def messages(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON messages that follow one another in *text*."""
    decoder, left = json.JSONDecoder(), text.strip()
    while left:
        message, end = decoder.raw_decode(left)
        yield message
        left = left[end:].lstrip()
