"""A replay stepped through as somebody saw it, by the views and audiences of the engine."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clients.cli.replay_text import heading, names_of, told
from clients.cli.show import event_lines, hand_line, table_lines, view_lines
from engine.cards import CardBag, listed
from engine.events import Event, YouDrew, YouWereDealt, audience
from engine.match import Match
from engine.notation import show_cards
from engine.record.audit import Step
from engine.record.canonical import PUBLIC_START, Json, canonical, linked
from engine.record.entries import Entry, Header, Played, Presence, Refusal, Void
from engine.record.entry_json import to_json
from engine.record.public import public_json
from engine.views import public_view, seat_view

ALL: Final = "all"
"""The viewer who sees every seat, and entries that no seat is told of."""


class Viewer(NamedTuple):
    """Who looks at a replay.

    Attributes:
        name: `all`, `public` or `seat N`.
        seats: Seats whose own events and hand are seen.
        you: The seat that is spoken to, None for somebody beside the table.
    """

    name: str
    seats: tuple[int, ...]
    you: int | None


def viewer_of(seat: int | None, players: int, *, public: bool) -> Viewer:
    """Return who is meant: one seat, a spectator, or everybody at once now that all is revealed."""
    if seat is not None:
        return Viewer(f"seat {seat}", (seat,), seat)
    return Viewer("public", (), None) if public else Viewer(ALL, tuple(range(players)), None)


class Moment(NamedTuple):
    """An entry and what was told of it.

    Attributes:
        number: Number of the entry, from 0.
        entry: The entry.
        events: Events that follow from it, in order; none of a match that was void before its deal.
        public_head: Head of the public chain after them, which seats and watchers were told.
    """

    number: int
    entry: Entry
    events: Sequence[Event] = ()
    public_head: bytes = PUBLIC_START


def moments_of(steps: Iterable[Step]) -> Iterator[Moment]:
    """Yield every step with the head of the public chain."""
    head = PUBLIC_START
    for step in steps:
        for event in step.events:
            value = public_json(event)
            head = head if value is None else linked(head, canonical(value))
        yield Moment(step.number, step.entry, step.events, head)


# -- for people -------------------------------------------------------------------


def moment_lines(moments: Iterable[Moment], viewer: Viewer) -> Iterator[str]:
    """Yield what *viewer* saw of every entry, the number of the entry before its first line."""
    names: Sequence[str] = ()
    for number, entry, events, _ in moments:
        lines = []
        if isinstance(entry, Header):
            names = names_of(entry)
            lines += heading(entry)
        elif _is_seen(entry, viewer):
            lines.append(told(entry, names))
        for event in seen(events, viewer):
            lines += _event_lines(event, viewer, names)
        for place, line in enumerate(lines):
            yield f"{'' if place else number:>5}  {line}"


def _is_seen(entry: Entry, viewer: Viewer) -> bool:
    """Return whether *viewer* sees *entry* itself, beside the events that follow from it."""
    match entry:
        case Refusal():
            return entry.seat in viewer.seats
        case Void():
            return True
        case _:
            return viewer.name == ALL and not isinstance(entry, Header | Played | Presence)


def seen(events: Iterable[Event], viewer: Viewer) -> Iterator[Event]:
    """Yield those of *events* whose audience *viewer* belongs to."""
    for event in events:
        seat = audience(event)
        if seat is None or seat in viewer.seats:
            yield event


def _event_lines(event: Event, viewer: Viewer, names: Sequence[str]) -> list[str]:
    if viewer.you is None and isinstance(event, YouDrew):
        return [f"{names[event.seat]} drew {event.card.text}"]
    if viewer.you is None and isinstance(event, YouWereDealt):
        return [f"{names[event.seat]} is dealt {_cards(event.hand)}"]
    return event_lines(event, -1 if viewer.you is None else viewer.you, names)


def position_lines(step: Step, viewer: Viewer, names: Sequence[str]) -> list[str]:
    """Return the table after *step* as *viewer* sees it, and whose turn it is."""
    match = step.state.match
    if viewer.you is None:
        lines = table_lines(public_view(match), names)
        lines.append("cards held: " + ", ".join(map("{} {}".format, names, match.public.hand_sizes)))
        lines += [f"hand of {names[seat]}: {hand_line(seat_view(match, seat))}" for seat in viewer.seats]
    else:
        lines = view_lines(seat_view(match, viewer.you), names)
    asked = "the match is over" if match.turn is None else f"{names[match.turn]} is to {_asked(match)}"
    return [f"after entry {step.number}: {asked}", *lines]


def _asked(match: Match) -> str:
    return "draw or take" if match.public.phase.value == "draw" else "play"


def _cards(hand: CardBag) -> str:
    return show_cards(listed(hand))


# -- for programs -----------------------------------------------------------------


def moment_json(moment: Moment, viewer: Viewer) -> dict[str, Json]:
    """Return what *viewer* saw of an entry: number, events in order, public head, the entry where it is seen itself."""
    told_of: list[Json] = [_event_json(event) for event in seen(moment.events, viewer)]
    value: dict[str, Json] = {
        "entry": moment.number, "events": told_of, "public_head": moment.public_head.hex(),
    }  # fmt: skip
    return {**value, "record": to_json(moment.entry)} if _is_seen(moment.entry, viewer) else value


def _event_json(event: Event) -> Json:
    match event:
        case YouDrew(seat, card):
            return {"event": "you_drew", "seat": seat, "card": card.text}
        case YouWereDealt(seat, hand, twin):
            return {"event": "you_were_dealt", "seat": seat, "hand": _cards(hand), "twin": twin}
        case _:
            return public_json(event)


def position_json(step: Step, viewer: Viewer) -> dict[str, Json]:
    """Return the table after *step* as *viewer* sees it."""
    view = public_view(step.state.match)
    state = view.round
    return {
        "entry": step.number,
        "round": state.index + 1,
        "turn": None if view.over else state.turn,
        "phase": state.phase.value,
        "stock_size": state.stock_size,
        "turn_up": state.turn_up.text if state.turn_up else None,
        "piles": [show_cards(pile) for pile in state.piles],
        "melds": [{"owner": laid.owner, "cards": show_cards(laid.meld.cards)} for laid in state.melds],
        "hand_sizes": list(state.hand_sizes),
        "hands": {str(seat): _cards(seat_view(step.state.match, seat).hand) for seat in viewer.seats},
        "totals": list(view.totals),
    }
