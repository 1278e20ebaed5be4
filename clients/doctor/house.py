"""The other side of a doctor's table: a referee, a seat that plays greedily, and the ways between them."""

import contextlib
import json
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from clients.cli import beside
from clients.doctor.relay import Relay
from clients.messages import Asked, Over, Seated, Told
from clients.session import Session, SessionError, Wishes
from engine.events import PlayMade
from engine.record.replay import SUFFIX
from engine.stand_in import greedy

HOUSE_SEAT: Final = 0
BOT_SEAT: Final = 1
BOT_NAME: Final = "bot"
STARTED, PLAYED, STOOD_IN, ENDED = "started", "played", "stood in for", "ended"
"""What happens at a table, as far as the bot is concerned."""

_LOG: Final = "referee.log"
_WRITTEN_WITHIN_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.01


class Seen(NamedTuple):
    """Something that happened at a table.

    Attributes:
        what: `STARTED`, `PLAYED`, `STOOD_IN` or `ENDED`.
        at: Monotonic time at which the house learnt of it, seconds.
    """

    what: str
    at: float


class House:
    """A referee that can be restarted, a relay to the bot that can be cut, and a seat opposite the bot.

    Attributes:
        data: Folder of the referee.
        relay: The bot's way to it.
        bot_token: The bot's token.
        players: Ids of the players, by seat.
    """

    def __init__(self, data: Path) -> None:
        """Start a referee with *data*, and register both players."""
        self.data: Final = data
        self._running = contextlib.ExitStack()
        address = self._start()
        self.relay: Final = Relay(address)
        self._own_relay: Final = Relay(address)
        self._session = Session(self._own_relay.address, "", Wishes(gathered=False, name="rummyref-doctor"))
        self._session.register("doctor")
        self._bot = Session(self._own_relay.address, "")
        self.bot_token: Final = self._bot.register(BOT_NAME)
        self.players: Final = (self._session.player_id, self._bot.player_id)
        self._seen: queue.SimpleQueue[Seen] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def seat_bot(self, preset: str, clock: str, rounds: int) -> str:
        """Make a table for the bot and the house; return its id. It starts when the bot is there."""
        options = {"players": 2, "rounds": rounds}
        table_id = self._session.create_table(preset, options, clock, "minimal")
        self._session.take_seat(table_id, HOUSE_SEAT)
        self._bot.take_seat(table_id, BOT_SEAT)
        return table_id

    def bot_is_at(self, table_id: str) -> bool:
        """Return whether a stream of the bot's carries its seat."""
        return bool(self._session.get_table(table_id).seats[BOT_SEAT].present)

    def next(self, within_s: float) -> Seen | None:
        """Return what happened next at the table, None if nothing has in time."""
        try:
            return self._seen.get(timeout=within_s)
        except queue.Empty:
            return None

    def replay(self, table_id: str) -> Path:
        """Return the replay of a match that has ended; the referee writes it a moment later."""
        path = self.data / "replays" / f"{table_id}{SUFFIX}"
        until = time.monotonic() + _WRITTEN_WITHIN_S
        while not path.exists() and time.monotonic() < until:
            time.sleep(_LOOK_AGAIN_S)
        return path

    def cut(self) -> float:
        """Cut the bot's connections; return the monotonic time from which on it can come back, seconds."""
        cut_at = time.monotonic()
        self.relay.cut()
        return cut_at

    def restart(self) -> float:
        """Stop the referee in order, and start it again with what it has kept; return as `cut` does."""
        self._running.close()
        address = self._start()
        there_at = time.monotonic()
        self.relay.lead_to(address)
        self._own_relay.lead_to(address)
        return there_at

    def close(self) -> None:
        """End everything."""
        self._session.close()
        self._bot.close()
        self._running.close()
        self.relay.close()
        self._own_relay.close()
        self._thread.join()

    def logged(self, event: str) -> Iterator[dict[str, object]]:
        """Yield the lines of the referee's log that tell of *event*."""
        with (self.data / _LOG).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                with contextlib.suppress(json.JSONDecodeError):
                    told = json.loads(line)
                    if told.get("event") == event:
                        yield told

    def _start(self) -> str:
        flags = ("--log-level", "debug", "--log-format", "json")
        return self._running.enter_context(beside.referee(self.data, *flags))

    def _play(self) -> None:
        known = set[str]()
        with contextlib.suppress(SessionError):  # the referee has gone for good: nothing more is seen
            for message in self._session.messages():
                match message:
                    case Seated(seat) if seat.table_id not in known:
                        known.add(seat.table_id)
                        self._tell(STARTED)
                    case Asked(view=view):
                        self._session.submit(message, greedy(view.position))
                    case Told(_, PlayMade(seat, _, stand_in)) if seat == BOT_SEAT:
                        self._tell(STOOD_IN if stand_in else PLAYED)
                    case Over():
                        self._tell(ENDED)
                    case _:
                        pass

    def _tell(self, what: str) -> None:
        self._seen.put(Seen(what, time.monotonic()))
