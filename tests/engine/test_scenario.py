"""Scenario files: what can be read, what cannot, and what running them tells."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import NATURALS, bag, size
from engine.match import Match, apply, start
from engine.moves import DRAW
from engine.notation import parse_cards, show_cards
from engine.offers import offered
from engine.rules.position import Phase
from engine.rules.registry import presets, rule_set
from engine.scenario.printer import print_position
from engine.scenario.reader import Scenario, ScenarioError, read_file
from engine.scenario.runner import Outcome, run
from engine.shuffle import SeededDealing, canonical_deck

KING = """\
rules remi-five-rounds players=2     # a comment
hand 0: 4H 5H 6H KS KD 2C 9D
hand 1: AS AH 3C 8C 8D JC QH
discards: KH
stock: TS 2D
turn 0
play 0: take 1; lay KS KD KH; discard 9D
expect ok
play 1: draw
expect ok
expect hand 0: 4H 5H 6H 2C
"""


def read(text: str) -> Scenario:
    """Return the one scenario of *text*."""
    (scenario,) = read_file(text, "file.txt")
    return scenario


def result(text: str) -> Outcome:
    """Return what running the one scenario of *text* gives."""
    return run(read(text))


def trouble(*lines: str) -> ScenarioError:
    """Return the error that these lines are, the last of them being named by it."""
    with pytest.raises(ScenarioError) as unreadable:
        read_file("\n".join(lines), "file.txt")
    error = unreadable.value
    assert (error.file, error.line) == ("file.txt", len(lines))
    assert str(error) == f"file.txt:{len(lines)} {error.reason}"
    return error


def test_a_scenario_holds_and_tells_its_course() -> None:
    """Nothing fails, and the transcript has plays and the card drawn."""
    outcome = result(KING)
    assert outcome.failures == ()
    assert (outcome.name, outcome.line) == ("file.txt", 1)
    assert outcome.transcript == (
        "remi-five-rounds, 2 seats, round 1, seat 0 to draw",
        "  seat 0: take 1; lay KS KD KH; discard 9D",
        "  seat 1: draw",
        "    drew TS",
    )


def test_what_is_unlike_is_one_line_with_its_place() -> None:
    """File, line, what was expected and what came."""
    outcome = result(KING.replace("expect hand 0: 4H 5H 6H 2C", "expect hand 0: 4H 5H 6H 3C"))
    assert outcome.failures == ("file.txt:11 expected hand 0: 4H 5H 6H 3C, got 4H 5H 6H 2C",)


def test_a_refusal_nobody_expected_is_a_failure() -> None:
    """A play without an expectation must be accepted, too."""
    outcome = result("rules remi\nturn 1\nplay 0: draw\nplay 1: draw\nexpect turn 1\n")
    assert outcome.failures == ("file.txt:3 expected ok, got refused NOT_YOUR_TURN (it is the turn of seat 1)",)


ENDED = """\
rules remi players=2 rounds=1
hand 0: 4H 5H 6H KS KD KH AC 2D
hand 1: 2S 4S 6D 8C TS QH AD
turn 0
"""


@pytest.mark.parametrize(
    ("expectation", "got"),
    [
        ("ok", "refused MUST_GO_OUT (this play must go out: 2D would remain in the hand)"),
        ("refused MELD_INVALID", "refused MUST_GO_OUT (this play must go out: 2D would remain in the hand)"),
        ("debts: none", "debts: MUST_GO_OUT"),
        ("discards: AC", "no cards"),
        ("meld 0: 4H 5H 6H", "no meld"),
        ("stock 36", "37"),
        ("score 0: +40", "no round just ended"),
        ("total 0: +40", "0"),
        ("over", "the round goes on"),
        ("winner 0 1", "the match goes on"),
        ("turn 1", "0"),
        ("offers 0: draw", "8 offers without it"),
    ],
)
def test_each_expectation_can_fail(expectation: str, got: str) -> None:
    """What does not hold is told, in the words of the expectation."""
    text = f"{ENDED}play 0: lay 4H 5H 6H; lay KS KD KH; discard AC\nexpect refused\nexpect {expectation}\n"
    assert result(text).failures == (f"file.txt:7 expected {expectation}, got {got}",)


@pytest.mark.parametrize(
    ("expectation", "got"),
    [("refused", "ok"), ("score 1: 0", "-50"), ("winner 1", "0"), ("turn 0", "nobody, the match is over")],
)
def test_each_expectation_of_an_ended_match_can_fail(expectation: str, got: str) -> None:
    """After the last play there is a score and a winner, and nobody to act."""
    text = ENDED.replace("2D", "7H") + "play 0: lay 4H 5H 6H 7H; lay KS KD KH; discard AC\n"
    assert result(f"{text}expect over\nexpect score 0: +200\nexpect winner 0\n").failures == ()
    assert result(f"{text}expect {expectation}\n").failures == (f"file.txt:6 expected {expectation}, got {got}",)


def test_several_scenarios_are_parted_and_keep_their_lines() -> None:
    """A line of dashes parts scenarios; a part with comments only is none, and clauses stay with theirs."""
    text = (
        "# clause remi-1.1, remi-1.2\nrules remi\nplay 0: draw\n---\n# nothing\n---\n\nrules remik # clause remik-2.1\n"
    )
    first, second = read_file(text, "file.txt")
    assert (first.line, first.clauses, second.line, second.clauses) == (2, ("remi-1.1", "remi-1.2"), 8, ("remik-2.1",))
    assert not first.expects


def test_a_file_of_another_system_reads_alike() -> None:
    """A byte order mark and carriage returns do not matter."""
    assert result("\ufeff" + KING.replace("\n", "\r\n")).failures == ()


def test_seats_without_a_hand_are_dealt_from_the_rest() -> None:
    """In canonical order, seat by seat, after everything that is named; the stock has what is left."""
    match = read("rules remi players=3\nhand 1: AS 3S\nstock: 2S KC\nturn 0\n").start
    hands = [bag(parse_cards(text)) for text in ("4S 5S 6S 7S 8S 9S TS", "AS 3S", "JS QS KS AH 2H 3H 4H")]
    assert list(match.round.hands) == hands
    assert match.round.stock.left()[:4] == parse_cards("2S KC 5H 6H")
    assert match.public.stock_size == 52 - 7 - 2 - 7


def test_a_stock_that_is_all_leaves_the_rest_out() -> None:
    """`stock only` is exactly that, perhaps nothing."""
    assert read("rules remi players=2\nstock only: 9H 2C\n").start.round.stock.left() == parse_cards("9H 2C")
    assert read("rules remi players=2\nstock only:\n").start.public.stock_size == 0


def test_two_packs_have_two_of_each_and_jokers_come_last() -> None:
    """Canonical order is pack after pack; a card named is taken from the first."""
    match = read("rules remik players=2\nhand 0: AS 2S JK\nhand 1: 9H\nstock: KD\n").start
    left = match.round.stock.left()
    assert left[:3] == parse_cards("KD 3S 4S")
    assert left[-3:] == parse_cards("JK JK JK")
    assert len(left) == 108 - 4


@pytest.mark.parametrize(
    ("text", "phase", "drew"),
    [
        ("rules remi\nturn 2\n", Phase.DRAW, False),
        ("rules remi\nturn 2 drawn\n", Phase.PLAY, True),
        ("rules remi\nhand 0: 2S 3S 4S 5S 6S 7S 8S 9S\nturn 0\n", Phase.PLAY, True),
        ("rules remik\nhand 0: 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2H\n", Phase.PLAY, False),
        ("rules remik\n", Phase.DRAW, False),
    ],
)
def test_a_turn_stands_before_or_after_its_draw(text: str, phase: Phase, drew: bool) -> None:
    """After the draw where `drawn` is said or the hand is longer than the deal by one."""
    public = read(text).start.public
    assert (public.phase, public.drew) == (phase, drew)


def test_a_seat_that_has_drawn_and_has_no_hand_named_is_dealt_one_more() -> None:
    """Eight cards of which one was drawn."""
    assert size(read("rules remi\nturn 2 drawn\n").start.round.hands[2]) == 8


def test_rows_turn_up_twin_and_melds_are_set_up() -> None:
    """What other families have on the table can be said."""
    lines = ["row 0: 9H 2C", "row 1:", "turn-up: 6H", "twin 1", "hand 1: 6H AS", "dealer 1", "turn 0", "total 0: -20"]
    match = read("\n".join(["rules closed-rummy players=2", *lines])).start
    assert match.public.piles == (parse_cards("9H 2C"), ())
    assert (match.public.turn_up, match.public.dealt_turn_up) == (parse_cards("6H")[0], parse_cards("6H")[0])
    assert (match.round.twin, match.public.dealer, match.totals) == (1, 1, (-20, 0))
    gone = read("rules closed-rummy players=2\nturn-up taken: 6H\nhand 1: 6H 6H\n").start.public
    assert (gone.turn_up, gone.dealt_turn_up) == (None, parse_cards("6H")[0])
    remik = read("rules remik players=3\nmeld 2: 4C JK 6C\nopened 0\nturn 0\n").start.public
    assert remik.opened == (True, False, True)
    assert remik.melds[0].meld.cards == parse_cards("4C JK=5C 6C")


R = "rules remi players=2"


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (["hand 0: 4H"], "begins with rules"),
        (["rules"], "begins with rules"),
        (["rules remi: 4H"], "begins with rules"),
        (["rules whist"], "whist"),
        (["rules remi colour=red"], "colour"),
        (["rules remi players=9"], "players"),
        (["rules remi players"], "players is no option=value"),
        (["rules remi players=2 players=3"], "said twice"),
        ([R, "hand 0: 4H 5H 1H"], "1H"),
        ([R, "hand 0 4H"], "hand"),
        ([R, "hand: 4H"], "hand"),
        ([R, "hand 2: 4H"], "seat 2"),
        ([R, "hand x: 4H"], "x is not a number"),
        ([R, "hand 0: 4H", "hand 0: 5H"], "said twice"),
        ([R, "hand 0: JK"], "JK is named too often; the deck has none"),
        ([R, "hand 0: 4H", "hand 1: 5H 4H"], "4H is named too often; the deck has 1"),
        ([R, "hand 0: 4H", "discards: 4H"], "4H"),
        (["rules remik", "hand 0: JK=4H"], "only jokers in melds"),
        ([R, "row 0: 4H"], "discards"),
        (["rules closed-rummy", "discards: 4H"], "row"),
        ([R, "stock some: 4H"], "stock"),
        ([R, "stock: 4H", "stock only: 5H"], "said twice"),
        ([R, "stock"], "colon"),
        ([R, "meld 0: 4H 5H 7H"], "4H 5H 7H is no meld"),
        ([R, "turn-up: 4H"], "turn no card up"),
        ([R, "twin 0"], "turn no card up"),
        (["rules closed-rummy", "turn-up: 4H 5H"], "one card"),
        ([R, "total 0: many"], "many"),
        ([R, "turn 0", "turn 1"], "said twice"),
        ([R, "turn 0 later"], "turn N drawn"),
        ([R, "turn"], "needs a seat"),
        ([R, "opened"], "needs a seat"),
        ([R, "round 0"], "1 to 100"),
        ([R, "dry-turns -1"], "at least 0"),
        ([R, "pile: 4H"], "cannot read pile"),
        ([R, ": 4H"], "colon"),
        ([R, "play 0: draw", "hand 0: 4H"], "before the first play"),
        ([R, "play: draw"], "play N"),
        ([R, "play 0 draw"], "play N"),
        ([R, "play 0: pass"], "pass"),
        ([R, "expect"], "cannot expect"),
        ([R, "expect rain"], "rain"),
        ([R, "expect refused TIRED"], "TIRED"),
        ([R, "expect debts: TIRED"], "TIRED"),
        ([R, "expect debts"], "none"),
        ([R, "expect ok ok"], "cannot read expect ok ok"),
        ([R, "turn 0", "expect ok"], "ok speaks of the play above, and there is none"),
        ([R, "expect turn 0", "expect refused"], "refused speaks of the play above"),
        ([R, "expect debts: none"], "speaks of the play above"),
        ([R, "expect hand: 4H"], "names one seat"),
        ([R, "expect row 0: 4H"], "discards"),
        ([R, "expect score 0: plenty"], "plenty"),
        ([R, "expect winner"], "needs a seat"),
        ([R, "expect stock"], "not a number"),
        ([R, "expect offers 0: pass"], "pass"),
        ([R, "expect turn 7"], "seat 7"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(lines: list[str], part: str) -> None:
    """File, line and reason."""
    assert part in trouble(*lines).reason


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no scenario"),
        ("# only words\n---\n", "no scenario"),
        (f"{R}\nhand 0:\nturn 0", "holds no card"),
        (f"{R}\nhand 0: 4H\nknown 0: 5H", "known to hold"),
        (f"{R}\nstock: {show_cards(NATURALS[:45])}", "0 cards are left to deal to seat 1"),
    ],
)
def test_a_position_that_cannot_be_is_named_by_its_first_line(text: str, part: str) -> None:
    """What only the whole position shows is told at the line of its rules."""
    with pytest.raises(ScenarioError, match=part) as unreadable:
        read_file(text, "file.txt")
    assert unreadable.value.line == 1


def test_a_play_that_cannot_be_read_may_be_expected_to_be_refused() -> None:
    """Only where the reason of form is named; a slip of the pen is no passing test."""
    assert result(f"{R}\nplay 0: discard 1H\nexpect refused CARD_MALFORMED\n").failures == ()
    for line in ("expect refused", "expect refused CARD_NOT_HELD", "expect ok"):
        with pytest.raises(ScenarioError, match=r"1[hH]"):
            read_file(f"{R}\nplay 0: discard 1H\n{line}\n", "file.txt")
    wrong = result(f"{R}\nplay 0: discard 1H\nexpect refused PLAY_EMPTY\n")
    assert "got refused CARD_MALFORMED" in wrong.failures[0]


def facts(match: Match) -> tuple[object, ...]:
    """Return what a printed position must keep."""
    return match.public, match.round.hands, match.round.twin, match.round.stock.left(), match.totals


def played(preset: str, options: dict[str, str | int], number: int, choices: st.DataObject, most: int) -> Match:
    """Return a match some plays after its deal."""
    match, _ = start(rule_set(preset, options), SeededDealing(number.to_bytes(32, "big")))
    for _ in range(choices.draw(st.integers(0, most))):
        seat = match.public.turn
        offers = offered(match.round.position(seat))
        longer = [play for play in offers if len(play.moves) > 1 or play == DRAW]
        after, _ = apply(match, seat, choices.draw(st.sampled_from(longer or offers)))
        if after.over is not None:
            break
        match = after
    return match


@settings(max_examples=25)
@given(st.sampled_from(list(presets())), st.integers(0, 2**64), st.data())
def test_a_printed_position_reads_as_the_same_position(preset: str, number: int, choices: st.DataObject) -> None:
    """Hands, piles, melds, stock, totals and counters survive, in every preset."""
    match = played(preset, {}, number, choices, 24)
    again = read(print_position(match)).start
    assert facts(again) == facts(match)
    assert again.rules.options == match.rules.options
    assert print_position(again) == print_position(match)


@settings(max_examples=10)
@given(st.integers(0, 2**64), st.data())
def test_a_printed_position_keeps_draw_streams(number: int, choices: st.DataObject) -> None:
    """Until a stream is empty every seat draws the same cards from the printed position."""
    match = played("remi", {"players": 3, "draw_streams": "true"}, number, choices, 12)
    again = read(print_position(match)).start
    assert bag(again.round.stock.left()) == bag(match.round.stock.left())
    one, other = match.round.stock, again.round.stock
    seat = match.public.turn + (match.public.phase is Phase.PLAY)
    for step in range(min(6, one.size)):
        first, one = one.draw((seat + step) % 3)
        second, other = other.draw((seat + step) % 3)
        assert first is second


def test_a_later_round_is_printed_with_its_number() -> None:
    """The match goes on for as many rounds as before."""
    text = f"{R}\nround 7\ntotal 1: 30\nstock only:\nplay 0: draw\n"
    scenario = read(text)
    match, _ = apply(scenario.start, 0, DRAW)
    assert "round 8\n" in print_position(match)
    last, _ = apply(read(print_position(match)).start, match.public.turn, DRAW)
    assert last.over is None


def test_a_match_that_is_over_has_no_position() -> None:
    """There is nothing to play from, and that is said."""
    over, _ = apply(read("rules remi players=2 rounds=1\nstock only:\n").start, 0, DRAW)
    assert over.over is not None
    with pytest.raises(ValueError, match="over"):
        print_position(over)


def test_every_card_of_a_position_comes_from_the_deck() -> None:
    """Whatever lines name, the whole deck is there once."""
    match = read(KING).start
    everything = sum(match.round.hands) + bag(match.round.stock.left()) + sum(map(bag, match.public.piles))
    assert everything == bag(canonical_deck(match.rules.deck))


def test_the_scenario_of_the_notation_page_holds() -> None:
    """The example that the documentation shows runs as it is shown."""
    page = (Path(__file__).parents[2] / "docs" / "notation.md").read_text("utf-8")
    _, example, _ = page.split("```\n")
    assert result(example).failures == ()
