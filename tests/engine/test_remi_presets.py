"""The variants of remi that are presets: winner starts, jokers, Joker Karo."""

import pytest

from engine.cards import JOKER, NATURALS, bag, distinct
from engine.match import Match, apply, start
from engine.moves import DISCARDS, DRAW, Play
from engine.rules.options import OptionError
from engine.rules.position import Phase, Position
from engine.rules.registry import presets, rule_set
from engine.scenario.reader import read_file
from engine.scenario.runner import run
from engine.shuffle import SeededDealing

DEALING = SeededDealing(bytes(32))
CLOSES = """hand 2: 4H 5H 6H 7H AS
turn 2 drawn
play 2: lay 4H 5H 6H 7H; discard AS
expect over
expect turn {turn}
"""


def tosser(position: Position) -> Play:
    """Draw and discard the first card; never closes."""
    return DRAW if position.public.phase is Phase.DRAW else DISCARDS[distinct(position.hand)[0].index]


@pytest.mark.clause("remi-10.5")
@pytest.mark.parametrize(("preset", "turn"), [("remi-winner-starts", 2), ("remi-five-rounds", 0)])
def test_winner_starts(preset: str, turn: int) -> None:
    """The seat that went out begins the next round where the preset says so, else the lowest total."""
    text = f"rules {preset} players=3\ntotal 0: -900\ndealer 1\n{CLOSES.format(turn=turn)}"
    (scenario,) = read_file(text, preset)
    assert run(scenario).failures == ()


@pytest.mark.clause("remi-10.5")
def test_nobody_won() -> None:
    """After a round in which nobody went out its dealer begins again."""
    match, _ = start(rule_set("remi-winner-starts", {"players": 3}), DEALING)
    starters = [match.public.starter]
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, tosser(match.round.position(seat)))
        if len(starters) == match.public.index:
            starters.append(match.public.starter)
    assert starters == [0, 0, 0, 0, 0]


@pytest.mark.clause("remi-11.6")
@pytest.mark.parametrize(
    ("preset", "players", "packs", "jokers"),
    [("remi-jokers", 4, 1, 2), ("remi-joker-karo", 2, 2, 4), ("remi-joker-karo", 8, 2, 4)],
)
def test_decks(preset: str, players: int, packs: int, jokers: int) -> None:
    """Two jokers in one pack, or two packs and four jokers for up to eight."""
    match, _ = start(rule_set(preset, {"players": players}), DEALING)
    everything = bag(match.round.stock.left()) + sum(match.round.hands)
    assert everything == packs * bag(NATURALS) + jokers * bag([JOKER])
    assert match.public.hand_sizes == (7,) * players
    assert match.public.stock_size == 52 * packs + jokers - 7 * players


@pytest.mark.clause("remi-11.6")
@pytest.mark.parametrize("preset", ["remi-jokers", "remi-joker-karo"])
def test_no_jokers_contradict_the_preset(preset: str) -> None:
    """A preset named for its jokers is not played without them; two packs without jokers are a table's choice."""
    with pytest.raises(OptionError, match=f"jokers is 0; {preset}"):
        rule_set(preset, {"jokers": 0})
    assert rule_set("remi", {"packs": 2}).deck.jokers == 0
    assert rule_set(preset, {"jokers": 4}).deck.jokers == 4


@pytest.mark.clause("remi-11.6")
def test_seats_of_the_presets() -> None:
    """Only Joker Karo has room for more than four, and needs both packs for it."""
    for preset in ("remi", "remi-five-rounds", "remi-winner-starts", "remi-jokers"):
        assert presets()[preset][1].seats == (2, 4)
        with pytest.raises(OptionError, match="players"):
            rule_set(preset, {"players": 5})
    with pytest.raises(OptionError, match="players"):
        rule_set("remi-joker-karo", {"players": 9})
    with pytest.raises(OptionError, match="option players is 8; 1 pack of cards seats 4"):
        rule_set("remi-joker-karo", {"players": 8, "packs": 1})


@pytest.mark.parametrize(("preset", "players"), [("remi-winner-starts", 4), ("remi-jokers", 3), ("remi-joker-karo", 8)])
def test_matches_end(preset: str, players: int) -> None:
    """Seats that never close play five rounds."""
    match: Match = start(rule_set(preset, {"players": players}), DEALING)[0]
    while match.over is None:
        seat = match.public.turn
        match, _ = apply(match, seat, tosser(match.round.position(seat)))
    assert len(match.history) == 5
