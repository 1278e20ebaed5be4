"""What a table is made from."""

from dataclasses import dataclass

from engine.record.deal import Secret
from engine.record.entries import Header


@dataclass(frozen=True, slots=True)
class TableSetup:
    """What a table is made from.

    Attributes:
        header: The first entry.
        secret: Where the cards come from.
        watch_delay_us: How late watchers are told while the match is on; None for not at all.
        ranked: Ladder table: a missing player forfeits, nobody is waited for.
    """

    header: Header
    secret: Secret
    watch_delay_us: int | None
    ranked: bool
