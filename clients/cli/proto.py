"""`rummyref proto`: the API's own files, for bots that are built without this package."""

import sys
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from clients.cli.exits import stop

app = typer.Typer(no_args_is_help=True, help="Hand out the .proto files of the API.")
_PACKAGE = "rummyref.v1"  # by name: the files are wanted, not the code made from them


@app.command("export")
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; made if it is not there.")],
    force: Annotated[bool, typer.Option("--force", help="Write over what differs.")] = False,  # noqa: FBT002
) -> None:
    """Write the .proto files of the API, to be kept beside a bot and compiled with DIR as import path."""
    files = api_files()
    try:
        present = {path: (folder / path).read_bytes() for path in files if (folder / path).exists()}
        if present == files:
            sys.stdout.write(f"{folder} has these {len(files)} files already\n")
            return
        if not force and folder.exists() and any(folder.iterdir()):
            differing = next((path for path in present if present[path] != files[path]), None)
            why = f"its {differing} differs" if differing else "it is not empty"
            stop(f"{folder}: {why}; name another folder, or say --force to write into this one")
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
    except OSError as failed:
        stop(f"{failed.filename or folder}: {failed.strerror}")
    sys.stdout.write(f"wrote {len(files)} files; compile them with the import path {folder}\n")


def api_files() -> dict[Path, bytes]:
    """Return the .proto files by path under the import path, in order."""
    inside = Path(*_PACKAGE.split("."))
    found = sorted(resources.files(_PACKAGE).iterdir(), key=lambda file: file.name)
    return {inside / file.name: file.read_bytes() for file in found if file.name.endswith(".proto")}
