"""Whole matches as text: every play, and what each seat knows after it.

`make playthroughs` writes them anew; reviewers read a change of rules as a diff.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from engine.cards import listed
from engine.events import Event, YouDrew, YouWereDealt
from engine.match import Match, apply, start
from engine.notation import show_cards, show_play
from engine.offers import offered
from engine.record.canonical import canonical
from engine.record.public import public_json
from engine.rules.registry import presets, rule_set
from engine.shuffle import ByteStream, SeededDealing, derive
from engine.stand_in import greedy
from engine.views import SeatView, seat_view

FOLDER = Path(__file__).parent
PLAYED = {"greedy": 2, "random": 1}
"""Rounds of a match, by how its seats play."""


def transcript(preset: str, player: str) -> Iterator[str]:
    """Yield the lines of a match of *preset* in which every seat plays like *player*."""
    low, _ = presets()[preset][1].seats
    rules = rule_set(preset, {"players": low, "rounds": PLAYED[player], "show_hands": True})
    key = derive(bytes(32), "playthrough", *preset.encode())
    dice = ByteStream(derive(key, "choices"))
    match, events = start(rules, SeededDealing(key))
    yield f"{preset}, {low} seats, rounds: {PLAYED[player]}, every seat plays {player}"
    yield from told(events)
    yield from views(match)
    while match.turn is not None:
        position = match.round.position(match.turn)
        if player == "greedy":
            play = greedy(position)
        else:
            offers = offered(position)
            play = offers[dice.below(len(offers))]
        yield ""
        yield f"seat {match.turn}: {show_play(play)}"
        match, events = apply(match, match.turn, play)
        yield from told(events)
        yield from views(match)


def told(events: list[Event]) -> Iterator[str]:
    """Yield each event as a line: public ones as the record has them, private ones in words."""
    for event in events:
        match event:
            case YouWereDealt(seat, hand, twin):
                yield f"  seat {seat} is dealt {show_cards(listed(hand))}{' with the twin' if twin else ''}"
            case YouDrew(seat, card):
                yield f"  seat {seat} draws {card.text}"
            case _:
                yield f"  {canonical(public_json(event)).decode('utf-8')}"


def views(match: Match) -> Iterator[str]:
    """Yield what each seat knows."""
    for seat in range(match.rules.players):
        yield from view_lines(seat_view(match, seat))


def view_lines(view: SeatView) -> Iterator[str]:
    """Yield a view in full: nothing that the seat knows is left out."""
    state = view.round
    yield f"  [{view.seat}] {state.phase.name} of {state.turn}, hand {show_cards(listed(view.hand)) or '-'}" + (
        ", twin" if view.twin else ""
    )
    piles = " / ".join(show_cards(list(pile)) or "-" for pile in state.piles)
    melds = " / ".join(f"{laid.owner}: {show_cards(laid.meld.cards)}" for laid in state.melds) or "-"
    known = " / ".join(show_cards(listed(held)) or "-" for held in state.known)
    yield f"      piles {piles}; melds {melds}; known {known}; stock {state.stock_size}; sizes {state.hand_sizes}"
    yield (
        f"      turn-up {state.turn_up}; opened {state.opened}; drew {state.drew}; dry {state.dry_turns}; "
        f"reshuffles {state.reshuffles}/{state.idle_reshuffles}; totals {view.public.totals}"
    )


def path_of(preset: str, player: str) -> Path:
    """Return where a transcript is kept."""
    return FOLDER / f"{preset}-{player}.txt"


def main() -> None:
    """Write every transcript."""
    for preset in presets():
        for player in PLAYED:
            path_of(preset, player).write_text("\n".join(transcript(preset, player)) + "\n", "utf-8")
            sys.stdout.write(f"{path_of(preset, player).name}\n")


if __name__ == "__main__":
    main()
