"""`rummyref`, and `python -m clients.cli`: the command, which takes a moment to load."""

import os
import sys


def main() -> None:
    """Load the command line and run it; whoever interrupts the loading sees no traceback."""
    _open_what_is_closed()
    try:
        from clients.cli.main import main as run  # noqa: PLC0415 - loads under the eyes of `try`
    except KeyboardInterrupt:
        sys.stderr.write("rummyref: interrupted before anything began; give the same command again\n")
        sys.exit(130)
    run()


def _open_what_is_closed() -> None:
    """Open the standard streams that are closed on nothing.

    Else the database or a socket gets the number of one of them, and what a library or a bot prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - stays open


if __name__ == "__main__":
    main()
