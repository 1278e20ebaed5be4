"""The parts of the doctor: a relay that cuts, a process that is watched, and findings from evidence."""

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from clients.doctor import findings
from clients.doctor import patient as patient_module
from clients.doctor.comeback import Comeback
from clients.doctor.findings import Finding, Outcome
from clients.doctor.house import PLAYED, STARTED, STOOD_IN, Seen
from clients.doctor.patient import CommandError, Ending, Patient, need_program
from clients.doctor.relay import Relay
from engine.moves import DRAW, Play
from engine.notation import parse_play
from engine.reasons import Reason
from engine.record.conduct import Conduct
from engine.record.entries import Cause

WITHIN_S = 60.0
SECOND = 1_000_000


@pytest.fixture
def echo() -> Iterator[str]:
    """The address of a server that sends back what it gets."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=send_back, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def send_back(connection: socket.socket) -> None:
    """Echo until the other side has ended."""
    with connection:
        while chunk := connection.recv(1024):
            connection.sendall(chunk)


def connected(relay: Relay) -> socket.socket:
    """Return a connection through *relay*."""
    host, _, port = relay.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=WITHIN_S)


def test_a_relay_passes_on_and_cuts(echo: str) -> None:
    """Bytes go both ways; a cut ends what is open and lets new connections through."""
    relay = Relay(echo)
    with connected(relay) as first, connected(relay) as second:
        for connection in (first, second):
            connection.sendall(b"hello")
            assert connection.recv(5, socket.MSG_WAITALL) == b"hello"
        relay.cut()
        assert [connection.recv(1) for connection in (first, second)] == [b"", b""]
    with connected(relay) as third:
        third.sendall(b"again")
        assert third.recv(5, socket.MSG_WAITALL) == b"again"
    assert relay.connections == 3
    relay.close()


def test_a_relay_survives_the_end_of_its_referee(echo: str) -> None:
    """Where nobody listens a connection is closed at once; another referee takes the next one."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        relay = Relay(f"127.0.0.1:{gone.getsockname()[1]}")
    with connected(relay) as refused:
        assert refused.recv(1) == b""
    relay.lead_to(echo)
    with connected(relay) as served:
        served.sendall(b"hello")
        assert served.recv(5, socket.MSG_WAITALL) == b"hello"
    relay.close()


def started(code: str) -> Patient:
    """Start a Python program as a bot and wait until it has printed."""
    patient = Patient([sys.executable, "-c", code], "127.0.0.1:1", "token", "bot")
    until = time.monotonic() + WITHIN_S
    while not patient.last_words and patient.exit_code is None and time.monotonic() < until:
        os.sched_yield()
    return patient


def test_a_bot_finds_where_to_play_and_as_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a ladder, and nothing of TLS that the caller may have set."""
    monkeypatch.setattr(patient_module, "END_WITHIN_S", WITHIN_S)
    names = ("ADDRESS", "TOKEN", "BOT", "CA", "CAPACITY")
    patient = started(
        f"import os, sys, time; values = [os.environ['RUMMYREF_' + name] for name in {names}]\n"
        "sys.stdout.write(str(values) + chr(10)); time.sleep(99)"
    )
    assert patient.last_words == "['127.0.0.1:1', 'token', 'bot', '', '8']"
    assert patient.output == len(patient.last_words) + 1
    assert 0 < patient.weigh() <= patient.memory
    ended = patient.end()
    assert (ended.code, ended.left) == (-15, False)


def test_a_bot_that_is_deaf_is_killed() -> None:
    """SIGTERM is waited upon for three seconds."""
    patient = started("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); time.sleep(99)")
    assert findings.ending(patient.end()).outcome is Outcome.FAILED
    assert patient.exit_code == -9


def test_processes_that_a_bot_leaves_are_found_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that does not end with its parent."""
    monkeypatch.setattr(patient_module, "END_WITHIN_S", WITHIN_S)
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(99)"
    patient = started(
        f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(99)"
    )
    ended = patient.end()
    assert ended.left
    assert findings.ending(ended).outcome is Outcome.NOTE


def test_a_command_that_is_not_there_is_refused() -> None:
    """Before anything is started."""
    for command in (["no-such-program"], []):
        with pytest.raises(CommandError, match="there is no program"):
            need_program(command)


DISCARD = parse_play("discard 2C")


def conduct(
    *plays: Play, used_us: int = 1_000, refused: tuple[Reason, ...] = (), faults: tuple[Cause, ...] = ()
) -> Conduct:
    """Return the conduct of a seat."""
    return Conduct(plays, (used_us,) * len(plays), refused, faults)


FAIR = {"table 0, seat 0": conduct(DRAW, DISCARD)}
OTHER = {"table 0, seat 0": conduct(DRAW, DRAW)}
SHORTER = {"table 0, seat 0": conduct(DRAW)}
STALE, ILLEGAL, LATE = (Reason.DECISION_STALE,), (Cause.ILLEGAL,), (Cause.TIME_OUT,)


@pytest.mark.parametrize(
    ("finding", "outcome", "part"),
    [
        (findings.legal("remi", conduct(DRAW)), Outcome.OK, "1 plays, none refused"),
        (findings.legal("remi", conduct(DRAW, refused=STALE)), Outcome.NOTE, "DECISION_STALE 1"),
        (findings.legal("remi", conduct(DRAW, faults=ILLEGAL)), Outcome.FAILED, "after twenty refusals"),
        (findings.legal("remi", conduct()), Outcome.SKIPPED, "no match"),
        (findings.in_time("remi", conduct(DRAW), "standard"), Outcome.OK, "p99 1.0 ms"),
        (findings.in_time("remi", conduct(DRAW, used_us=2 * SECOND), "standard"), Outcome.NOTE, "close to the 2 s"),
        (findings.in_time("remi", conduct(DRAW, faults=LATE), "standard"), Outcome.FAILED, "1 times"),
        (findings.in_time("remi", conduct(), "standard"), Outcome.SKIPPED, "no match"),
        (findings.alike("remi", FAIR, FAIR, required=True), Outcome.OK, "2 plays each"),
        (findings.alike("remi", FAIR, OTHER, required=False), Outcome.NOTE, "seat 0 from play 2 on"),
        (findings.alike("remi", FAIR, OTHER, required=True), Outcome.FAILED, "bot_seed"),
        (findings.alike("remi", FAIR, SHORTER, required=True), Outcome.FAILED, "in the number of plays"),
        (findings.memory(50 << 20, 40 << 20, 41 << 20, 2, 64 << 20), Outcome.OK, "50 MiB at most, +1.0 MiB"),
        (findings.memory(65 << 20, 40 << 20, 41 << 20, 2, 64 << 20), Outcome.FAILED, "more than the 64 MiB"),
        (findings.output(1_000_000, 10), Outcome.OK, "1,000,000 bytes in 10 decisions"),
        (findings.output(1_000_001, 10), Outcome.FAILED, "print less"),
        (findings.ending(Ending(0.1, 0, left=False)), Outcome.OK, "0.10 s after SIGTERM"),
        (findings.ending(Ending(0.1, 143, left=False)), Outcome.OK, "SIGTERM"),
        (findings.ending(Ending(0.1, 1, left=False)), Outcome.FAILED, "exit code 1"),
        (findings.ending(Ending(3.0, None, left=False)), Outcome.FAILED, "had to be killed"),
    ],
)
def test_evidence_has_one_outcome(finding: Finding, outcome: Outcome, part: str) -> None:
    """What was seen, and what to do about it."""
    assert finding.outcome is outcome
    assert part in finding.found


class FakeRelay:
    """Counts connections that a test makes."""

    connections = 1


class FakeHouse:
    """A house whose breaks happen at times that a test sets."""

    def __init__(self) -> None:
        """Begin at time 0, with one connection."""
        self.relay = FakeRelay()
        self.now = 0.0
        self.broken: list[str] = []

    def cut(self) -> float:
        """Take note of a cut."""
        self.broken.append("cut")
        return self.now

    def restart(self) -> float:
        """Take note of a restart, which takes two seconds."""
        self.broken.append("restart")
        self.now += 2
        return self.now


def told(house: FakeHouse, back: Comeback, *events: tuple[str, float, int]) -> bool:
    """Let the house see what happened, when, over how many connections so far; return whether to go on."""
    going_on = True
    for what, at, connections in events:
        house.now, house.relay.connections = max(house.now, at), connections
        going_on = back.react(Seen(what, at))
    return going_on


def test_a_bot_that_comes_back_is_seen_to() -> None:
    """After a cut and after a restart, timed from when it could; what it played before does not count."""
    house = FakeHouse()
    back = Comeback(house)  # type: ignore[arg-type]
    assert told(house, back, (PLAYED, 1.0, 1), (PLAYED, 0.9, 2), (PLAYED, 1.1, 1), (PLAYED, 1.5, 2))
    assert not back.is_settled
    assert told(house, back, (PLAYED, 2.0, 2), (PLAYED, 7.0, 3))
    assert (house.broken, back.is_well) == (["cut", "restart"], True)
    cut, restart = back.findings("remi", "", gone=False)
    assert (cut.outcome, cut.found) == (Outcome.OK, "played again 0.50 s later")
    assert (restart.outcome, restart.found) == (Outcome.OK, "played again 3.00 s later")


def test_a_bot_that_is_stood_in_for_has_not_come_back() -> None:
    """The match need not be watched any longer, and the restart is not tried."""
    house = FakeHouse()
    back = Comeback(house)  # type: ignore[arg-type]
    assert not told(house, back, (PLAYED, 1.0, 1), (STOOD_IN, 16.0, 1))
    cut, restart = back.findings("remi", "", gone=False)
    assert (cut.outcome, restart.outcome) == (Outcome.FAILED, Outcome.SKIPPED)


@pytest.mark.parametrize(("gone", "outcome"), [(True, Outcome.FAILED), (False, Outcome.SKIPPED)])
def test_a_bot_that_ends_when_it_is_cut_off_has_not_come_back(*, gone: bool, outcome: Outcome) -> None:
    """A match that merely was too short says nothing."""
    house = FakeHouse()
    back = Comeback(house)  # type: ignore[arg-type]
    assert told(house, back, (PLAYED, 1.0, 1), (STARTED, 1.5, 1))
    cut, restart = back.findings("remi", "it ended with exit code 0", gone=gone)
    assert (cut.outcome, restart.outcome) == (outcome, Outcome.SKIPPED)
    assert "exit code 0" in cut.found
