"""Checking the signatures of referees."""

from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from clients.cli.exits import stop
from engine.record.signature import Signature

_KEY_DIGITS: Final = 64


def is_signed(message: bytes, signature: Signature) -> bool:
    """Return whether *signature* is one of *message*."""
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(signature.signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_public_key(text: str) -> str:
    """Return a public key in hex, given as that or as a file that holds it; ends the command if it is neither."""
    path = Path(text)
    try:
        found = path.read_text("ascii").strip() if path.is_file() else text
        bytes.fromhex(found)
    except (OSError, ValueError):
        found = ""
    if len(found) != _KEY_DIGITS:
        stop(f"{text} is no key: give the 64 hex digits that rummyref keys show prints, or a file with them")
    return found.lower()
