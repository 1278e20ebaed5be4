"""`python -m referee`: the referee by itself, with settings from the environment and flags."""

import argparse
import sys
from pathlib import Path

from pydantic import ValidationError

from referee.commands.serve import BAD_INPUT, serve
from referee.settings import ServeSettings, load


def arguments() -> argparse.ArgumentParser:
    """Return the parser: a flag for each setting, and `--config` for a TOML file."""
    parser = argparse.ArgumentParser(
        prog="rummyref serve",
        description="Run a referee. Flags win over RUMMYREF_SERVE_… in the environment, those over the TOML file.",
    )
    parser.add_argument("--config", type=Path, help="TOML file of settings")
    for name, field in ServeSettings.model_fields.items():
        default = field.get_default()
        text = f"{field.description} (default {default})" if default is not None else field.description
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=text)
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
