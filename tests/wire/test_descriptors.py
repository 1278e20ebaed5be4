"""No message that travels to a seat or a watcher can hold what they may not know.

The descriptors are walked from everything the services send. Cards, bytes and
messages of hidden things are allowed field by field: a new field that could
hold a hand, the stock or a seed fails here until somebody has thought about it.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from typing import Final

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor

import rummyref.v1

CARDS_EVERYBODY_SEES: Final = frozenset({
    "DealerDraw.card", "RoundDealt.turn_up", "Pile.cards", "Hand.cards", "Meld.cards", "Meld.joker_roles",
    "PublicView.turn_up", "PublicView.dealt_turn_up", "PublicView.closing_card",
    "Lay.cards", "Lay.joker_roles", "LayOff.cards", "LayOff.joker_roles", "Swap.card", "Discard.card",
})  # fmt: skip
"""Cards on the table, in piles, or named by a move that was made."""

CARDS_OF_ONES_OWN: Final = frozenset({"PrivateView.hand", "YouWereDealt.hand", "YouDrew.card"})
"""Cards of the seat that is told."""

CARDS_SHOWN_AFTER_THE_ROUND: Final = frozenset({"HandShown.hand"})

CARDS_THAT_WERE_ASKED_ABOUT: Final = frozenset({
    "MeldCards.cards", "MeldCards.joker_roles", "ArrangeResponse.left", "WayOut.discard",
})  # fmt: skip
"""Cards that the caller sent itself."""

ALLOWED_CARDS: Final = (
    CARDS_EVERYBODY_SEES | CARDS_OF_ONES_OWN | CARDS_SHOWN_AFTER_THE_ROUND | CARDS_THAT_WERE_ASKED_ABOUT
)
ALLOWED_BYTES: Final = frozenset({
    "Event.public_head", "PublicEvent.public_head", "Decision.public_head",
    "Seated.commitment", "Table.commitment", "HashCall.commitment", "NonceCall.nonce_hashes",
})  # fmt: skip
ALLOWED_USES: Final = {
    "Hand": {"PublicView.known"},
    "PrivateView": {"SeatView.own"},
    "SeatView": {"Seated.view", "Decision.view"},
    "YouWereDealt": {"Event.you_were_dealt"},
    "YouDrew": {"Event.you_drew"},
    "HandShown": {"Event.hand_shown", "PublicEvent.hand_shown"},
}
"""Where a message with cards that not everybody sees may stand, and nowhere else."""

TELLING_NAME: Final = re.compile(r"(^|_)(hand|hands|stock|deck|seed|secret|nonce|salt|key)(_|$)")
ALLOWED_NAMES: Final = frozenset({
    "PrivateView.hand", "YouWereDealt.hand", "HandShown.hand", "Event.hand_shown", "PublicEvent.hand_shown",
    "Seated.bot_seed", "PlayResponse.nonce_call", "NonceCall.nonce_hashes",
    "PublicView.hand_sizes", "RoundDealt.hand_sizes", "PublicView.stock_size", "RoundDealt.stock_size",
    "CardDrawn.stock_size", "StockReshuffled.stock_size", "Event.stock_reshuffled", "PublicEvent.stock_reshuffled",
})  # fmt: skip
"""Sizes, one's own hand, a shown hand, the number that a bot may be random with, and hashes of players' nonces."""

KNOWN_OUTSIDE: Final = frozenset({"google.protobuf.Duration", "google.protobuf.Timestamp"})


def sent() -> list[Descriptor]:
    """Return the message type of everything that a service sends."""
    outputs = []
    for found in pkgutil.iter_modules(rummyref.v1.__path__):
        if found.name.endswith("_service_pb2"):
            module = importlib.import_module(f"rummyref.v1.{found.name}")
            for service in module.DESCRIPTOR.services_by_name.values():
                outputs += [method.output_type for method in service.methods]
    return outputs


def reachable(roots: Iterable[Descriptor]) -> dict[str, Descriptor]:
    """Return every message type that a message of *roots* can hold, by full name."""
    found: dict[str, Descriptor] = {}
    waiting = list(roots)
    while waiting:
        message = waiting.pop()
        if message.full_name not in found:
            found[message.full_name] = message
            waiting += [field.message_type for field in message.fields if field.message_type is not None]
    return found


def place(field: FieldDescriptor) -> str:
    """Return *field* as `Message.field`."""
    holder = field.containing_type
    return f"{holder.name if holder else ''}.{field.name}"


def leaks(roots: Iterable[Descriptor]) -> Iterator[str]:
    """Yield what is wrong with what *roots* can hold."""
    for name, message in reachable(roots).items():
        if not name.startswith("rummyref.v1.") and name not in KNOWN_OUTSIDE:
            yield f"{name} can hold anything"
        for field in message.fields:
            yield from _field_leaks(field)


def _field_leaks(field: FieldDescriptor) -> Iterator[str]:
    where = place(field)
    if field.enum_type is not None and field.enum_type.name == "Card" and where not in ALLOWED_CARDS:
        yield f"{where} can hold a hidden card"
    if field.type == FieldDescriptor.TYPE_BYTES and where not in ALLOWED_BYTES:
        yield f"{where} can hold a seed"
    if field.message_type is not None and where not in ALLOWED_USES.get(field.message_type.name, {where}):
        yield f"{where} can hold a {field.message_type.name}"
    in_map = field.containing_type is not None and field.containing_type.GetOptions().map_entry
    if TELLING_NAME.search(field.name) and where not in ALLOWED_NAMES and not in_map:
        yield f"{where} is named after something hidden"


def test_nothing_hidden_can_travel() -> None:
    """No field of anything sent can hold another hand, the stock or a seed."""
    assert list(leaks(sent())) == []


def test_all_that_is_sent_is_walked() -> None:
    """The walk begins at the streams and at every unary answer, and reaches the events and views."""
    assert {"PlayResponse", "WatchResponse", "CreateTableResponse", "ArrangeResponse"} <= {
        message.name for message in sent()
    }
    assert {"rummyref.v1." + name for name in ("Table", "SeatView", "PrivateView", "Event", "YouDrew")} <= set(
        reachable(sent())
    )


def test_the_allowed_fields_exist() -> None:
    """The lists of allowed fields name no field that is gone."""
    fields = {place(field) for message in reachable(sent()).values() for field in message.fields}
    allowed = ALLOWED_CARDS | ALLOWED_BYTES | ALLOWED_NAMES | {use for uses in ALLOWED_USES.values() for use in uses}
    assert sorted(allowed - fields) == []


def test_the_public_view_knows_no_seat() -> None:
    """What anybody may know cannot hold a private view or an event of one seat."""
    views = [message for message in reachable(sent()).values() if message.name in {"PublicView", "Table"}]
    names = {message.name for message in reachable(views).values()}
    assert len(views) == 2
    assert names.isdisjoint({"PrivateView", "SeatView", "Event", "YouDrew", "YouWereDealt", "HandShown"})


def test_nonces_only_travel_to_the_referee() -> None:
    """Parts of a deal's randomness are in what clients send and in nothing that is sent to them."""
    assert "rummyref.v1.Contribute" not in reachable(sent())


BYTES = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
ENUM = descriptor_pb2.FieldDescriptorProto.TYPE_ENUM
MESSAGE = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE
UINT64 = descriptor_pb2.FieldDescriptorProto.TYPE_UINT64


@pytest.mark.parametrize(
    ("name", "kind", "type_name", "problem"),
    [
        ("next", ENUM, "Card", "Leak.next can hold a hidden card"),
        ("blob", BYTES, "", "Leak.blob can hold a seed"),
        ("match_seed", UINT64, "", "Leak.match_seed is named after something hidden"),
        ("others", MESSAGE, "Hand", "Leak.others can hold a Hand"),
    ],
)
def test_a_leak_is_found(name: str, kind: int, type_name: str, problem: str) -> None:
    """A message that could hold something hidden is reported, however it would."""
    file = descriptor_pb2.FileDescriptorProto(name="leak.proto", package="rummyref.v1", syntax="proto3")
    file.enum_type.add(name="Card").value.add(name="CARD_UNSPECIFIED", number=0)
    file.message_type.add(name="Hand")
    field = file.message_type.add(name="Leak").field.add(name=name, number=1, label=1)
    field.type = kind  # type: ignore[assignment]  # enum values are integers
    if type_name:
        field.type_name = f".rummyref.v1.{type_name}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    leak = pool.FindMessageTypeByName("rummyref.v1.Leak")
    assert list(leaks([leak])) == [problem]
