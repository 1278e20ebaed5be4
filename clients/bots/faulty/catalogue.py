"""All bots that misbehave, by the names that `rummyref bot run` takes, with what must come of each."""

from typing import Final

from clients.bots.faulty import answers, crash, streams, surroundings, times
from clients.bots.faulty.expected import Faulty

FAULTY: Final[dict[str, Faulty]] = {**crash.BOTS, **times.BOTS, **answers.BOTS, **streams.BOTS, **surroundings.BOTS}
"""What a referee must bear, by name."""
