"""Files that are no replay, and replays that are not true: one clear line, the right exit code, within bounds."""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.record.audit import audit
from engine.record.canonical import Json
from engine.record.chain import LINE_LIMIT, SIZE_LIMIT, UnreadableError, lines_in
from engine.record.entries import Presence
from engine.record.entry_json import to_json
from tests.cli.command import ROOT, environment
from tests.cli.replaying import rechained, replay, written
from tests.cli.test_replay_signatures import signed
from tests.engine.recording import entries_of, lines_of

PRESET = "closed-rummy-duel"
LINES = lines_of(entries_of(PRESET))
BODIES: list[dict[str, Json]] = [to_json(entry) for entry in entries_of(PRESET)]
WHOLE = "".join(LINES).encode()
SIGNED = "".join(signed(list(entries_of(PRESET)), 0)).encode()
HEADER = BODIES[0]


def with_options(**options: Json) -> bytes:
    """Return the replay with other options in its header, the chain made anew."""
    known = HEADER["options"]
    assert isinstance(known, dict)
    header: Json = {**HEADER, "options": {**known, **options}}
    return "".join(rechained([header, *BODIES[1:]])).encode()


def with_header(**fields: Json) -> bytes:
    """Return the replay with other fields in its header, the chain made anew."""
    header: Json = {**HEADER, **fields}
    return "".join(rechained([header, *BODIES[1:]])).encode()


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "entry 0: the file is empty"),
    "another text": (b"no replay\n", "entry 0: no replay"),
    "another JSON": (b'{"moves": []}\n', "entry 0: no replay"),
    "random bytes": (bytes(range(255, -1, -1)) * 9, "entry 0: the line is not UTF-8"),
    "cut inside a line": (WHOLE[: len(WHOLE) // 2], "the file ends within a line"),
    "cut inside the header": (WHOLE[:40], "entry 0: the file ends within a line"),
    "without its last line end": (WHOLE[:-1], f"entry {len(LINES) - 1}: the file ends within a line"),
    "without a header": ("".join(LINES[1:]).encode(), "entry 0: no header"),
    "a newer format": (with_header(format=999), "entry 0: format 999 is not read by this version"),
    "a format that is no number": (with_header(format="9"), "entry 0: format unknown"),
    "newer rules": (with_header(rules_version=999), "entry 0: rules version 999"),
    "unknown rules": (with_header(preset="bridge"), "entry 0: unknown preset bridge"),
    "unknown clock": (with_header(clock="sundial"), "entry 0: unknown clock profile sundial"),
    "unknown stand-in": (with_header(stand_in="oracle"), "entry 0: unknown stand-in oracle"),
    "two matches": (WHOLE * 2, f"entry {len(LINES)}: a second match begins"),
    "two signed matches": (SIGNED * 2, f"entry {len(LINES) + 1}: a second match or ladder begins"),
    "a billion rounds": (with_options(rounds=10**9), "entry 0: option rounds is 1000000000"),
    "a number too great": (with_options(rounds=10**40), "entry 0: a number has more than 16 digits"),
    "a number of a million digits": (WHOLE.replace(b'"attempt":1', b'"attempt":' + b"9" * 10**6, 1), "16 digits"),
    "nested too deep": (WHOLE.replace(b'"seats":[', b'"seats":[' + b"[" * 10**5, 1), "nested deeper"),
    "a key twice": (WHOLE.replace(b'"attempt":1', b'"attempt":1,"attempt":1', 1), "key 'attempt' occurs twice"),
    "one endless line": (WHOLE.replace(b"\n", b" ") * 400, "entry 0: the line has more than"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_replay_is_bad_input(tmp_path: Path, name: str) -> None:
    """Verify, show and diff end with 2 and one line on stderr that says which entry and why."""
    content, problem = UNREADABLE[name]
    file, good = written(tmp_path, content), written(tmp_path, WHOLE, "good")
    for arguments in (("verify", file), ("show", file), ("diff", file, good), ("diff", good, file)):
        ran = replay(*arguments)
        if arguments[0] == "diff" and ran.code != 2:
            continue  # a diff looks at entries, not at what the rules say of them
        assert ran.code == 2, (arguments, ran)
        assert len(ran.err.splitlines()) == 1, ran.err[:500]
        assert problem in ran.err
        assert str(file) in ran.err


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_opened_is_bad_input(tmp_path: Path, name: str) -> None:
    """A path without a file, and a folder."""
    for command in ("verify", "show"):
        ran = replay(command, tmp_path / name)
        assert (ran.code, len(ran.err.splitlines())) == (2, 1), ran


def test_whole_entries_missing_are_found_by_their_number(tmp_path: Path) -> None:
    """A replay that lacks entries is a bad match: exit code 1, the first missing number."""
    for number in (1, 7, len(LINES) - 2, len(LINES) - 1):
        ran = replay("verify", written(tmp_path, [*LINES[:number], *LINES[number + 1 :]]))
        assert (ran.code, ran.err) == (1, "")
        assert f"BAD at entry {number}:" in ran.out
    for number in (1, 2, 30):
        ran = replay("verify", written(tmp_path, LINES[:number]))
        assert ran.code == 1
        assert f"BAD at entry {number}: the replay ends before the reveal" in ran.out


def test_what_stands_behind_a_signature_is_found(tmp_path: Path) -> None:
    """An entry, a blank line or another signature behind the end is a change of a match, not another match."""
    *_, last, signature = SIGNED.splitlines(keepends=True)
    for more in (last, signature, b"\n", LINES[1].encode()):
        ran = replay("verify", written(tmp_path, SIGNED + more))
        assert ran.code == 1
        assert f"BAD at entry {len(LINES) + 1}: the signature ends a file" in ran.out


def test_notes_mean_nothing_and_are_chained(tmp_path: Path) -> None:
    """Keys with a leading underscore may be in any entry, change nothing that is shown and cannot be changed."""
    good = written(tmp_path, LINES, "good")
    noted: list[Json] = [{**body, "_note": ["anything", {"at": number}]} for number, body in enumerate(BODIES)]
    lines = rechained(noted)
    file = written(tmp_path, lines, "noted")
    assert replay("verify", file).code == 0
    assert replay("show", file).out == replay("show", good).out
    assert replay("diff", file, good).code == 0
    changed = [*lines[:5], lines[5].replace("anything", "nothing!"), *lines[6:]]
    assert "BAD at entry 5: the chain is broken" in replay("verify", written(tmp_path, changed)).out
    for other in ({**BODIES[5], "note": 1}, {**BODIES[5], "_wall": 1}):
        forged = rechained([*BODIES[:5], other, *BODIES[6:]])
        assert "BAD at entry 5: unknown key" in replay("verify", written(tmp_path, forged)).out


def test_a_wrong_result_is_told_with_the_right_one(tmp_path: Path) -> None:
    """The first part of it that is wrong, as it is and as it should be."""
    totals = BODIES[-2]["totals"]
    assert isinstance(totals, list)
    forged = rechained([*BODIES[:-2], {**BODIES[-2], "totals": [1, 2]}, BODIES[-1]])
    said = replay("verify", written(tmp_path, forged)).out
    assert (
        f"entry {len(BODIES) - 2}: the result has totals [1,2], expected {json.dumps(totals, separators=(',', ':'))}"
        in said
    )


def test_a_sound_replay_is_one_line(tmp_path: Path) -> None:
    """Entries, rounds and who signed it, one of them or several."""
    for rounds in (1, 2):
        lines = lines_of(entries_of(PRESET, rounds))
        good = written(tmp_path, lines, "good")
        said = f"{good}: ok, {len(lines)} entries, {rounds} round{'s' * (rounds > 1)}, not signed\n"
        assert replay("verify", good) == (0, said, "")


def test_each_file_is_judged_whatever_the_others_are(tmp_path: Path) -> None:
    """Good, bad and unreadable ones in one call: the worst decides the exit code."""
    good, bad = written(tmp_path, LINES, "good"), written(tmp_path, LINES[:-1], "bad")
    none = written(tmp_path, b"no replay\n", "none")
    ran = replay("verify", none, bad, good, tmp_path / "missing")
    assert ran.code == 2
    assert [line.split(": ")[1][:3] for line in ran.out.splitlines()] == ["BAD", "ok,"]
    assert len(ran.err.splitlines()) == 2
    assert replay("verify", bad, good).code == 1
    rows = json.loads(replay("verify", none, bad, good, "--json").out)
    assert [(row["readable"], row["ok"]) for row in rows] == [(False, False), (True, False), (True, True)]


def test_names_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """Control characters in a file come out as text, and long text is cut."""
    names: list[Json] = ["\x1b[2J\r", "x" * 10_000]
    folder = tmp_path / "replays"
    folder.mkdir()
    file = written(folder, with_header(seats=names))
    written(folder, with_header(preset="\x1b[2J\r"), "rules")
    good = written(tmp_path, LINES, "good")
    for arguments in (("verify", file), ("show", file), ("diff", file, good), ("list", "--data", tmp_path)):
        ran = replay(*arguments)
        assert "\x1b" not in ran.out + ran.err
        assert "\r" not in ran.out + ran.err
        assert max(map(len, (ran.out + ran.err).splitlines())) < 2_000


class Endless:
    """A file without an end that counts what is asked of it."""

    def __init__(self, line: Callable[[int], bytes]) -> None:
        """Answer every call with a line."""
        self.line = line
        self.given = 0

    def readline(self, size: int) -> bytes:
        """Return a line of at most *size* bytes."""
        line = self.line(size)[:size]
        self.given += len(line)
        return line


def test_an_endless_line_is_given_up_early() -> None:
    """Of garbage without line ends no more is read than one line may have."""
    endless = Endless(lambda size: b"0" * size)
    verdict = audit(lines_in(endless))
    assert not verdict.readable
    assert endless.given <= LINE_LIMIT + 1


def test_an_endless_file_is_given_up_early() -> None:
    """Of lines without an end no more is read than a replay may have."""
    endless = Endless(lambda _: b"{}".ljust(LINE_LIMIT - 1) + b"\n")
    with pytest.raises(UnreadableError, match=f"more than {SIZE_LIMIT} bytes"):
        for _ in lines_in(endless):
            pass
    assert endless.given <= SIZE_LIMIT + LINE_LIMIT


def test_a_sound_chain_without_an_end_is_given_up() -> None:
    """Entries that follow each other by the rules for ever, as in a replay that loops, are bounded too."""
    going: list[Json] = [dict(to_json(Presence(0, present=number % 2 == 1))) for number in range(2_000)]
    lines = iter(rechained([HEADER, *going]))
    endless = Endless(lambda _: next(lines).encode())
    verdict = audit(lines_in(endless, 200_000))
    assert not verdict.readable
    assert "more than 200000 bytes" in verdict.problem


def test_a_gigabyte_of_nothing_takes_no_memory(tmp_path: Path) -> None:
    """A file of 1 GB without a line end is refused with a few megabytes of memory."""
    file = tmp_path / "huge.rummy.jsonl"
    with file.open("wb") as huge:
        huge.truncate(1 << 30)
    tracemalloc.start()
    try:
        ran = replay("verify", file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ran.code == 2
    assert peak < 16 << 20


NOTHING_NAMED = """
import sys
from pathlib import Path
from clients.cli.main import app
from typer.testing import CliRunner
run = lambda file: CliRunner().invoke(app, ["replay", "verify", file]).exit_code
good, strange = sys.argv[1:]
assert run(good) == 0
def watch(event, arguments):
    named = event in ("import", "compile", "exec", "subprocess.Popen", "os.system", "os.exec", "socket.connect")
    if named or (event == "open" and str(arguments[0]) not in (good, strange)):
        sys.stderr.write(f"{event} {arguments}\\n")
sys.addaudithook(watch)
print(run(strange))
"""


def test_nothing_that_a_file_names_is_executed_or_imported(tmp_path: Path) -> None:
    """Presets, clocks and stand-ins named after modules and files lead to no import, no open, no process."""
    for fields in (
        {"preset": "antigravity"},
        {"clock": "os.system"},
        {"stand_in": "this:main"},
        {"deal": "/etc/passwd"},
    ):
        strange = written(tmp_path, with_header(**fields), "strange")
        code = [sys.executable, "-c", NOTHING_NAMED, str(written(tmp_path, LINES, "good")), str(strange)]
        ran = subprocess.run(code, capture_output=True, text=True, cwd=ROOT, env=environment(), check=False)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
        assert ran.stdout.strip() in ("0", "1", "2")
