"""A greedy bot, run as a program, that first prints as JSON what it can reach from where it runs."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.session import Session, Wishes, from_environment


def reaches(port: int) -> bool:
    """Return whether something answers on this machine's loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def writes(place: str) -> bool:
    """Return whether a file can be made in *place*."""
    with contextlib.suppress(OSError):
        (Path(place) / "written-by-a-bot").write_text("x")
        return True
    return False


def main() -> None:
    """Probe, leave a process behind that outlives its group, and play."""
    data, port = sys.argv[1], int(sys.argv[2])
    seen = {
        "referee": os.environ["RUMMYREF_ADDRESS"].split(":")[0],
        "network": reaches(port),
        "database": (Path(data) / "rummyref.db").exists(),
        "folder": writes("."),
        "home": writes(os.environ["HOME"]),
        "secret": "ORGANISER_SECRET" in os.environ,
        "processes": len([each for each in Path("/proc").iterdir() if each.name.isdecimal()]),
    }
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.stdout.flush()
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    given = from_environment()
    Runner(Session(given.address, given.token, Wishes(capacity=8), given.ca), GreedyBot).run()


if __name__ == "__main__":
    main()
