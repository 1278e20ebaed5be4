"""The part of each rule page that is made from the rule set: `make rule-pages` writes it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.rules.describe import describe
from engine.rules.options import OptionValue
from engine.rules.registry import FAMILIES, rule_set
from engine.rules.ruleset import Family

PAGES = Path(__file__).parents[1] / "docs" / "rules"
BEGIN = "<!-- made from the rule set by `make rule-pages` -->"
END = "<!-- end -->"
_BLOCK = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}\n", re.DOTALL)


def made(family: Family) -> str:
    """Return the block for *family*: presets, its standard game in words, options by preset."""
    return "\n".join([BEGIN, "", *_presets(family), "", *_words(family), *_options(family), "", END]) + "\n"


def _presets(family: Family) -> Iterator[str]:
    yield "## Presets"
    yield ""
    yield "| preset | seats | what it is |"
    yield "|---|---|---|"
    for preset in family.presets:
        low, high = preset.seats
        yield f"| `{preset.name}` | {low if low == high else f'{low}–{high}'} | {preset.about} |"


def _words(family: Family) -> Iterator[str]:
    yield f"## `{family.presets[0].name}` in short"
    yield ""
    for section in describe(rule_set(family.presets[0].name)):
        yield f"* **{section.title}**"
        yield from (f"  * {line}" for line in section.lines)
    yield ""


def _options(family: Family) -> Iterator[str]:
    names = [preset.name for preset in family.presets]
    rules = [rule_set(name) for name in names]
    yield "## Options"
    yield ""
    yield f"| option | meaning | allowed | {' | '.join(f'`{name}`' for name in names)} |"
    yield "|---" * (3 + len(names)) + "|"
    for option in family.options:
        allowed = "as the preset says" if option.name == "players" else option.allowed
        values = " | ".join(_text(each.options[option.name]) for each in rules)
        yield f"| `{option.name}` | {option.about} | {allowed} | {values} |"


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def with_block(page: str, block: str) -> str:
    """Return *page* with its generated block replaced, or put at its end."""
    if _BLOCK.search(page):
        return _BLOCK.sub(lambda _: block, page)
    return f"{page.rstrip()}\n\n{block}"


def main() -> None:
    """Write the block into every page."""
    for family in FAMILIES:
        path = PAGES / f"{family.name}.md"
        path.write_text(with_block(path.read_text("utf-8"), made(family)), "utf-8")
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
