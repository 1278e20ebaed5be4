"""A ladder that is lost in the middle of its sets has left the secrets of these nowhere but in their columns."""

import re
import signal
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from engine.record.deal import NO_NONCE, Secret
from engine.shuffle import derive
from tests.ladder.laddering import LadderProcess, Told, telling, write_ladder
from tests.referee.test_secrets import places

PLAYERS: Final = 2
SETS: Final = 24


class Hidden(NamedTuple):
    """What a ladder must hide when it is lost.

    Attributes:
        secrets: Of the ladder, of its sets that are not over, and of their tables; what follows from them.
        commitments: To the seeds of the tables under way: what bots may be told of them.
    """

    secrets: list[bytes]
    commitments: list[bytes]


def hidden_in(data: Path) -> Hidden:
    """Return what is hidden in the database of a ladder."""
    with sqlite3.connect(data / "rummyref.db") as connection:
        (own,) = connection.execute("select secret from ladder").fetchone()
        rows = connection.execute(
            "select set_number, revealed, state, game_table.id, game_table.secret from fixture "
            "join game_table on table_id = game_table.id"
        ).fetchall()
    over = {number for number, revealed, *_ in rows if revealed}
    assert all(state == "ended" for number, _, state, *_ in rows if number in over)
    # The tables of a set share its secret and are revealed one by one: the first tells that of all.
    tables = [row[3:] for row in rows if row[0] not in over]
    sets = [derive(own, "set", number) for number in range(SETS) if number not in over]
    seeds = {secret for _, secret in tables}
    matches = [Secret(seed, 0).seed("", [NO_NONCE] * PLAYERS) for seed in seeds]
    decks = [derive(match, "deck", 0) for match in matches]
    bound = [bytes.fromhex(Secret(secret).commitment(table_id)) for table_id, secret in tables]
    return Hidden([own, *sets, *seeds, *matches, *decks], bound)


def test_unrevealed_secrets_are_in_their_columns_alone(tmp_path: Path) -> None:
    """Neither records nor replays, logs of bots, words for people and any byte sent to a bot hold more than hashes."""
    heard = {name: tmp_path / f"heard-by-{name}" for name in ("one", "two")}
    entrants = {name: telling(file) for name, file in heard.items()}
    file = write_ladder(tmp_path, entrants, sets=SETS)
    file.write_text(re.sub(r"(?m)^seed = .*\n", "", file.read_text()))
    told, data = Told(tmp_path), tmp_path / "data"
    ladder = LadderProcess(["ladder", "run", str(file), "--data", str(data)], told)
    told.wait(120)
    ladder.signal(signal.SIGKILL)
    said = ladder.wait().said
    told.close()
    hidden = hidden_in(data)
    sent = {name: file.read_bytes() for name, file in heard.items()}
    files = {
        str(path): path.read_bytes() for folder in ("logs", "replays", "ladders") for path in (data / folder).glob("*")
    }
    for stream in sent.values():  # that is, what is told in bytes is seen
        assert any(bound in stream for bound in hidden.commitments)
    found = places(hidden.secrets, data / "rummyref.db", {"said": said.encode(), **files, **sent})
    assert found == {"ladder.secret", "game_table.secret"}
