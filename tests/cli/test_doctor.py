"""`rummyref doctor`: fit bots pass, and every other one fails where it is at fault.

`RUMMYREF_DOCTOR=all` has it examine every bot of ours in every preset.
"""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from clients.bots.faulty.catalogue import FAULTY
from clients.bots.faulty.expected import Outcome as Expected
from clients.bots.registry import BOTS
from clients.doctor import patient
from clients.doctor.examination import Examination, Order
from clients.doctor.findings import Outcome
from engine.rules.registry import presets
from tests.cli.command import ROOT, refused, rummyref

MINIMAL = [sys.executable, str(ROOT / "examples" / "minimal_bot.py")]
ODD = [sys.executable, str(ROOT / "tests" / "cli" / "odd_bot.py")]
CHECKS = ["legal plays", "clock", "back after a cut", "back after a restart", "determinism"]
PATIENCE_S = 600


def ours(name: str) -> list[str]:
    """Return the command of a bot that comes with rummyref."""
    return [sys.executable, "-m", "clients.cli", "bot", "run", name]


@pytest.mark.timeout(PATIENCE_S)
def test_the_minimal_bot_is_fit(tmp_path: Path) -> None:
    """Every check is made and passed; that it plays at random is noted, and would fail it only if asked to."""
    data = tmp_path / "kept"
    result = rummyref(
        "doctor",
        shlex.join(MINIMAL),
        "--preset",
        "closed-rummy-duel",
        "--clock",
        "slow",
        "--json",
        "--data",
        str(data),
        timeout_s=PATIENCE_S,
    )
    assert result.returncode == 0, result
    report = json.loads(result.stdout)
    assert (report["command"], report["fit"]) == (MINIMAL, True)
    outcomes = {check["check"]: check["outcome"] for check in report["checks"]}
    assert list(outcomes) == ["handshake", *CHECKS, "memory", "output", "end"]
    assert outcomes.pop("determinism") == "note"
    assert set(outcomes.values()) == {"ok"}
    figures = {check["check"]: check["figures"] for check in report["checks"]}
    assert figures["legal plays"]["plays"] > 20
    assert (
        0 <= figures["clock"]["p50"] <= figures["clock"]["p99"] <= figures["clock"]["slowest"] < figures["clock"]["cap"]
    )
    assert all(figures[check]["seconds"] > 0 for check in ("back after a cut", "back after a restart"))
    assert list((data / "referee" / "replays").glob("*.rummy.jsonl"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test, with an environment in which commands find the packages of this tree."""
    monkeypatch.setattr(patient, "END_WITHIN_S", 60.0)  # how soon it ends depends on the machine
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'proto'}")
    monkeypatch.chdir(ROOT)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "clock", "failed", "part"),
    [
        (ours("crash"), "slow", ["end"], "ended by itself with exit code 1"),
        (ours("silent"), "bullet", ["clock"], "did not answer within the clock bullet"),
        (ours("late"), "bullet", ["clock"], "did not answer within the clock bullet"),
        (ours("illegal"), "slow", ["legal plays"], "DRAW_NOT_ALONE"),
        ([*ODD, "quits-when-cut"], "slow", ["back after a cut", "end"], "exit code 0"),
        (ours("wrong-version"), "slow", ["handshake"], "PROTOCOL_UNSUPPORTED"),
        (ours("wrong-token"), "slow", ["handshake"], "TOKEN_INVALID"),
        ([*ODD, "guest"], "slow", ["handshake"], "RUMMYREF_TOKEN"),
        (
            ["sh", "-c", "echo no luck; exit 3"],
            "slow",
            ["handshake"],
            "exit code 3 before it was welcomed; it said last: no luck",
        ),
    ],
)
def test_a_bot_fails_where_it_is_at_fault(
    folder: Path, command: list[str], clock: str, failed: list[str], part: str
) -> None:
    """One row for each fault, and none beside it."""
    found = Examination(Order(command, ("remi",), clock, True, 1 << 30), folder, lambda _line: None).run()
    assert [each.check for each in found if each.outcome is Outcome.FAILED] == failed
    assert all(part in each.found for each in found if each.check == failed[0])


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("greedy", "--preset", "nonsense"), "unknown preset nonsense"),
        (("greedy", "--clock", "untimed"), "unknown clock untimed; there are bullet"),
        (("no-such-bot",), "there is no program no-such-bot"),
        (("'open",), "cannot read 'open"),
        (("sh", "--data", str(ROOT)), "name a new folder"),
        (("sh", "--data", str(ROOT / "README.md" / "kept")), "cannot be written to"),
    ],
)
def test_bad_usage_is_one_clear_line(arguments: tuple[str, ...], part: str) -> None:
    """Exit code 2, and nothing is started."""
    assert part in refused("doctor", *arguments)


whole = pytest.mark.skipif(
    os.environ.get("RUMMYREF_DOCTOR") != "all", reason="takes many minutes; RUMMYREF_DOCTOR=all asks for it"
)


@whole
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", BOTS)
def test_our_bots_are_fit_for_everything(folder: Path, name: str) -> None:
    """In every preset, and deterministic."""
    order = Order(ours(name), tuple(presets()), "standard", True, 1 << 30)
    found = Examination(order, folder, lambda _line: None).run()
    assert {each.outcome for each in found} == {Outcome.OK}


UNFIT = {"stdout-flood": "output", "stderr-flood": "output"}
"""Bots that a referee bears with and that are unfit all the same, and the check that finds them."""


BY_LIMITS = {"fills-memory", "opens-files"}
"""Bots that only the limits of an organiser end."""


@whole
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(set(FAULTY) - BY_LIMITS))
def test_every_bot_that_misbehaves_is_found_out(folder: Path, name: str) -> None:
    """What a ladder punishes, the doctor finds, and in the check where it belongs."""
    found = Examination(Order(ours(name), ("remi",), "bullet", False, 1 << 30), folder, lambda _line: None).run()
    failed = {each.check for each in found if each.outcome is Outcome.FAILED}
    expected = FAULTY[name].expected
    match expected.outcome:
        case Expected.PLAYS:
            assert failed == {UNFIT[name]} if name in UNFIT else not failed
        case Expected.STRIKES:
            assert {"time_out": "clock", "illegal": "legal plays"}[expected.fault] in failed
        case Expected.CRASHES:
            assert failed & {"end", "handshake"}
        case Expected.NEVER_COMES:
            assert failed == {"handshake"}
