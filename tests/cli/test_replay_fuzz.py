"""Whatever a file holds, `rummyref replay` ends with 0, 1 or 2 and never with an exception.

`RUMMYREF_FILES` sets the number of files of each kind; 60 is what every run looks at.
"""

import json
import os
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.cli.replay import diff, show, verify
from engine.record.canonical import Json
from tests.cli.replaying import called, rechained, written
from tests.engine.recording import entries_of, lines_of

FILES: Final = int(os.environ.get("RUMMYREF_FILES", "60"))

KEPT: Final = Path(__file__).parents[1] / "replays"
WHOLE: Final = (
    "".join(lines_of(entries_of("remi-five-rounds", 1))).encode(),
    (KEPT / "format-1" / "remik-set.rummy.jsonl").read_bytes(),
    (KEPT / "format-2" / "remi-jokers-table.rummy.jsonl").read_bytes(),
    (KEPT / "format-2" / "remi-void.rummy.jsonl").read_bytes(),
)
"""Sound replays: of a set, of an old format, with nonces and a signature, and of a match that is void."""


def bodies_of(whole: bytes) -> list[dict[str, Json]]:
    """Return the entries of a replay as JSON."""
    values = map(json.loads, whole.splitlines())
    return [value["entry"] for value in values if "entry" in value]


BODIES: Final = tuple(map(bodies_of, WHOLE))

some_text = st.text(max_size=12) | st.sampled_from(
    [
        "draw",
        "discard JK",
        "lay 2H 3H 4H; discard 5H",
        "take 9999999999",
        "remik",
        "untimed",
        "greedy",
        "00" * 32,
        "set",
    ]
)
leaves = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.integers(-3, 9) | some_text
values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(some_text, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def slips(draw: st.DrawFn) -> bytes:
    """Bytes changed, dropped and put in anywhere."""
    raw = bytearray(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw) - 1))
        raw[at : at + draw(st.integers(0, 40))] = draw(st.binary(max_size=8))
    return bytes(raw)


@st.composite
def forgeries(draw: st.DrawFn) -> bytes:
    """Entries changed, dropped, doubled and moved, and all hashes made anew."""
    bodies: list[Json] = [dict(body) for body in draw(st.sampled_from(BODIES))]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from([0, len(bodies) - 1, len(bodies) - 2]) | st.integers(0, len(bodies) - 1))
        body = bodies[at]
        match draw(st.sampled_from(["value", "value", "value", "drop", "double", "move", "any"])):
            case "value" if isinstance(body, dict) and body:
                bodies[at] = {**body, draw(st.sampled_from(sorted(body))): draw(values)}
            case "drop" if len(bodies) > 3:
                del bodies[at]
            case "double":
                bodies.insert(at, body)
            case "move":
                moved = bodies.pop(at)
                bodies.insert(draw(st.integers(0, len(bodies))), moved)
            case _:
                bodies[at] = draw(values)
    return "".join(rechained(bodies)).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("kind", [slips, forgeries])
def test_any_file_is_answered(kind: object, tmp_path: Path) -> None:
    """Verify, show and diff of any file: an exit code of theirs, a line for people if it is not 0."""
    good = written(tmp_path, WHOLE[0], "good")

    @settings(max_examples=FILES)
    @given(kind())  # type: ignore[operator]  # a strategy's maker
    def answered(content: bytes) -> None:
        file = written(tmp_path, content)
        for ran in (
            called(verify, [file], None),
            called(show, file),
            called(show, file, scenario=True),
            called(diff, good, file),
        ):
            assert ran.code in (0, 1, 2)
            assert ran.code == 0 or ran.out or ran.err

    answered()
