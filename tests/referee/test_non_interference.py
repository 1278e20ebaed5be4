"""Two worlds that differ only in what a viewer may not know are one to it on the wire as well, byte for byte.

A match is played once at random, every seat trying, checking and asking all sorts
of things and the process being lost on the way. Then it is played again from
another deck, in which the hands of others, the stock and the twin differ, with the
viewer's requests alone beside the plays. `RUMMYREF_PLIES` sets the number of plies
a preset; 500 is what every run looks at.
"""

import os
import random
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from engine.cards import Card
from engine.match import Match, start
from engine.moves import Play
from engine.offers import offered
from engine.record.fold import TableState
from engine.rules.registry import presets, rule_set
from engine.shuffle import SeededDealing, derive
from referee.tables.asking import decision_message
from referee.tables.desk import Desk
from referee.tables.messages import SendDecision
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import replay_service_pb2, table_service_pb2
from tests.engine.test_non_interference import answer, player_counts, random_move
from tests.engine.worlds import FixedDealing, another_deck
from tests.referee.in_process import NS, House
from wire.moves import play_to_message

PLIES: Final = int(os.environ.get("RUMMYREF_PLIES", "500"))


SHORT: Final = 40
"""Plies of a match for a number of players that the matches played so far have not had."""


class Action(NamedTuple):
    """Something that somebody does.

    Attributes:
        kind: `play`, `try`, `ask`, `come_back` or `restart`.
        who: Seat, or the outsider's number; -1 for the referee itself.
        values: Arguments of what is done.
    """

    kind: str
    who: int
    values: dict[str, Any]


class Heard(NamedTuple):
    """What a viewer had got, and the log had said, before the last play.

    Attributes:
        viewer: Bytes of every message, in order.
        log: Lines at level info and above.
    """

    viewer: list[bytes]
    log: list[str]


def hello(seat: int, last_sequence: int, table_id: str, *, all_of_it: bool = True) -> pb.Hello:
    """Return the hello of a seat: odd ones want gathered events; all of it is views and offers too."""
    resume = [pb.Resume(table_id=table_id, seat=seat, last_sequence=last_sequence)] if table_id else []
    delivery = pb.DELIVERY_GATHERED if seat % 2 else pb.DELIVERY_IMMEDIATE
    return pb.Hello(
        protocol=1, capacity=1, delivery=delivery, want_views=all_of_it, want_offers=all_of_it, resume=resume
    )  # fmt: skip


async def act(house: House, action: Action, viewer: int | None = None) -> None:
    """Do *action*; only the *viewer*, where there is one, wants views and offers."""
    seats = len(house.tokens) - 1
    match action.kind:
        case "play" | "try":
            await house.submit(action.who, **action.values)
        case "ask":
            await house.ask(action.who, **action.values)
        case "come_back":
            await house.connect(action.who, hello(action.who, 0, house.table_id))
        case "restart":
            seen = (viewer in (None, seat) for seat in range(seats))
            await house.restart(
                [hello(seat, 3, house.table_id, all_of_it=all_of_it) for seat, all_of_it in enumerate(seen)]
            )


class WildMatch:
    """A match played at random in one house, and what was done in it.

    Attributes:
        actions: In order, the last one a play: the one that ends the round, where it is played to its end.
        plays: Seat and play, in order.
    """

    def __init__(self, house: House, chance: random.Random) -> None:
        """Play in *house*."""
        self.house = house
        self.chance = chance
        self.actions: list[Action] = []
        self.plays: list[tuple[int, Play]] = []
        self.before_last: list[Heard] = []

    async def run(self, most: int) -> None:
        """Play until the match is over, or has had so many plies at *most*."""
        house, chance, seats = self.house, self.chance, len(self.house.tokens) - 1
        restart_at = chance.randrange(3, 40)
        while house.table_id in house.hall.tables and len(self.plays) < most:
            if len(self.plays) == restart_at:
                restart_at = -1
                await self._do(Action("restart", -1, {}))
            for viewer in range(seats + 1):
                if chance.randrange(3) == 0:
                    await self._do(self._something(viewer))
            await self._play()

    async def _do(self, action: Action) -> None:
        self.actions.append(action)
        await act(self.house, action)

    def _something(self, viewer: int) -> Action:
        match, seats = self.house.state.match, len(self.house.tokens) - 1
        kind = self.chance.randrange(12)
        if viewer == seats or kind == 0:
            return Action("ask", viewer, self._question())
        if kind == 1:
            return Action("come_back", viewer, {})
        play = Play(tuple(random_move(match, self.chance) for _ in range(self.chance.randint(1, 3))))
        if kind < 4:
            play = self.chance.choice(offered(match.round.position(viewer)) or (play,))
        legal = viewer == match.turn and answer(match, viewer, play) is None
        values = {
            "decision_id": self.house.state.decision,
            "attempt": len(self.actions) + 1,
            "play": play_to_message(play),
            "validate_only": legal or kind < 7,
        }
        return Action("try", viewer, values)

    def _question(self) -> dict[str, Any]:
        table_id = self.chance.choice((self.house.table_id, self.house.table_id, "t-none"))
        return self.chance.choice(
            (
                {"method": "GetTable", "request": table_service_pb2.GetTableRequest(table_id=table_id)},
                {"method": "ListTables", "request": table_service_pb2.ListTablesRequest()},
                {"method": "TakeSeat", "request": table_service_pb2.TakeSeatRequest(table_id=table_id, seat=9)},
                {"method": "ListReplays", "request": replay_service_pb2.ListReplaysRequest()},
                {"method": "GetReplay", "request": replay_service_pb2.GetReplayRequest(match_id=table_id)},
                {"method": "LeaveSeat", "request": table_service_pb2.LeaveSeatRequest(table_id=table_id, seat=9)},
            )
        )

    async def _play(self) -> None:
        state, house = self.house.state, self.house
        seat = state.match.public.turn
        offers = offered(state.match.round.position(seat))
        longer = [play for play in offers if len(play.moves) > 1]
        play = self.chance.choice(longer if longer and self.chance.random() < 0.5 else offers)
        self.before_last = [Heard(house.heard(viewer), list(house.log.lines)) for viewer in range(len(house.tokens))]
        self.plays.append((seat, play))
        values = {"decision_id": state.decision, "attempt": len(self.actions) + 1, "play": play_to_message(play)}
        await self._do(Action("play", seat, values))


async def replayed(house: House, actions: list[Action], viewer: int) -> Heard:
    """Do what *actions* tell, of what is no play the viewer's part alone, and return what it heard."""
    for action in actions[:-1]:
        if action.kind in ("play", "restart") or action.who == viewer:
            await act(house, action, viewer)
        elif action.kind == "try":
            house.clock.now_ns += NS  # the time that it took
    return Heard(house.heard(viewer), house.log.lines)


async def two_worlds(
    preset: str, players: int, number: int, folder: Path, monkeypatch: pytest.MonkeyPatch, most: int = 1 << 30
) -> list[tuple[int, Heard, Heard]]:
    """Return for two viewers of one wild match the plies, and what they heard in each of two worlds."""
    chance = random.Random(f"{preset} {number}")
    options: dict[str, Any] = {"players": players, "rounds": 1, "draw_streams": number % 2 == 0}
    rules = rule_set(preset, options)
    seeded = SeededDealing(derive(bytes(32), "wire", number))
    match, _ = start(rules, seeded)
    with monkeypatch.context() as patch:
        house = House(folder / f"{number}.db", patch, seeded)
        await house.begin(preset, options, [hello(seat, 0, "") for seat in range(players)])
        played = WildMatch(house, chance)
        await played.run(most)
        await house.close()
    found = []
    for viewer in chance.sample(range(players + 1), 2):
        deck = other_deck(match, seeded, played.plays, viewer, chance)
        with monkeypatch.context() as patch:
            house = House(folder / f"{number}-{viewer}.db", patch, FixedDealing(deck, seeded))
            hellos = [hello(seat, 0, "", all_of_it=seat == viewer) for seat in range(players)]
            await house.begin(preset, options, hellos)
            heard = await replayed(house, played.actions, viewer)
            await house.close()
        found.append((len(played.plays) - 1, played.before_last[viewer], heard))
    return found


def other_deck(
    match: Match, dealing: SeededDealing, plays: list[tuple[int, Play]], viewer: int, chance: random.Random
) -> tuple[Card, ...]:
    """Return another deck for *viewer*, which differs in most of what it may not know."""
    deck = dealing.deck(match.rules.deck, 0)
    changed = another_deck(match, deck, plays[:-1], viewer, chance)
    assert sorted(changed) == sorted(deck)
    assert sum(one is not two for one, two in zip(deck, changed, strict=True)) > 8
    return changed


@pytest.mark.parametrize("preset", presets())
async def test_a_viewer_hears_the_same_in_two_worlds(
    preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams, watching, answers, refusals, checks, offers, calls, errors, log: equal bytes, at every size of table."""
    looked_at, counts = 0, player_counts(preset)
    for number in count():
        if looked_at >= PLIES and number >= len(counts):
            break
        most = SHORT if looked_at >= PLIES else 1 << 30
        players = counts[number % len(counts)]
        for plies, one, other in await two_worlds(preset, players, number, tmp_path, monkeypatch, most):
            assert other.viewer == one.viewer
            assert other.log == one.log
            looked_at += plies


async def test_a_table_that_told_the_top_of_the_stock_would_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a decision's clock depends on one hidden card, the worlds are told apart: the comparison can fail."""

    def leaking(state: TableState, desk: Desk, public_head: bytes) -> SendDecision:
        top = state.match.round.stock.left()[:1]
        return replace(decision_message(state, desk, public_head), bank_us=sum(card.index for card in top))

    monkeypatch.setattr("referee.tables.table.decision_message", leaking)
    found = await two_worlds("remi", 3, 1, tmp_path, monkeypatch)
    assert any(one.viewer != other.viewer for _, one, other in found)
