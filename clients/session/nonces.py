"""A client's part in the randomness of deals: a fresh nonce for each, shown only after all hashes are there."""

import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

NONCE_BYTES: Final = 32


class Nonces:
    """The nonces of one session, by the id of the table or batch."""

    __slots__ = ("_nonces",)

    def __init__(self) -> None:
        """Begin without any."""
        self._nonces: dict[str, bytes] = {}

    def hash_for(self, deal_id: str) -> bytes:
        """Return the hash of the nonce for a deal; asked again, the same."""
        nonce = self._nonces.setdefault(deal_id, secrets.token_bytes(NONCE_BYTES))
        return sha256(nonce).digest()

    def nonce_for(self, deal_id: str, hashes: Sequence[bytes]) -> bytes | None:
        """Return the nonce, None if its hash is not among *hashes*: then the deal would not depend on it."""
        nonce = self._nonces.get(deal_id)
        return nonce if nonce is not None and sha256(nonce).digest() in hashes else None
