"""A player who tries and checks every play it can think of learns nothing, whatever lies in the stock.

The last cards of a stock and one of another hand are put into every order; in each
the same player asks the same things, before its draw and after it, across broken
streams and a killed referee. Until it draws it hears the same bytes in every
order, afterwards in every order with the same next card.
"""

import json
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations, islice, permutations
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from google.protobuf.message import Message

from engine.cards import CARDS, Card, listed
from engine.events import Event
from engine.match import Match, start
from engine.moves import DRAW, Discard, Draw, End, Lay, LayOff, Move, Play, Swap, Take, TakeTurnUp
from engine.record.canonical import PUBLIC_START, RECORD_START, Json, canonical, linked
from engine.record.entries import Dealt, Header, Played
from engine.record.entry_json import from_json
from engine.record.fold import TableState, begin, fold
from engine.record.public import public_json
from engine.rules.registry import rule_set
from engine.shuffle import SeededDealing
from engine.stand_in import minimal
from engine.views import SeatView, seat_view
from rummyref.v1 import play_service_pb2 as pb
from tests.engine.worlds import FixedDealing, trace
from tests.referee.in_process import House
from wire.moves import play_to_message

STOCK: Final = 3
"""Cards left in the stock when the probing begins."""

PRESETS: Final = ("closed-rummy-duel", "remi-jokers", "remik")
"""One of each family."""

OPTIONS: Final[dict[str, Any]] = {"players": 2, "rounds": 1}
SEEDED: Final = SeededDealing(sha256(b"probing").digest())


class Endgame(NamedTuple):
    """A match with few hidden cards left, in a database.

    Attributes:
        database: Its file.
        tokens: Of the players by seat, and of an outsider.
        table_id: The table.
        prober: Seat that is about to draw.
        view: What that seat knows.
        deck: The deck that was dealt.
        hidden: Places of the deck that are put into every order: the stock, and a card of the other hand.
    """

    database: Path
    tokens: list[str]
    table_id: str
    prober: int
    view: SeatView
    deck: tuple[Card, ...]
    hidden: tuple[int, ...]


def hellos(table_id: str) -> list[pb.Hello]:
    """Return what both players say: views, offers and every event from the beginning."""
    return [
        pb.Hello(
            protocol=1,
            capacity=1,
            delivery=pb.DELIVERY_IMMEDIATE,
            want_views=True,
            want_offers=True,
            resume=[pb.Resume(table_id=table_id, seat=seat)] if table_id else [],
        )
        for seat in range(2)
    ]


async def endgame(preset: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Endgame:
    """Play a match until few cards are left in the stock and somebody is to draw."""
    rules = rule_set(preset, OPTIONS)
    first, _ = start(rules, SEEDED)
    plays: list[tuple[int, Play]] = []
    with monkeypatch.context() as patch:
        house = House(folder / "endgame.db", patch, SEEDED)
        await house.begin(preset, OPTIONS, hellos(""))
        while not is_near_the_end(match := house.state.match):
            seat = match.public.turn
            play = minimal(match.round.position(seat))
            plays.append((seat, play))
            await house.submit(seat, decision_id=house.state.decision, attempt=1, play=play_to_message(play))
        await house.close()
    prober = match.public.turn
    deck = SEEDED.deck(rules.deck, 0)
    other = trace(first, deck, plays).held[1 - prober]
    hidden = (*range(len(deck) - STOCK, len(deck)), other[0])
    return Endgame(house.database, house.tokens, house.table_id, prober, seat_view(match, prober), deck, hidden)


def is_near_the_end(match: Match) -> bool:
    """Return whether a draw is due from a small stock."""
    assert match.over is None
    return match.public.stock_size == STOCK and match.public.phase.value == "draw"


def every_play(view: SeatView) -> Iterator[Play]:
    """Yield every play of one move, and many of two and three, sensible or not."""
    held = listed(view.hand)
    singles: list[Move] = [Draw(), TakeTurnUp(), *map(Take, range(1, 5)), *map(Discard, CARDS[:53])]
    singles += [LayOff(meld, end, (card,)) for meld in (1, 2) for end in (End.LOW, End.HIGH, None) for card in held[:3]]
    singles += [Swap(1, card) for card in held[:3]]
    singles += [Lay(cards) for cards in list(combinations(held, 3))[:20]]
    for move in singles:
        yield Play((move,))
    for move in singles[:6]:
        for card in held[:3]:
            yield Play((move, Discard(card)))
        yield Play((move, Lay(held[:3]), Discard(held[-1])))
    yield from (Play((Draw(), Discard(card))) for card in CARDS[:53])


async def probe(house: House, seat: int, view: SeatView, every: int = 1) -> None:
    """Check every play, or one in *every*, and submit some that are refused, for this decision and for another."""
    decision = house.state.decision
    for play in islice(every_play(view), None, None, every):
        message = play_to_message(play)
        await house.submit(seat, decision_id=decision, attempt=1, play=message, validate_only=True)
    for attempt, card in enumerate(CARDS[:6], start=decision * 100):
        message = play_to_message(Play((Draw(), Discard(card))))
        await house.submit(seat, decision_id=decision, attempt=attempt, play=message)
        await house.submit(seat, decision_id=decision + 1, attempt=attempt, play=message)


class Told(NamedTuple):
    """What the prober heard: bytes until its draw, bytes after it, and all messages until it.

    Attributes:
        before: Until the draw.
        after: From the draw on.
        messages: Those before.
        drawn: The card.
    """

    before: list[bytes]
    after: list[bytes]
    messages: list[Any]
    drawn: Card


async def probed(game: Endgame, deck: Sequence[Card], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Let the prober loose on the endgame in the world of *deck*."""
    database = folder / "world.db"
    shutil.copy(game.database, database)
    seat = game.prober
    with monkeypatch.context() as patch:
        house = House(database, patch, FixedDealing(tuple(deck), SEEDED))
        house.tokens, house.table_id = game.tokens, game.table_id
        await house.come_back(hellos(game.table_id))
        await probe(house, seat, game.view)
        await house.connect(seat, hellos(game.table_id)[seat])
        await house.restart(hellos(game.table_id))
        await probe(house, seat, game.view, 5)
        before, messages = house.heard(seat), [message for call in house.streams[seat] for message in call.messages]
        decision, held = house.state.decision, house.state.match.round.hands[seat]
        await house.submit(seat, decision_id=decision, attempt=1 << 20, play=play_to_message(DRAW))
        await house.restart(hellos(game.table_id))
        await house.submit(seat, decision_id=decision, attempt=1 << 20, play=play_to_message(DRAW))
        await probe(house, seat, game.view, 3)
        hand = house.state.match.round.hands[seat]
        after = house.heard(seat)[len(before) :]
        await house.close()
    (drawn,) = listed(type(hand)(hand - held))
    return Told(before, after, messages, drawn)


def orders(game: Endgame) -> Iterator[tuple[tuple[Card, ...], list[Card]]]:
    """Yield the hidden cards in every order, and the deck that has them so."""
    for order in sorted(set(permutations(game.deck[place] for place in game.hidden))):
        deck = list(game.deck)
        for place, card in zip(game.hidden, order, strict=True):
            deck[place] = card
        yield order, deck


@pytest.mark.parametrize("preset", PRESETS)
async def test_nothing_is_learnt_by_trying(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every order of the hidden cards the prober hears the same until it draws, and then by the card drawn alone."""
    game = await endgame(preset, tmp_path, monkeypatch)
    cards = [game.deck[place] for place in game.hidden]
    before: set[tuple[bytes, ...]] = set()
    after: dict[Card, set[tuple[bytes, ...]]] = defaultdict(set)
    for order, deck in orders(game):
        told = await probed(game, deck, tmp_path, monkeypatch)
        assert told.drawn is order[0]
        before.add(tuple(told.before))
        after[told.drawn].add(tuple(told.after))
    assert len(before) == 1
    assert len(after) == len(set(cards)) > 1
    assert all(len(heard) == 1 for heard in after.values())
    assert len({heard for each in after.values() for heard in each}) == len(after)


@pytest.mark.parametrize("preset", PRESETS)
async def test_no_hash_that_travels_can_be_inverted_by_guessing_cards(
    preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that looks like a hash is the commitment or over public events; no hash of a guessed world is among it."""
    game = await endgame(preset, tmp_path, monkeypatch)
    told = await probed(game, game.deck, tmp_path, monkeypatch)
    entries = recorded(game)
    state, events = begun(entries, game)
    public_heads, record_heads = heads_of(entries, state, events)
    travelled = {value for message in told.messages for value in hashes(message)}
    assert len(travelled) > 10
    assert travelled <= public_heads | {bytes.fromhex(state.header.commitment)}
    said = b"".join(told.before + told.after)
    assert not any(head in said or head.hex().encode() in said for head in record_heads)
    for order, deck in orders(game):
        stock, hand = deck[-STOCK:], [*listed(game.view.hand), order[-1]]
        for cards in (order, stock, order[:1], hand, deck, sorted(stock), sorted(order)):
            assert not travelled & set(guesses([card.text for card in cards], game.table_id))


def recorded(game: Endgame) -> list[bytes]:
    """Return the record of an endgame."""
    with sqlite3.connect(game.database) as connection:
        return [body for (body,) in connection.execute("select body from entry order by number")]


def begun(entries: Sequence[bytes], game: Endgame) -> tuple[TableState, list[Event]]:
    """Return the table as it was dealt."""
    header = from_json(json.loads(entries[0]))
    assert isinstance(header, Header)
    state, events = begin(header, FixedDealing(game.deck, SEEDED))  # type: ignore[arg-type]
    return state, events


def heads_of(entries: Sequence[bytes], state: TableState, events: list[Event]) -> tuple[set[bytes], set[bytes]]:
    """Return every head of the public chain, and of the record's own."""
    public, own, public_heads, record_heads = PUBLIC_START, RECORD_START, {PUBLIC_START}, {RECORD_START}
    for body in entries:
        own = linked(own, body)
        record_heads.add(own)
        entry = from_json(json.loads(body))
        if isinstance(entry, Played):
            state, events = fold(state, entry)
        elif not isinstance(entry, Dealt):
            continue
        for event in events:
            if (told := public_json(event)) is not None:
                public = linked(public, canonical(told))
                public_heads.add(public)
    return public_heads, record_heads


def hashes(message: Message) -> Iterator[bytes]:
    """Yield every value in *message* that is long enough for a hash, written as bytes or as hex."""
    for _, value in message.ListFields():
        for each in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else (value,):
            if isinstance(each, Message):
                yield from hashes(each)
            elif isinstance(each, bytes) and len(each) >= 16:
                yield each
            elif isinstance(each, str) and re.fullmatch("(?:[0-9a-f]{2}){16,}", each):
                yield bytes.fromhex(each)


def guesses(cards: list[str], table_id: str) -> Iterator[bytes]:
    """Yield the hashes that somebody who guesses *cards* would try."""
    texts: list[Json] = list(cards)
    for text in (" ".join(cards).encode(), "".join(cards).encode(), canonical(texts)):
        for before in (b"", PUBLIC_START, RECORD_START, table_id.encode() + b"\0"):
            yield sha256(before + text).digest()
