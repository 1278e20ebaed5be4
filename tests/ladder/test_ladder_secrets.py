"""A ladder that is lost in the middle of its sets has left the secrets of these nowhere but in their columns."""

import re
import signal
import sqlite3
from pathlib import Path

from tests.ladder.laddering import LadderProcess, Told, bot, telling, write_ladder
from tests.referee.test_secrets import places


def test_unrevealed_secrets_are_in_their_columns_alone(tmp_path: Path) -> None:
    """Neither records nor replays, logs of bots and words for people hold the seed of a set that is under way."""
    file = write_ladder(tmp_path, {"teller": telling(), "random": bot("random")}, sets=24)
    file.write_text(re.sub(r"(?m)^seed = .*\n", "", file.read_text()))
    told, data = Told(tmp_path), tmp_path / "data"
    ladder = LadderProcess(["ladder", "run", str(file), "--data", str(data)], told.path)
    told.wait(80)
    ladder.signal(signal.SIGKILL)
    said = ladder.wait().said
    told.close()
    with sqlite3.connect(data / "rummyref.db") as connection:
        (own,) = connection.execute("select secret from ladder").fetchone()
        hidden = [secret for (secret,) in connection.execute("select secret from game_table where not revealed")]
    files = {
        str(path): path.read_bytes() for folder in ("logs", "replays", "ladders") for path in (data / folder).glob("*")
    }
    assert hidden
    found = places([own, *hidden], data / "rummyref.db", {"said": said.encode(), **files})
    assert found == {"ladder.secret", "game_table.secret"}
