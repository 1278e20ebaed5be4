"""The report of a ladder: one page, the same bytes every time, fit to be looked at."""

import random
import re
import shutil
from array import array
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from engine.record.entries import Cause, Forfeited, Result
from engine.rules.registry import rule_set
from referee.ladder.decisions import PlayedTable, SeatDecisions
from referee.ladder.fixtures import Shape, rotation
from referee.ladder.margins import TableResult
from referee.ladder.report.page import page
from referee.ladder.results import ChainHead, LadderResults
from referee.ladder.shown import shown
from tests.ladder.simulating import simulated

STRENGTHS = {
    "greedy-a": 14.0,
    "greedy-b": 13.0,
    "cautious": 12.0,
    "a name of thirty-two characters": -2.0,
    "random": -40.0,
}
CHAIN = ChainHead(99, bytes.fromhex("5eed" * 16))
WITHIN_MS = 120_000
LOST = {0: Cause.STRIKES, 3: Cause.CRASHED, 6: Cause.NEVER_CAME}
VOID = {"meta", "br", "hr", "img", "input", "link", "circle", "line", "rect", "polyline", "path"}

LOOK = """() => {
  const problems = [];
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the window");
  for (const table of document.querySelectorAll(".wide"))
    if (innerWidth >= 1200 && table.scrollWidth > table.clientWidth + 1)
      problems.push("wider than its section: " + table.querySelector("caption").textContent);
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.getAttribute("aria-label")) problems.push("a drawing without a name");
    const frame = svg.getBoundingClientRect();
    if (frame.width < 100 || frame.height < 40) problems.push("a drawing too small: " + svg.getAttribute("aria-label"));
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1)
        problems.push("cut off: " + text.textContent);
    }
  }
  const light = colour => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/rgba\\(.*, 0(\\.\\d+)?\\)/.test(colour)) return colour;
    }
  };
  for (const element of document.querySelectorAll("p, th, td, a, li, summary, figcaption, caption, dt, code, text")) {
    const style = getComputedStyle(element);
    const ink = light(element.tagName == "text" ? style.fill : style.color), paper = light(behind(element));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) problems.push("too faint, " + contrast.toFixed(1) + ": " + element.textContent.slice(0, 30));
  }
  return problems;
}"""


def ladder(sets: int, strengths: dict[str, float] = STRENGTHS, players: int = 3) -> LadderResults:
    """Return a ladder of simulated results, one seat of which has misbehaved."""
    chance = random.Random(5)
    played = []
    for table in simulated(strengths, players, sets, chance):
        lost = (Forfeited(0, 1, LOST[table.set_number % 9]),) if table.set_number % 9 in LOST else ()
        faults = ((1, Cause.TIME_OUT), (1, Cause.ILLEGAL)) if lost else ()
        result = Result(table.result.points, table.result.totals, table.result.winners, lost, faults)
        seats = tuple(
            SeatDecisions(array("q", (chance.randrange(300, 90_000) for _ in range(9))), seat)
            for seat in range(players)
        )
        played.append(PlayedTable(TableResult(table.set_number, table.entrants, result), seats))
    rules = rule_set("remi", {"players": players, "rounds": 1})
    return LadderResults("spring", rules, rotation(players), tuple(strengths), tuple(played), CHAIN)


class Tags(HTMLParser):
    """Checks that every element is closed where it should be, and keeps what the page refers to."""

    def __init__(self) -> None:
        """Begin outside of everything."""
        super().__init__()
        self.open: list[str] = []
        self.refers: list[str] = []
        self.ids: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element that is to be closed."""
        self.seen.add(tag)
        values = dict(attrs)
        self.refers += [value for name in ("href", "src", "data", "action") if (value := values.get(name))]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element without content."""
        self.seen.add(tag)


def test_a_page_needs_nothing_else_and_is_the_same_every_time() -> None:
    """No script, no reference but to its own sections; recomputed from the record it has the same bytes."""
    text = page(shown(ladder(40)))
    assert text == page(shown(ladder(40)))
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe", "object"}
    assert len(tags.ids) == len(set(tags.ids))
    assert all(reference.removeprefix("#") in tags.ids for reference in tags.refers)
    assert not re.search(r"https?:|url\(|@import", text)


def test_a_page_shows_all_that_standings_rest_on() -> None:
    """Every entrant in every table, the matrix, the misconduct, the proofs, and the notes."""
    text = page(shown(ladder(40)))
    for entrant in STRENGTHS:
        assert text.count(f'<th scope="row" class="name">{entrant}</th>') == 7
    assert text.count("<svg") == 5 + len(STRENGTHS)
    for part in (
        "Chance of rank 1",
        "strikes",
        "per 1,000 decisions",
        "p99",
        "Chain head",
        "99 entries",
        CHAIN.head.hex(),
    ):
        assert part in text
    assert "Nobody else was ever placed level" not in text


def test_a_page_says_what_was_irregular_and_how_a_match_stands() -> None:
    """Withdrawn entrants, void sets and a trial that failed are said; an A/B match has its verdict."""
    text = page(shown(ladder(40)))
    assert "Withdrawn" not in text
    assert "became void" not in text
    odd = replace(ladder(60, {"greedy": 9.0, "random": -9.0}, 2), withdrawn=("random",), void_sets=2, versus=(1.0, 60))
    text = page(shown(replace(odd, unfit={"random": "too slow"})))
    assert "Withdrawn until its owner returns: random." in text
    assert "A set became void 2 times" in text
    assert "too slow" in text
    assert re.search(r"A/B match: after \d+ sets greedy is better than random", text)


@pytest.mark.parametrize(
    ("shape", "told"),
    [(rotation(3), "the others' at the table"), (Shape("bridge", 3, 2), "the others made in its seat")],
)
def test_a_page_says_what_points_are_compared_with(shape: Shape, told: str) -> None:
    """With those at the table, or with those who held the same cards."""
    text = page(shown(replace(ladder(0), shape=shape)))
    assert told in " ".join(text.split())
    assert f"design <b>{shape.design}</b>" in text


def test_names_are_text_and_nothing_more() -> None:
    """What looks like markup in a name stays a name, in tables and in drawings."""
    text = page(shown(ladder(9, {"<b>&": 1.0, 'x" onload="y': 0.0, "z": -1.0})))
    assert "<b>" not in text.replace("<b>remi</b>", "").replace("<b>9</b>", "").replace("<b>27</b>", "").replace(
        "<b>3</b>", ""
    ).replace("<b>rotation</b>", "")
    assert "&lt;b&gt;&amp;" in text
    assert ' onload="' not in text


@pytest.mark.parametrize("sets", [0, 1])
def test_a_ladder_that_has_hardly_begun_has_a_page(sets: int) -> None:
    """No set, and one set: what cannot be said is said to be missing."""
    text = page(shown(ladder(sets)))
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert ("one set gives no interval" in text) == (sets == 1)
    assert "is finished: no rank, points or rating" in text
    assert not re.search(r"\bnan\b|\binf\b", text)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, where there is one."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium to look at the report with; Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=WITHIN_MS)
        yield chromium
        chromium.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (380, "light")])
def test_a_browser_shows_it_well(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    """Nothing is cut off, faint or wider than the window, by day and night, on desk and phone; nothing is fetched."""
    file = tmp_path / "report.html"
    file.write_text(page(shown(ladder(40))), "utf-8")
    looked = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    looked.set_default_timeout(WITHIN_MS)
    said: list[str] = []
    looked.on("console", lambda message: said.append(message.text))
    looked.on("request", lambda request: said.append(request.url))
    looked.goto(file.as_uri())
    assert said == [file.as_uri()]
    assert looked.title() == "spring: ladder report"
    assert looked.evaluate(LOOK) == []
    follow(looked)
    looked.close()


def follow(looked: Page) -> None:
    """Every link of the page leads to a section that can be read."""
    for link in looked.query_selector_all("nav a"):
        link.click()
        target = looked.query_selector(str(link.get_attribute("href")))
        assert target is not None
        assert target.is_visible()
