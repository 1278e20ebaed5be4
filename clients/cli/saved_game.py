"""A game that a person has left and may come back to: one file in the folder of the game."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from clients.cli.exits import stop

_FILE: Final = "play.json"


@dataclass(frozen=True, slots=True)
class Game:
    """What is needed to come back.

    Attributes:
        address: Of a referee elsewhere; empty for one beside us.
        ca: Certificate authorities of a referee elsewhere; empty for no TLS.
        table_id: The table.
        token: The person's.
        bots: Name and token of each bot beside us.
    """

    address: str
    ca: str
    table_id: str
    token: str
    bots: tuple[tuple[str, str], ...]


def need_none(data: Path) -> None:
    """End the command where *data* holds a game: another one must not take its place."""
    if (data / _FILE).exists():
        stop(
            f"{data} holds a game that you left; return to it with --resume, where `give up` ends it for you, "
            f"begin another with --data FOLDER, or remove {data / _FILE}"
        )


def load(data: Path) -> Game:
    """Return the game in *data*; ends the command with one line where there is none."""
    file = data / _FILE
    try:
        read = json.loads(file.read_text("utf-8"))
        bots = tuple((str(name), str(token)) for name, token in read["bots"])
        return Game(str(read["address"]), str(read["ca"]), str(read["table_id"]), str(read["token"]), bots)
    except FileNotFoundError:
        stop(f"{data} holds no game to come back to")
    except OSError as unreadable:
        stop(f"{file} cannot be read: {unreadable.strerror}")
    except (ValueError, TypeError, KeyError):
        stop(f"{file} is no saved game; remove it and begin another without --resume")


def save(data: Path, game: Game) -> None:
    """Write *game* for its owner's eyes alone, as it holds tokens."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(data / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(game), file)
    except OSError as refused:
        stop(f"{data} cannot be written to: {refused.strerror}; choose another folder with --data")


def forget(data: Path) -> None:
    """Remove the game in *data*: there is nothing to come back to."""
    (data / _FILE).unlink(missing_ok=True)
