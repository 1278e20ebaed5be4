"""`rummyref`, and `python -m clients.cli`: the command, which takes a moment to load."""

import sys


def main() -> None:
    """Load the command line and run it; whoever interrupts the loading sees no traceback."""
    try:
        from clients.cli.main import main as run  # noqa: PLC0415 - loads under the eyes of `try`
    except KeyboardInterrupt:
        sys.stderr.write("rummyref: interrupted before anything began; give the same command again\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
