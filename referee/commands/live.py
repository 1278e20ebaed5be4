"""The progress of a ladder on stderr: a table that moves at a terminal, lines elsewhere."""

import contextlib
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from referee.ladder.manifest import Manifest
from referee.ladder.under_way import Progress

_EVERY_S: Final = 10.0
"""Seconds between two lines where there is no terminal."""

_TIMES_A_SECOND: Final = 2
_MOST_LINES: Final = 20
"""Entrants that the moving table shows, the best first."""

_AROUND: Final = 7
"""Lines of a terminal that are for all else; a table that does not fit in leaves its remains."""


class LiveView:
    """What people see of a ladder under way.

    Attributes:
        progress: The last that was told, None before the ladder has begun.
    """

    def __init__(self, manifest: Manifest, console: Console) -> None:
        """Show the ladder *manifest* on *console*."""
        self.progress: Progress | None = None
        self._spec = manifest.ladder
        self._names = manifest.names
        self._tables_a_set = manifest.shape.tables
        self._console = console
        self._live = Live(
            console=console, get_renderable=self._render, refresh_per_second=_TIMES_A_SECOND, transient=True
        )
        self._last_line = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Take in how far the ladder is."""
        self.progress = progress
        if self._console.is_terminal:
            if not self._live.is_started:
                self._live.start()
        elif time.monotonic() - self._last_line >= _EVERY_S:
            self._last_line = time.monotonic()
            self.say(self.headline())

    def say(self, line: str) -> None:
        """Show a line that stays, such as an alert."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Stop moving; the last state is left as a line."""
        if self._live.is_started:
            self._live.stop()
        if self.progress is not None and self.progress.tables_done:
            self.say(self.headline(going_on=False))

    def headline(self, *, going_on: bool = True) -> str:
        """Return how far it is, how fast, and how long it will take if it goes on."""
        spec, progress = self._spec, self.progress
        if progress is None or not progress.tables_done:
            return f"{spec.name}: {progress.sets_done if progress else 0} of {spec.sets} sets"
        passed_s = max(time.monotonic() - progress.started, 1e-9)
        left = (spec.sets - progress.sets_done - progress.sets_aside) * self._tables_a_set
        eta = timedelta(seconds=round(max(left, 0) * passed_s / progress.tables_done))
        at_most = "at most " if spec.margin is not None else ""
        games_a_min = 60 * progress.tables_done / passed_s
        said = f"{spec.name}: {progress.sets_done} of {spec.sets} sets, {games_a_min:.0f} games/min"
        return f"{said}, {at_most}{eta} to go" if going_on and left > 0 else said

    def _render(self) -> RenderableType:
        progress = self.progress
        if progress is None:
            return Text("")
        bar = ProgressBar(total=progress.sets, completed=progress.sets_done, width=40)
        faults = f"faults {progress.faults}  void sets {progress.voids}  " if progress.faults or progress.voids else ""
        alerts = Text(faults, style="red")
        head = Table.grid()
        head.add_row(Text(self.headline()))
        head.add_row(bar)
        return Group(head, self._standings(progress), alerts)

    def _standings(self, progress: Progress) -> Table:
        """Return means with Student's intervals: cheap, and near to what the standings will say."""
        table, tally = Table(box=None, pad_edge=False), progress.tally
        for heading in ("", "entrant", "points/round", "95 % interval", "sets"):
            table.add_column(heading, justify="left" if heading == "entrant" else "right")
        order = sorted(self._names, key=lambda name: (not tally.sets(name), -tally.mean(name), name))
        most = max(1, min(_MOST_LINES, self._console.height - _AROUND))
        for rank, name in enumerate(order[:most], start=1):
            low, high = tally.interval(name)
            sets = tally.sets(name)
            place, mean = (str(rank), f"{tally.mean(name):+.2f}") if sets else ("–", "–")
            interval = f"{low:+.2f} … {high:+.2f}" if sets > 1 else "–"
            table.add_row(place, name, mean, interval, str(sets))
        if len(order) > most:
            table.add_row("", f"and {len(order) - most} more", "", "", "")
        return table


@contextlib.contextmanager
def live_view(manifest: Manifest) -> Iterator[LiveView]:
    """Show the ladder *manifest* on stderr while it runs."""
    view = LiveView(manifest, Console(stderr=True))
    try:
        yield view
    finally:
        view.close()
