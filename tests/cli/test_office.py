"""Ladders of a running referee from the command line: organiser and owner, and every refusal in one line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clients.cli.main import app
from clients.session.office import Office, Standings
from referee.accounts import TOKEN_FILE
from tests.cli.command import refused
from tests.referee.process import RefereeProcess


def run(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, arguments)


def line(*arguments: str, code: int = 2) -> str:
    """Run a command that must be refused in one line, and return the line."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


class Desk:
    """A referee, and who calls it."""

    def __init__(self, folder: Path) -> None:
        """Start it; the organiser's token is in its data folder."""
        self.folder = folder
        self.referee = RefereeProcess(folder / "data")
        self.organiser = str(folder / "data" / TOKEN_FILE)

    def ok(self, *arguments: str, token: str = "") -> str:
        """Run a command that must end well, as the organiser or with the token in a file; return what it printed."""
        result = run(*arguments, "--address", self.referee.address, "--token-file", token or self.organiser)
        assert (result.exit_code, result.exception) == (0, None), result.output
        return result.stdout

    def no(self, *arguments: str, token: str = "") -> str:
        """Run a command that must be refused, and return the line."""
        return line(*arguments, "--address", self.referee.address, "--token-file", token or self.organiser)

    def token(self, name: str, text: str) -> str:
        """Keep a token in a file and return its name."""
        file = self.folder / name
        file.write_text(text)
        return str(file)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A referee of these tests."""
    made = Desk(tmp_path_factory.mktemp("desk"))
    yield made
    assert made.referee.stop() == 0


def test_from_an_owner_to_a_closed_ladder(desk: Desk) -> None:
    """Each command does its part and prints what the next one needs."""
    anna = desk.token("anna", desk.ok("owner", "add", "anna", "--quota", "1"))
    assert desk.ok("owner", "list").startswith("anna  1 entrants  p-")
    made = desk.ok("ladder", "create", "open", "remi", "-o", "players=2", "--sets", "5", "--design", "rotation")
    assert made == "ladder open: remi, rotation, 5 sets a season\n"
    token = desk.ok("ladder", "enter", "open", "shark", "1", token=anna)
    assert len(token.strip()) == 43
    (ladder,) = json.loads(desk.ok("ladder", "list", "--json", token=anna))
    (entrant,) = ladder["entrants"]
    assert (ladder["state"], entrant["name"], entrant["owner"], entrant["attending"]) == (
        "waiting", "shark-1", "anna", False,
    )  # fmt: skip
    assert "shark-1  of anna  away" in desk.ok("ladder", "list")
    assert desk.ok("ladder", "watch", "open", "--once").splitlines()[1].split() == ["–", "shark-1", "–", "0", "sets"]
    standings = json.loads(desk.ok("ladder", "watch", "open", "--once", "--json"))
    assert (standings["sets"], [line["entrant"] for line in standings["standings"]]) == (0, ["shark-1"])
    assert "as many as you may have, 1;" in desk.no("ladder", "enter", "open", "shark", "2", token=anna)
    fresh = desk.token("shark", desk.ok("token", "renew", entrant["player_id"], token=anna))
    desk.ok("token", "revoke", entrant["player_id"])
    assert "no player has this token" in desk.no("ladder", "list", token=fresh)
    desk.ok("ladder", "withdraw", "open", "shark-1", token=anna)
    desk.ok("ladder", "close", "open")
    assert "takes no more entrants" in desk.no("ladder", "enter", "open", "shark", "3", token=anna)


def test_standings_are_shown_again_when_they_have_changed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee tells of seasons and arrivals, too; these repeat nothing."""
    told = [Standings("open", sets, (), ()) for sets in (0, 0, 1, 1, 2)]
    monkeypatch.setattr(Office, "watch_standings", lambda _office, _ladder: iter(told))
    shown = desk.ok("ladder", "watch", "open", "--json").splitlines()
    assert [json.loads(each)["sets"] for each in shown] == [0, 1, 2]


def test_what_is_refused_is_said_in_one_line(desk: Desk, tmp_path: Path) -> None:
    """A wrong token, a missing file, no token at all, another design, an address where nobody is."""
    guest = desk.token("guest", "x" * 43)
    assert "no player has this token" in desk.no("ladder", "list", token=guest)
    assert "cannot be read" in desk.no("ladder", "list", token=str(tmp_path / "none"))
    assert "holds no token" in desk.no("ladder", "list", token=desk.token("odd", "two words"))
    assert "--token-file" in line("ladder", "list", "--address", desk.referee.address)
    assert "unknown design swiss" in desk.no("ladder", "create", "x", "--design", "swiss")
    assert "unknown preset" in desk.no("ladder", "create", "x", "nonsense")
    assert "there is no ladder x" in desk.no("ladder", "watch", "x")
    nobody = ("--address", "127.0.0.1:1", "--token-file", guest)
    assert "no referee answers" in line("ladder", "list", *nobody, code=3)


def test_a_bot_with_a_wrong_token_or_address_ends(desk: Desk) -> None:
    """One line and a code that is not 0."""
    bot = ("bot", "run", "greedy", "--token", "wrong", "--address")
    assert "no player has this token" in refused(*bot, desk.referee.address)
    assert "no referee answers" in refused(*bot, "127.0.0.1:1", code=3)
