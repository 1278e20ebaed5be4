"""The starters: bots in other languages that know nothing but the API."""

import queue
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session, Wishes
from engine.rules.registry import presets
from tests.cli.command import ROOT
from tests.clients.test_tls import Secured
from tests.referee.process import RefereeProcess
from tests.referee.test_restart import TABLES, Player
from tests.starters import languages
from tests.starters.newer_referee import LATER, NewerReferee
from tests.starters.playing import WITHIN_S, Meeting, built, complaint, running, start
from tests.starters.starter import FOLDER, STARTERS, Starter

pytestmark = pytest.mark.timeout(500)  # the first build on a machine compiles libraries

NOBODY = "127.0.0.1:9"
ROUNDS = 2


@pytest.fixture(params=STARTERS, ids=[starter.name for starter in STARTERS])
def starter(request: pytest.FixtureRequest) -> Starter:
    """Each starter, built."""
    return built(request.param)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the referee keeps its record."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def referee(data: Path) -> Iterator[RefereeProcess]:
    """A referee that tests share; each makes its own players and tables."""
    process = RefereeProcess(data)
    yield process
    assert process.stop() == 0


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Secured]:
    """A referee that speaks TLS only."""
    referee = Secured(tmp_path)
    yield referee
    assert referee.process.stop() == 0


def test_there_is_a_page_of_source_to_read() -> None:
    """Each starter is one file of at most 120 lines, with nothing generated beside it."""
    for file in (FOLDER / "go" / "main.go", FOLDER / "typescript" / "bot.ts"):
        assert len(file.read_text("utf-8").splitlines()) <= 120


def test_every_preset_is_played(starter: Starter, referee: RefereeProcess, data: Path) -> None:
    """At tables of every preset at once: no play is refused and no stand-in is needed."""
    meeting = Meeting(referee.address, len(presets()))
    for preset in presets():
        meeting.seat(preset, {"rounds": 1})
    with running(starter.command, referee.address, meeting.token):
        meeting.play()
    meeting.check(data)


def test_a_ladder_of_all_languages(tmp_path: Path) -> None:
    """Every bot plays its rounds without misconduct; `make ladder-languages` does this at length in each family."""
    bots = languages.entrants()
    standings = languages.play("remi", bots, tmp_path / "ladder", sets=1)
    assert {line["entrant"] for line in standings} == set(bots)
    assert not languages.misconduct(standings)


def test_what_cannot_be_built_is_skipped_aloud(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without Go and Node.js the ladder is played by the bots in Python, and a line for each other says why."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set(languages.entrants()) == {"python", "random"}
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "skipped the go bot: this machine has no go",
        "skipped the typescript bot: this machine has no node",
    ]


def test_a_restart_of_the_referee_is_survived(starter: Starter, tmp_path: Path) -> None:
    """A kill in the middle of matches: the bot comes back to the same seats and finishes them."""
    referee = RefereeProcess(tmp_path)
    meeting = Meeting(referee.address, TABLES)
    for _ in range(TABLES):
        meeting.seat("remi", {"rounds": ROUNDS}, clock="untimed")
    progress: queue.SimpleQueue[str] = queue.SimpleQueue()
    opponent = Player(meeting.opponent, progress)
    with running(starter.command, referee.address, meeting.token):
        opponent.start()
        for _ in range(15):
            progress.get(timeout=60)
        referee.kill()
        referee = RefereeProcess(tmp_path, referee.address)
        opponent.join(60)
        assert len(opponent.over) == TABLES
    assert referee.stop() == 0
    meeting.check(tmp_path)


def test_a_newer_referee_is_borne(starter: Starter, referee: RefereeProcess, data: Path) -> None:
    """Fields, enum values, events, moves and messages of a later version change nothing for a starter."""
    newer = NewerReferee(referee.address)
    meeting = Meeting(referee.address, 1)
    meeting.seat("remik", {"rounds": ROUNDS})
    with running(starter.command, newer.address, meeting.token, RUMMYREF_CAPACITY="3"):
        meeting.play()
    newer.stop()
    assert (newer.hello.client_name, newer.hello.capacity) == ("starter", 3)
    assert sum(LATER in sent for sent in newer.sent) > 10
    meeting.check(data)


def test_a_newer_referee_is_borne_by_a_session(referee: RefereeProcess, data: Path) -> None:
    """Nor for a session in Python, which reads every event and every offer."""
    newer = NewerReferee(referee.address)
    meeting = Meeting(referee.address, 1)
    meeting.seat("remik", {"rounds": ROUNDS})
    runner = Runner(Session(newer.address, meeting.token, Wishes(offers=True)), GreedyBot)
    with ThreadPoolExecutor(1) as beside:
        ended = beside.submit(runner.run, matches=1)
        meeting.play()
        assert ended.result(WITHIN_S) == 1
    newer.stop()
    assert sum(LATER in sent for sent in newer.sent) > 10
    meeting.check(data)


def test_nobody_at_the_address() -> None:
    """Where no referee answers, each ends after some seconds with one line that names the address."""
    processes = [start(built(starter).command, NOBODY, "token") for starter in STARTERS if starter.lacking() is None]
    for process in processes:
        assert NOBODY in complaint(process)


def test_a_wrong_token(starter: Starter, referee: RefereeProcess) -> None:
    """It is told what the referee says of it, at once."""
    assert "token" in complaint(start(starter.command, referee.address, "wrong"))


def test_a_wrong_token_of_the_shortest_bot(referee: RefereeProcess) -> None:
    """The forty lines of Python say it in one, too."""
    minimal = [sys.executable, str(ROOT / "examples" / "minimal_bot.py")]
    assert "token" in complaint(start(minimal, referee.address, "wrong"))


def test_a_wrong_version(starter: Starter, referee: RefereeProcess) -> None:
    """A referee that does not speak the bot's version says so, and the bot passes it on."""
    other = NewerReferee(referee.address, protocol=99)
    assert "protocol" in complaint(start(starter.command, other.address, Meeting(referee.address, 1).token))
    other.stop()


def test_tls(starter: Starter, secured: Secured, tmp_path: Path) -> None:
    """With the file of the authority in RUMMYREF_CA a match is played over TLS; without it there is none."""
    meeting = Meeting(secured.address, 1, ca=str(secured.authority.file))
    meeting.seat("remi", {"rounds": 1})
    more = {"RUMMYREF_CA": str(secured.authority.file), "NODE_NO_WARNINGS": "1"}  # Node.js warns of hosts without names
    with running(starter.command, secured.address, meeting.token, **more):
        meeting.play()
    refused = complaint(start(starter.command, secured.address, meeting.token))
    assert f'RUMMYREF_ADDRESS={secured.address} with RUMMYREF_CA="", which TLS needs' in refused
    meeting.check(tmp_path / "data")


def test_an_expired_certificate(secured: Secured) -> None:
    """Each starter ends after some seconds with one line that says so, and one that no such file is there at once."""
    secured.authority.certify(*secured.files, expired=True)
    trusted = str(secured.authority.file)
    commands = [built(starter).command for starter in STARTERS if starter.lacking() is None]
    more = {"NODE_NO_WARNINGS": "1"}
    expired = [start(command, secured.address, "token", RUMMYREF_CA=trusted, **more) for command in commands]
    missing = [start(command, secured.address, "token", RUMMYREF_CA=f"{trusted}.none", **more) for command in commands]
    assert all("certificate has expired" in complaint(process) for process in expired)
    assert all("no such file" in complaint(process) for process in missing)
