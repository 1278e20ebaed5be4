"""From a secret to the cards of a match: what the referee does, and an audit again."""

from dataclasses import dataclass

from engine.record.entries import Reveal
from engine.shuffle import SEED_BYTES, SeededDealing, bot_seed, commitment, derive, match_seed, relabelling

NO_SET = -1


@dataclass(frozen=True, slots=True)
class Secret:
    """Where the cards of a table come from. Audience: the referee until the reveal.

    Attributes:
        secret: 32 bytes; of this table, or shared by the tables of a set.
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

    def seed(self, match_id: str, players: int) -> bytes:
        """Return the match seed; the same at every table of a set."""
        table = match_id if self.table == NO_SET else ""
        return match_seed(self.secret, table, [bytes(SEED_BYTES)] * players)

    def dealing(self, match_id: str, players: int) -> SeededDealing:
        """Return where the cards of *match_id* come from."""
        seed = self.seed(match_id, players)
        return SeededDealing(seed, relabelling(self.secret, self.table)) if self.relabelled else SeededDealing(seed)

    def bot_seed(self, match_id: str, players: int, seat: int) -> int:
        """Return the number handed to the bot in *seat*; another one at every table."""
        return bot_seed(derive(self.seed(match_id, players), "table", max(self.table, 0)), seat)

    def reveal(self) -> Reveal:
        """Return the entry that shows it."""
        return Reveal(self.secret.hex(), self.table, self.relabelled)

    @classmethod
    def of(cls, reveal: Reveal) -> "Secret":
        """Return what *reveal* shows.

        Raises:
            ValueError: Its secret is not 32 bytes of hex.
        """
        secret = bytes.fromhex(reveal.secret)
        if len(secret) != SEED_BYTES:
            raise ValueError("a secret has 32 bytes")
        return cls(secret, reveal.table, reveal.relabelled)
