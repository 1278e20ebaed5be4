"""Bots that attend a ladder of a running referee by themselves, over TLS and a network that fails."""

import threading
from collections.abc import Iterator
from pathlib import Path

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session, SessionError, Wishes
from clients.session.office import LadderWish, Office, Standings
from referee.accounts import TOKEN_FILE
from tests.cli.command import rummyref
from tests.ladder.laddering import check_replays
from tests.ladder.proxy import Proxy
from tests.referee.authority import Authority
from tests.referee.process import RefereeProcess

WITHIN_S = 60.0
SETS = 6
TRIAL_TABLES = 2


def wait_for_sets(watch: Iterator[Standings], sets: int) -> Standings:
    """Return the first standings with at least so many *sets*."""
    return next(standings for standings in watch if standings.sets >= sets)


class Attending(threading.Thread):
    """A greedy bot that attends with a token until it is refused."""

    def __init__(self, address: str, token: str, ca: Path) -> None:
        """Begin to attend."""
        super().__init__(daemon=True)
        self.session = Session(address, token, Wishes(capacity=2), str(ca))
        self.refused: SessionError | None = None
        self.start()

    def run(self) -> None:
        """Play whatever comes."""
        try:
            Runner(self.session, GreedyBot).run()
        except SessionError as refused:
            self.refused = refused


def test_bots_play_a_season_over_tls_and_a_bad_network(tmp_path: Path) -> None:
    """They connect, play, lose the network, come back, see the referee killed and restarted, and finish blameless.

    A token that is revoked afterwards gets its bot out at once, with a line that says why.
    """
    authority = Authority(tmp_path)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    authority.certify(cert, key)
    flags = ("--tls-cert", str(cert), "--tls-key", str(key))
    referee = RefereeProcess(tmp_path / "data", "127.0.0.1:0", *flags)
    organiser = (tmp_path / "data" / TOKEN_FILE).read_text("ascii").strip()
    proxy = Proxy(referee.address)
    with Office(referee.address, organiser, str(authority.file)) as office:
        office.create_ladder(
            "open", LadderWish("remi", {"players": 2}, "slow", "rotation", sets=SETS, parallel_tables=2)
        )
        bots = []
        for owner in ("anna", "ben"):
            with Office(referee.address, office.create_owner(owner, 1), str(authority.file)) as theirs:
                _, token = theirs.enter("open", f"greedy-{owner}", "1")
                bots.append(Attending(proxy.address, token, authority.file))
        watch = office.watch_standings("open")
        while office.ladders()[0].state != "running":
            next(watch)
        office.close_ladder("open")  # after this season, whatever the test has seen of it by then
        wait_for_sets(watch, 1)
        proxy.cut()
        proxy.wait_for_tries(6, WITHIN_S)
        assert not any(entrant.attending for entrant in office.ladders()[0].entrants)
        proxy.mend()
        wait_for_sets(watch, 2)
        referee.kill()
        referee = RefereeProcess(tmp_path / "data", referee.address, *flags)
        standings = list(office.watch_standings("open"))[-1]
        assert standings.sets == SETS
        assert [line.causes for line in standings.lines] == [{}, {}]
        ladder = office.ladders()[0]
        assert (ladder.state, ladder.season) == ("closed", 1)
        office.revoke_token(ladder.entrants[0].player_id)
        bots[0].join(WITHIN_S)
        assert bots[0].refused is not None
        assert bots[0].refused.reason == "TOKEN_INVALID"
        assert [entrant.attending for entrant in office.ladders()[0].entrants] == [False, True]
    bots[1].session.close()
    bots[1].join(WITHIN_S)
    proxy.close()
    assert referee.stop() == 0
    check_replays(tmp_path / "data", 2 * SETS + len(bots) * TRIAL_TABLES)
    (season,) = (tmp_path / "data" / "ladders").iterdir()
    verified = rummyref("ladder", "verify", str(season))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert f"ok, deals {SETS} played, 0 void" in verified.stdout
    assert "not over" not in verified.stdout
