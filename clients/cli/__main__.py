"""`python -m clients.cli`: the `rummyref` command from a bare checkout."""

from clients.cli.main import main

if __name__ == "__main__":
    main()
