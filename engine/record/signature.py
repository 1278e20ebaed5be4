"""What a referee signs at the end of a match or of a ladder, and how that is written down.

The engine neither makes nor checks signatures: whoever can is handed in.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Final, NamedTuple

from engine.record.canonical import Json
from engine.record.fields import EntryError, Fields

_DOMAIN: Final = b"rummyref signature 1\0"
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64


class Signature(NamedTuple):
    """An Ed25519 signature.

    Attributes:
        key: Public key of the referee, 32 bytes.
        signature: 64 bytes.
    """

    key: bytes
    signature: bytes


Sign = Callable[[bytes], Signature]
"""Signs a message."""

Check = Callable[[bytes, Signature], bool]
"""Whether a signature is one of a message."""


def signed_message(first: bytes, head: bytes) -> bytes:
    """Return what is signed of a chain: its *first* entry in canonical bytes, and its last *head*."""
    return _DOMAIN + sha256(first).digest() + head


def signature_to_json(signature: Signature) -> dict[str, Json]:
    """Return the JSON form of *signature*."""
    return {"key": signature.key.hex(), "signature": signature.signature.hex()}


def signature_from_json(value: dict[str, Json]) -> Signature:
    """Return the signature that *value* is the JSON form of.

    Raises:
        EntryError: It is none.
    """
    fields = Fields(value, set())
    try:
        key, signature = bytes.fromhex(fields.text("key")), bytes.fromhex(fields.text("signature"))
    except ValueError as wrong:
        raise EntryError(f"a signature is written in hex: {wrong}") from wrong
    fields.need_no_more()
    if len(key) != _KEY_BYTES or len(signature) != _SIGNATURE_BYTES:
        raise EntryError("a key has 32 bytes and a signature 64")
    return Signature(key, signature)
