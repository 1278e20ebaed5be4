"""The exchange of nonces before a deal: first every hash, then what each is of.

Pure: who takes part is known before, time is the caller's. Used by a table for
its seats and by a ladder for the entrants of a batch of sets.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Final, Generic, TypeVar

from engine.record.deal import nonce_hash
from engine.shuffle import SEED_BYTES

EXCHANGE_S: Final = 5.0
"""How long each of the two halves of an exchange is waited for."""


class ExchangeError(Exception):
    """A part that is not what is due now; the message says what is."""


Party = TypeVar("Party", bound=Hashable)


class Exchange(Generic[Party]):
    """An exchange among parties that have said that they will take part.

    Attributes:
        parties: Who takes part.
        hashes: Hash by party, of those that have sent one.
        nonces: Nonce by party, of those that have opened their hash.
        bound: Whether the hashes are complete: no party can join or change its own any more.
        broken: First party whose nonce is not what its hash is of.
    """

    def __init__(self, parties: Iterable[Party], hashes: Mapping[Party, bytes] | None = None) -> None:
        """Begin with *parties*; with the *hashes* of an exchange that was bound before a restart, go on with that."""
        self.parties: Final = frozenset(parties)
        self.hashes: Final[dict[Party, bytes]] = dict(hashes or {})
        self.nonces: Final[dict[Party, bytes]] = {}
        self.bound: bool = hashes is not None
        self.broken: Party | None = None

    def send_hash(self, party: Party, part: bytes) -> None:
        """Take the hash of *party*.

        Raises:
            ExchangeError: None is due from it.
        """
        if self.bound:
            raise ExchangeError("the hashes are complete; send the nonce that yours is of")
        if party not in self.parties:
            raise ExchangeError("this deal waits for no nonce of yours")
        if len(part) != SEED_BYTES:
            raise ExchangeError("a nonce hash has 32 bytes")
        if self.hashes.setdefault(party, part) != part:
            raise ExchangeError("a nonce hash cannot be changed")

    def open(self, party: Party, part: bytes) -> None:
        """Take the nonce of *party*; one that is not what its hash is of breaks the exchange.

        Raises:
            ExchangeError: None is due from it.
        """
        if not self.bound:
            raise ExchangeError("the hashes are not complete; send the hash of your nonce first")
        if party not in self.hashes:
            raise ExchangeError("this deal waits for no nonce of yours")
        if nonce_hash(part) == self.hashes[party] and len(part) == SEED_BYTES:
            self.nonces[party] = part
        elif party not in self.nonces and self.broken is None:
            self.broken = party

    @property
    def all_bound(self) -> bool:
        """Whether every party has sent its hash."""
        return all(party in self.hashes for party in self.parties)

    @property
    def all_opened(self) -> bool:
        """Whether every hash is opened."""
        return self.nonces.keys() == self.hashes.keys()

    @property
    def culprit(self) -> Party | None:
        """Whoever has broken the exchange: with a false nonce, or the first that has sent none."""
        if self.broken is not None:
            return self.broken
        return next((party for party in self.hashes if party not in self.nonces), None)
