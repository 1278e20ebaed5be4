"""Many bots in one process, each with a thread and a session of its own; one line on stdout for each that ends.

Reads `{"address": …, "bots": {ENTRANT: [NAME, TOKEN]}}` from its standard input.
"""

import json
import sys
import threading

from clients.bots.faulty import times
from clients.bots.faulty.catalogue import FAULTY
from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import RawSession, SessionError, Wishes

BESIDE_OTHERS = {"_IN_TIME_S": 5.0, "_SLOW_SHARE": 0.1}
"""What those who think for a good while leave of their time: here they share a process, and that a busy machine."""


def run(entrant: str, name: str, session: RawSession) -> None:
    """Run the bot *name* until it ends, and say so."""
    runner = FAULTY[name].runner if name in FAULTY else Runner
    try:
        runner(session, GreedyBot).run()
    except SessionError as refused:
        sys.stderr.write(f"{entrant}: {refused}\n")
    sys.stdout.write(f"{entrant}\n")
    sys.stdout.flush()


def main() -> None:
    """Run them all until the standard input ends."""
    for name, value in BESIDE_OTHERS.items():
        setattr(times, name, value)
    asked = json.loads(sys.stdin.readline())
    for entrant, (name, token) in asked["bots"].items():
        capacity = 2 if name in FAULTY else 64  # both tables of a set
        session = RawSession(asked["address"], token, Wishes(capacity=capacity, name=name))
        threading.Thread(target=run, args=(entrant, name, session), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
