"""Recorded matches are played again, line by line."""

import pytest

from engine.rules.registry import presets
from tests.playthroughs.transcript import FOLDER, PLAYED, path_of, transcript


@pytest.mark.parametrize("player", PLAYED)
@pytest.mark.parametrize("preset", presets())
def test_a_match_is_played_as_recorded(preset: str, player: str) -> None:
    """Any change of rules, deal, offers or stand-in shows as a difference; `make playthroughs` records it."""
    recorded = path_of(preset, player).read_text("utf-8").splitlines()
    played = list(transcript(preset, player))
    for number, (was, now) in enumerate(zip(recorded, played, strict=False), start=1):
        assert now == was, f"line {number}"
    assert len(played) == len(recorded)


def test_no_recording_is_left_over() -> None:
    """Every file belongs to a preset."""
    assert {path.name for path in FOLDER.glob("*.txt")} == {
        path_of(preset, player).name for preset in presets() for player in PLAYED
    }
