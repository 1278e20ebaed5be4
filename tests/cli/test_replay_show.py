"""A replay stepped through as its viewers saw it, as a position, as a scenario, and beside another one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clients.cli.replay import diff, show
from engine.cards import listed
from engine.notation import show_cards
from engine.record.audit import Step, chained, steps
from engine.record.entries import Entry, Header, Played
from engine.record.replay import only_entries
from engine.rules.registry import presets
from engine.scenario.reader import read_file
from engine.scenario.runner import run
from tests.cli.replaying import called, replay, written
from tests.engine.recording import entries_of, lines_of

PRESET = "remi-five-rounds"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A sound replay."""
    return written(tmp_path, lines_of(entries_of(PRESET)))


def steps_of(preset: str) -> list[Step]:
    """Return the steps of a sound replay."""
    return list(steps(list(only_entries(chained(lines_of(entries_of(preset)))))))


def events_of(file: Path, **viewer: object) -> list[dict[str, object]]:
    """Return every event that `show --json` tells a viewer."""
    ran = called(show, file, as_json=True, **viewer)
    return [event for step in json.loads(ran.out)["steps"] for event in step["events"]]


def test_a_seat_sees_its_own_cards_and_no_other(file: Path) -> None:
    """Each seat is told of its own deals and draws; a spectator of none; without a viewer all are shown."""
    seats = len(steps_of(PRESET)[0].state.header.seats)
    private = ("you_drew", "you_were_dealt")
    everything = events_of(file)
    told_to = [[event for event in events_of(file, seat=seat) if event["event"] in private] for seat in range(seats)]
    for seat, events in enumerate(told_to):
        assert {event["seat"] for event in events} == {seat}
    assert sum(map(len, told_to)) == sum(event["event"] in private for event in everything)
    public = events_of(file, public=True)
    assert public == [event for event in everything if event["event"] not in private]


def test_steps_read_as_a_player_saw_them(file: Path) -> None:
    """Lines begin with the entry's number and speak to the seat; a spectator reads of no hidden card."""
    own = replay("show", file, "--seat", 1)
    assert own.code == 0
    assert "you are dealt " in own.out
    assert "    0  m: remi-five-rounds, clock standard" in own.out
    assert "round 1 is over" in own.out
    public = replay("show", file, "--public")
    assert not any(word in public.out for word in ("you ", " drew ", " is dealt ", "refused"))
    full = replay("show", file).out
    assert all(word in full for word in (" drew ", " is dealt ", "is refused", "reveal: secret", "result after"))


def test_a_position_shows_what_the_viewer_knows(file: Path) -> None:
    """`--at` gives the table after an entry: a seat's own hand, a spectator's none, everybody's without a viewer."""
    for step in steps_of(PRESET)[::17]:
        hands = {
            str(seat): show_cards(listed(hand)) for seat, hand in enumerate(step.state.match.round.hands)
        }  # fmt: skip
        for viewer, seen in (({"seat": 0}, {"0": hands["0"]}), ({"public": True}, {}), ({}, hands)):
            position = json.loads(called(show, file, at=step.number, as_json=True, **viewer).out)
            assert position["hands"] == seen
            assert position["entry"] == step.number
            lines = called(show, file, at=step.number, **viewer).out.splitlines()
            assert lines[0].startswith(f"after entry {step.number}: ")


@pytest.mark.parametrize("preset", presets())
def test_every_position_is_a_scenario_that_runs(preset: str, tmp_path: Path) -> None:
    """`--scenario` prints what `scenario run` accepts, at any entry and at the last that was played from."""
    file = written(tmp_path, lines_of(entries_of(preset)))
    going = [step.number for step in steps_of(preset) if step.state.match.over is None]
    for at in (0, going[len(going) // 3], going[-1], None):
        ran = called(show, file, scenario=True, at=at)
        assert ran.code == 0, ran
        (scenario,) = read_file(ran.out, "printed")
        assert run(scenario).failures == ()
        number = going[-1] if at is None else at
        assert ran.out.startswith(f"# m after entry {number}: 0 p0, 1 p1")
        assert scenario.start.round.hands == steps_of(preset)[number].state.match.round.hands


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--seat", "9"), "seat 9 does not exist; there are 0 to "),
        (("--seat", "-1"), "seat -1 does not exist"),
        (("--at", "100000"), "has no entry 100000; there are 0 to "),
        (("--at", "-1"), "has no entry -1"),
        (("--seat", "0", "--public"), "exclude each other"),
        (("--scenario", "--seat", "0"), "exclude each other"),
    ],
)
def test_a_viewer_or_entry_that_is_not_there_is_bad_input(file: Path, arguments: tuple[str, ...], part: str) -> None:
    """Exit code 2 and one line that says what there is."""
    ran = replay("show", file, *arguments)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert part in ran.err


def test_after_the_end_there_is_no_position_to_play_from(file: Path) -> None:
    """A scenario of the result's entry is refused in one line."""
    ran = replay("show", file, "--scenario", "--at", len(entries_of(PRESET)) - 1)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)


def test_a_match_void_before_its_deal_is_told_of() -> None:
    """Everybody sees that it does not count and why; there are no cards, no position and no scenario."""
    void = Path(__file__).parents[1] / "replays" / "format-2" / "remi-void.rummy.jsonl"
    counts = "    2  the match does not count: nonce not opened (ben)"
    for viewer in ((), ("--public",), ("--seat", 0)):
        ran = replay("show", void, *viewer)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("    0  t-0123456789abcdef: remi, clock untimed")
        assert counts in ran.out.splitlines()
        assert ("hashes of the nonces" in ran.out) == (not viewer)
        steps = json.loads(replay("show", void, "--json", *viewer).out)["steps"]
        assert [step["entry"] for step in steps] == [0, 1, 2, 3]
        assert steps[2]["record"]["cause"] == "nonce_not_opened"
    for option in (("--at", 1), ("--scenario",)):
        ran = replay("show", void, *option)
        assert (ran.code, ran.out) == (2, "")
        assert "void before its deal and has no position" in ran.err
    assert "seat 7 does not exist; there are 0 to 1" in replay("show", void, "--seat", 7).err


def test_a_replay_is_no_different_from_itself(file: Path) -> None:
    """Exit code 0."""
    assert replay("diff", file, file) == (0, "the same\n", "")
    assert json.loads(replay("diff", file, file, "--json").out)["same"] is True


def parted(tmp_path: Path, number: int, **changes: object) -> tuple[Path, Path]:
    """Return a replay and one in which an entry has other values."""
    entries: list[Entry] = list(entries_of(PRESET))
    first = written(tmp_path, lines_of(entries), "first")
    entries[number] = replace(entries[number], **changes)  # type: ignore[arg-type]
    return first, written(tmp_path, lines_of(entries), "second")


def played(after: int) -> int:
    """Return the number of the first play after an entry."""
    return next(n for n, entry in enumerate(entries_of(PRESET)) if n > after and isinstance(entry, Played))


def test_the_first_entry_that_differs_is_named(tmp_path: Path) -> None:
    """What each says there, in notation; exit code 1."""
    number = played(30)
    files = parted(tmp_path, number, seat=7)
    ran = replay("diff", *files)
    assert ran.code == 1
    heading, one, other = ran.out.splitlines()
    assert heading == f"entry {number} is the first to differ:"
    assert one.startswith("  A  p")
    assert other.startswith("  B  seat 7: ")
    data = json.loads(replay("diff", *files, "--json").out)
    assert (data["parting"]["entry"], data["parting"]["b"]["seat"]) == (number, 7)


def test_time_alone_does_not_part_the_play(tmp_path: Path) -> None:
    """A different charge is told of, and the search for another play goes on."""
    number = played(10)
    ran = replay("diff", *parted(tmp_path, number, used_us=49_999))
    assert ran.code == 1
    assert ran.out.splitlines()[0] == f"entry {number} is the first to differ in time alone:"
    assert len(ran.out.splitlines()) == 3


def test_headers_and_ends_are_compared(tmp_path: Path) -> None:
    """Each differing field of the header is a line; a replay that ends earlier has ended."""
    first, second = parted(tmp_path, 0, match_id="other", seats=("a", "b", "c", "d"))
    lines = replay("diff", first, second).out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["header, match", "header, seats"]
    short = written(tmp_path, lines_of(entries_of(PRESET)[:40]), "short")
    assert called(diff, first, short).out.splitlines()[-1] == "  B  has ended"


def test_seats_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Two players of one name are shown with their seats."""
    entries = list(entries_of(PRESET))
    header = entries[0]
    assert isinstance(header, Header)
    entries[0] = replace(header, seats=("anna", "anna", "ben", "cleo"))
    lines = called(show, written(tmp_path, lines_of(entries)), public=True).out
    assert "anna (seat 1)" in lines
    assert "ben (seat" not in lines
