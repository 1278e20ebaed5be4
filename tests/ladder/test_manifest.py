"""Ladder files are read strictly: one line that names the file and what is wrong."""

from pathlib import Path

import pytest

from referee.ladder.manifest import ManifestError, read_manifest
from referee.store.database import lock_folder
from tests.cli.command import ROOT
from tests.ladder.laddering import bot, run_ladder, write_ladder

GOOD = """\
[ladder]
name = "test"
preset = "remi"
players = 2
sets = 2
[[entrant]]
name = "a"
command = ["true"]
[[entrant]]
name = "b"
command = ["true"]
"""

WRONG = {
    "broken TOML": ("sets = 2", "sets = = 2", "line 5"),
    "unknown key": ("sets = 2", "sets = 2\ncolour = 1", "ladder.colour: there is no such key"),
    "unknown key of an entrant": ('command = ["true"]', 'command = ["true"]\nspeed = 1', "entrant.0.speed"),
    "unknown preset": ('"remi"', '"whist"', "whist"),
    "unknown option": ("sets = 2", "sets = 2\noptions = {colour = 1}", "colour"),
    "hands that are shown": ("sets = 2", "sets = 2\noptions = {show_hands = true}", "ladder.options: show_hands"),
    "option out of range": ("sets = 2", "sets = 2\noptions = {rounds = 101}", "rounds"),
    "option of a wrong type": ("sets = 2", 'sets = 2\noptions = {rounds = "many"}', "rounds"),
    "unknown clock": ("sets = 2", 'sets = 2\nclock = "sundial"', "sundial"),
    "unknown design": ("sets = 2", 'sets = 2\ndesign = "swiss"', "ladder.design"),
    "no sets": ("sets = 2", "sets = 0", "ladder.sets"),
    "players missing": ("players = 2\n", "", "ladder.players: this key is needed"),
    "more players than entrants": ("players = 2", "players = 4", "entrants"),
    "a seed that is none": ("sets = 2", 'sets = 2\nseed = "abc"', "ladder.seed: write 64 hex digits"),
    "no command": ('command = ["true"]', "", "entrant.0.command"),
    "an empty command": ('command = ["true"]', "command = []", "entrant.0.command"),
    "unknown format": ("sets = 2", 'sets = 2\nformat = "swiss"', "ladder.format"),
    "a margin without an A/B match": ("sets = 2", "sets = 2\nmargin = 1.0", "ladder.margin"),
    "a negative margin": ("sets = 2", 'sets = 2\nformat = "ab"\nmargin = -1.0', "ladder.margin"),
    "tables without a bridge": ("sets = 2", "sets = 2\ntables = 2", "ladder.tables"),
    "too few entrants for a bridge": ("sets = 2", 'sets = 2\ndesign = "bridge"', "2 tables of 2 need 4 entrants"),
    "a gauntlet over a bridge": (
        "sets = 2",
        'sets = 2\ndesign = "bridge"\nformat = "gauntlet"',
        "a gauntlet has no bridge",
    ),
    "two entrants of one owner": ('name = "b"', 'name = "b"\nowner = "a"', "different owners"),
    "an entrant that never plays": (
        "sets = 2",
        'sets = 2\nformat = "gauntlet"\n[[entrant]]\nname = "x"\ncommand = ["true"]\nowner = "b"',
        "entrant b would never play",
    ),
    "two of a name": ('name = "b"', 'name = "a"', "entrant a is listed twice"),
    "a name that is a path": ('name = "b"', 'name = "../b"', "entrant.1.name: a name has"),
    "a ladder's name that is a path": ('name = "test"', 'name = "../b"', "ladder.name: a name has"),
    "a name that is an option": ('name = "b"', 'name = "-b"', "first a letter or digit"),
    "a name that ends in a blank": ('name = "b"', 'name = "b "', "last no blank"),
    "a word that no program takes": ('command = ["true"]', 'command = ["true", "a\\u0000b"]', "entrant.0.command"),
    "a variable without a name": ('name = "b"', 'name = "b"\nenv = {"" = "x"}', "entrant.1.env"),
    "a variable that parts in two": ('name = "b"', 'name = "b"\nenv = {"A=B" = "x"}', "entrant.1.env"),
    "a variable that ends early": ('name = "b"', 'name = "b"\nenv = {A = "\\u0000"}', "entrant.1.env"),
    "a folder that ends early": ("sets = 2", 'sets = 2\nfolder = "a\\u0000"', "ladder.folder"),
    "players said twice": ("sets = 2", "sets = 2\noptions = {players = 3}", "ladder.options.players"),
    "streams said twice": ("sets = 2", "sets = 2\noptions = {draw_streams = false}", "ladder.options.draw_streams"),
}


def test_nobody_is_listed_in_vain(tmp_path: Path) -> None:
    """A bridge has as many tables as its owners fill; two of them at least."""
    file = tmp_path / "ladder.toml"
    more = "".join(f'[[entrant]]\nname = "{name}"\ncommand = ["true"]\n' for name in "cdefg")
    file.write_text(GOOD.replace("sets = 2", 'sets = 2\ndesign = "bridge"') + more)
    assert read_manifest(file).shape == ("bridge", 2, 3)


@pytest.mark.parametrize("file", sorted((ROOT / "ladders").glob("*.toml")), ids=lambda file: file.stem)
def test_the_ladders_that_come_with_rummyref_can_be_run(file: Path) -> None:
    """They are read, and their comment names them."""
    assert read_manifest(file).ladder.sets > 0
    assert "ladder run ladders/" in file.read_text() or "make ladder" in file.read_text()


def test_a_good_file_is_read(tmp_path: Path) -> None:
    """One round a table and draw streams, unless it says otherwise."""
    file = tmp_path / "ladder.toml"
    file.write_text(GOOD)
    rules = read_manifest(file).rules()
    assert (rules.players, rules.options["rounds"], rules.options["draw_streams"]) == (2, 1, True)


@pytest.mark.parametrize("case", WRONG)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    """The line names the file and the place."""
    before, after, part = WRONG[case]
    assert before in GOOD
    file = tmp_path / "ladder.toml"
    file.write_text(GOOD.replace(before, after, 1))
    with pytest.raises(ManifestError) as refused:
        read_manifest(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert part in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("content", "part"), [(None, "no such file"), (b"\xff\xfe", "cannot be read")])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None, part: str) -> None:
    """Missing, or no text."""
    file = tmp_path / "ladder.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ManifestError, match=part):
        read_manifest(file)


def refused(file: Path, data: Path, part: str) -> None:
    """Run a ladder that must be refused in one line."""
    ended = run_ladder(file, data)
    assert (ended.code, ended.left) == (2, []), ended
    assert len(ended.said.splitlines()) == 1, ended.said
    assert part in ended.said


def test_the_command_refuses_bad_files(tmp_path: Path) -> None:
    """Exit code 2, one line on stderr, no traceback, no bot started."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")}, colour=1)
    refused(file, tmp_path / "data", "ladder.colour")


def test_a_program_that_is_not_there_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    """The line names entrant and program; once the file is mended the ladder starts without --resume."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": ["./no-such-bot"]})
    refused(file, tmp_path / "data", "entrant b: there is no program ./no-such-bot")
    assert not (tmp_path / "data" / "rummyref.db").exists()


def test_a_folder_that_is_not_there_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    """The line names the key, and not the program, which is there."""
    file = tmp_path / "ladder.toml"
    file.write_text(GOOD.replace("sets = 2", 'sets = 2\nfolder = "nowhere"'))
    refused(file, tmp_path / "data", f"{tmp_path / 'nowhere'}: that is no folder; mend ladder.folder")
    assert not (tmp_path / "data" / "rummyref.db").exists()


def test_one_folder_is_for_one_ladder_at_a_time(tmp_path: Path) -> None:
    """A folder in use is refused."""
    file = write_ladder(tmp_path, {"a": bot("greedy"), "b": bot("greedy")})
    with lock_folder(tmp_path / "data"):
        refused(file, tmp_path / "data", "is used by another rummyref")
