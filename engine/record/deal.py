"""From a secret to the cards of a match: what the referee does, and an audit again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from engine.record.entries import Reveal, SetProof
from engine.record.merkle import leaf_hash, path_to, published_root, root_along, root_of
from engine.shuffle import (
    SEED_BYTES,
    SeededDealing,
    bot_seed,
    commitment,
    derive,
    match_seed,
    relabelling,
    set_seed,
)  # fmt: skip

NO_SET: Final = -1
NO_NONCE: Final = bytes(SEED_BYTES)
"""What counts for a seat that sent no nonce."""


def nonce_hash(nonce: bytes) -> bytes:
    """Return what a player sends before its *nonce*."""
    return sha256(nonce).digest()


def nonces_of(texts: Sequence[str]) -> tuple[bytes, ...]:
    """Return nonces from their hex, that of a seat without one included.

    Raises:
        ValueError: One has not 32 bytes.
    """
    return tuple(_bytes32("a nonce", text) if text else NO_NONCE for text in texts)


@dataclass(frozen=True, slots=True)
class Secret:
    """Where the cards of a table come from. Audience: the referee until the reveal.

    Attributes:
        secret: 32 bytes: this table's own secret, or the seed of its set.
        table: Number of the table in its set, from 0; -1 without a set.
        relabelled: Whether suits are relabelled for this table.
    """

    secret: bytes
    table: int = NO_SET
    relabelled: bool = False

    def __repr__(self) -> str:
        """Keep the secret out of logs."""
        return f"Secret(hidden, table={self.table})"

    def commitment(self, match_id: str) -> str:
        """Return hex of what is published before the first card of *match_id*."""
        return commitment(self.secret, match_id).hex()

    def seed(self, match_id: str, nonces: Sequence[bytes]) -> bytes:
        """Return the match seed from the table's *nonces*; the same at every table of a set, which take none."""
        table = match_id if self.table == NO_SET else ""
        return match_seed(self.secret, table, nonces)

    def dealing(self, match_id: str, nonces: Sequence[bytes]) -> SeededDealing:
        """Return where the cards of *match_id* come from."""
        seed = self.seed(match_id, nonces)
        return SeededDealing(seed, relabelling(self.secret, self.table)) if self.relabelled else SeededDealing(seed)

    def bot_seed(self, match_id: str, nonces: Sequence[bytes], seat: int) -> int:
        """Return the number handed to the bot in *seat*; another one at every table."""
        return bot_seed(derive(self.seed(match_id, nonces), "table", max(self.table, 0)), seat)

    def reveal(self, proof: SetProof | None = None) -> Reveal:
        """Return the entry that shows it, with the *proof* of its set."""
        return Reveal(self.secret.hex(), self.table, self.relabelled, proof)

    @classmethod
    def of(cls, reveal: Reveal) -> "Secret":
        """Return what *reveal* shows.

        Raises:
            ValueError: Its secret is not 32 bytes of hex.
        """
        return cls(_bytes32("a secret", reveal.secret), reveal.table, reveal.relabelled)


@dataclass(frozen=True, slots=True)
class Batch:
    """The secrets of consecutive sets, committed to by one root. Audience: the referee.

    Attributes:
        first: Number of the first set.
        secrets: 32 bytes a set.
    """

    first: int
    secrets: tuple[bytes, ...] = field(repr=False)

    @property
    def root(self) -> bytes:
        """What is published before the batch's first nonce. Audience: everybody."""
        return published_root(len(self.secrets), root_of(self._leaves()))

    def proof(self, number: int, nonces: Sequence[bytes]) -> SetProof:
        """Return what shows where the seed of set *number* comes from."""
        place = number - self.first
        return SetProof(
            secret=self.secrets[place].hex(),
            number=number,
            nonces=tuple(nonce.hex() for nonce in nonces),
            leaf=place,
            size=len(self.secrets),
            path=tuple(beside.hex() for beside in path_to(self._leaves(), place)),
            root=self.root.hex(),
        )

    def seed(self, number: int, nonces: Sequence[bytes]) -> bytes:
        """Return the seed of set *number*. Audience: the referee until the set is over."""
        return set_seed(self.secrets[number - self.first], number, nonces)

    def _leaves(self) -> list[bytes]:
        return [_leaf(number, secret) for number, secret in enumerate(self.secrets, start=self.first)]


def proof_problem(proof: SetProof, seed: str) -> str:
    """Return what is wrong with *proof* as the origin of *seed* (hex), or nothing."""
    try:
        secret = _bytes32("a set's secret", proof.secret)
        made = set_seed(secret, proof.number, nonces_of(proof.nonces)).hex()
        path = [_bytes32("a hash", beside) for beside in proof.path]
        root = published_root(proof.size, root_along(_leaf(proof.number, secret), proof.leaf, proof.size, path)).hex()
    except (ValueError, OverflowError) as wrong:
        return str(wrong)
    if made != seed:
        return f"the set's secret and nonces give the seed {made}"
    return "" if root == proof.root else f"the path leads to the root {root}, not to {proof.root}"


def _leaf(number: int, secret: bytes) -> bytes:
    return leaf_hash(b"set\0" + number.to_bytes(8, "big") + secret)


def _bytes32(what: str, text: str) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != SEED_BYTES or data.hex() != text:
        raise ValueError(f"{what} is 32 bytes, in small hex digits")
    return data
