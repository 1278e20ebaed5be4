"""The bots that come with rummyref: what they choose, and that they can play everything."""

import pytest

from clients.bots.cautious import CautiousBot
from clients.bots.greedy import GreedyBot
from clients.bots.registry import BOTS
from engine.match import Match, apply, start
from engine.notation import show_play
from engine.offers import offered
from engine.rules.registry import presets, rule_set
from engine.scenario.reader import read_file
from engine.shuffle import SeededDealing
from engine.views import seat_view


def chosen(bot: type[CautiousBot | GreedyBot], *lines: str) -> str:
    """Return what *bot* plays in seat 0 of the position of *lines*."""
    match = read_file("\n".join(lines), "test")[0].start
    view = seat_view(match, 0)
    return show_play(bot(view.rules, 1).play(view, offered(view.position)))


def test_cautious_keeps_what_may_still_come() -> None:
    """Of two near runs the one goes whose missing cards have been discarded."""
    lines = ("rules remi players=2", "hand 0: 2S 3S 4S 5H 6H 8C 9C", "discards: 7C TC", "turn 0 drawn")
    assert chosen(GreedyBot, *lines) == "discard 5H"
    assert chosen(CautiousBot, *lines) in ("discard 8C", "discard 9C")


def test_cautious_feeds_nobody() -> None:
    """Of two loose cards the one is kept that makes a run with cards which the next seat took."""
    lines = ("rules remi players=2", "hand 0: 2S 3S 4S 7H 9C", "hand 1: 5H 6H AS", "known 1: 5H 6H", "turn 0 drawn")
    assert chosen(GreedyBot, *lines) == "discard 7H"
    assert chosen(CautiousBot, *lines) == "discard 9C"


def test_cautious_chooses_the_discard_of_a_longer_play_too() -> None:
    """After a meld is laid with a taken card the discard is chosen with the same care."""
    lines = ("rules remi players=2", "hand 0: 2S 3S 7H 9C", "hand 1: 5H 6H AS", "known 1: 5H 6H", "discards: 4S")
    assert chosen(GreedyBot, *lines, "turn 0") == "take 1; lay 2S 3S 4S; discard 7H"
    assert chosen(CautiousBot, *lines, "turn 0") == "take 1; lay 2S 3S 4S; discard 9C"


def test_cautious_goes_out_like_greedy() -> None:
    """A play that goes out is not changed."""
    lines = ("rules remi players=2", "hand 0: 4H 5H 6H AS", "turn 0 drawn")
    assert chosen(CautiousBot, *lines) == chosen(GreedyBot, *lines) == "lay 4H 5H 6H; discard AS"


@pytest.mark.parametrize("name", sorted(BOTS))
@pytest.mark.parametrize("preset", presets())
def test_every_bot_plays_every_preset(preset: str, name: str) -> None:
    """A round of one bot against itself comes to its end, every play accepted."""
    rules = rule_set(preset, {"players": presets()[preset][1].seats[0], "rounds": 1})
    match: Match = start(rules, SeededDealing(b"b" * 32))[0]
    bots = [BOTS[name](rules, seat) for seat in range(rules.players)]
    while match.turn is not None:
        view = seat_view(match, match.turn)
        match, _ = apply(match, view.seat, bots[view.seat].play(view, offered(view.position)))
    assert match.public.end is not None
