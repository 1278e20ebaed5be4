"""A table that has ended, as its record tells of it: what anybody may look at and watch again."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.events import Event, audience
from engine.record.canonical import PUBLIC_START
from engine.record.deal import Secret, nonces_of
from engine.record.entries import Dealt, Entry, Hashes, Header, Result, Reveal, Void
from engine.record.fold import TableState, begin, fold
from engine.views import public_view
from referee.tables.broadcast import public_told
from referee.tables.messages import Sight, Told


class PastTable(NamedTuple):
    """What is left of a match that is over. Audience: whoever may watch its table.

    Attributes:
        sight: How it ended.
        told: Its public events; sequence *n* is at place *n* - 1.
    """

    sight: Sight
    told: tuple[Told, ...]


def past_table(entries: Iterable[Entry], secret: Secret) -> PastTable:
    """Fold the record of a match that is over. It takes a millisecond for fifty plays: no clock may wait for it."""
    header: Header | None = None
    state: TableState | None = None
    told, head = list[Told](), PUBLIC_START
    for entry in entries:
        events: list[Event] = []
        match entry:
            case Header():
                header = entry
            case Dealt() if header is not None:
                state, events = begin(header, secret.dealing(header.match_id, nonces_of(entry.nonces)))
            case Dealt() | Hashes() | Result() | Void() | Reveal():
                pass
            case _ if state is not None:
                state, events = fold(state, entry)
        for event in events:
            if audience(event) is None:
                told.append(public_told(event, head))
                head = told[-1].public_head
    players = () if header is None else header.seats
    view = None if state is None else public_view(state.match)
    commitment = bytes.fromhex(header.commitment) if header else b""
    return PastTable(Sight(view, (False,) * len(players), commitment), tuple(told))
