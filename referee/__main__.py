"""`python -m referee`: the referee by itself, with settings from the environment and flags."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from referee.commands.serve import BAD_INPUT, serve
from referee.settings import ServeSettings, load


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what it cannot read."""

    def error(self, message: str) -> NoReturn:
        """End with *message*."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def arguments() -> argparse.ArgumentParser:
    """Return the parser: a flag for each setting, and `--config` for a TOML file."""
    parser = _Parser(
        prog="rummyref serve",
        description="Run a referee. Flags win over RUMMYREF_SERVE_… in the environment, those over the TOML file.",
    )
    parser.add_argument("--config", type=Path, help="TOML file of settings")
    for name, field in ServeSettings.model_fields.items():
        default = field.get_default()
        text = f"{field.description} (default {default})" if default is not None else field.description
        action = argparse.BooleanOptionalAction if field.annotation is bool else "store"
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=text, action=action)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Read settings and serve; return the exit code."""
    given = vars(arguments().parse_args(argv))
    config = given.pop("config")
    try:
        settings = load(config, **given)
    except ValidationError as wrong:
        for error in wrong.errors():
            said = "there is no such setting" if error["type"] == "extra_forbidden" else error["msg"]
            sys.stderr.write(f"rummyref serve: {'.'.join(map(str, error['loc']))}: {said}\n")
        return BAD_INPUT
    except ValueError as wrong:
        sys.stderr.write(f"rummyref serve: {wrong}\n")
        return BAD_INPUT
    return serve(settings)


if __name__ == "__main__":
    sys.exit(main())
