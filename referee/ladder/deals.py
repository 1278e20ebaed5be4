"""The deals of a ladder: bound in batches before anybody's nonce, drawn set by set, shown when they are over.

A set plays the deal of its own number; one that became void plays a fresh deal
behind those of all sets.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import structlog

from engine.record.deal import Batch
from engine.record.entries import SetProof
from engine.record.ladder import (
    BatchBound,
    BatchDealt,
    BatchOpened,
    BatchVoid,
    DealClosed,
    FixtureOpened,
    LadderBegun,
    LadderEnded,
    LadderEntry,
    LadderTable,
    Outcome,
    seal,
)
from engine.shuffle import derive
from referee.hall import Hall
from referee.identity import new_id
from referee.ladder.nonces import NonceRound
from referee.ladder.record import LadderRecord
from referee.store.writer import Write

BATCH: Final = 100
"""Deals that are bound at once."""

AGAIN: Final = 10
"""Deals that are bound at once for sets that became void."""

REFEREE_FAULT: Final = "referee_fault"
"""Cause of what is void by a fault of the referee, and of nobody else."""

NOT_OPENED: Final = "nonce_not_opened"
_log = structlog.get_logger()


class Deals:
    """Binds, draws and shows the deals of one ladder.

    Attributes:
        record: The ladder's record.
        is_missed: Says of an entrant that nobody need wait for it.
    """

    def __init__(
        self,
        hall: Hall,
        ladder: str,
        secret: bytes,
        sets: int,
        players: Mapping[str, str] | None,
        say: Callable[[str], None],
    ) -> None:
        """Go on behind the ladder's record.

        Args:
            hall: Where it is played.
            ladder: Its name.
            secret: From which the secret of every deal is derived.
            sets: Sets planned.
            players: Player id by entrant, of those that may take part in the deals; None where nobody may.
            say: Told a line when an entrant has spoilt a batch.
        """
        self._hall = hall
        self._secret = secret
        self._sets = sets
        self._players = players
        self._say = say
        self.is_missed: Callable[[str], bool] = lambda _entrant: False
        self.record: Final = LadderRecord(hall, ladder)
        self._batches: dict[str, BatchOpened] = {}
        self._nonces: dict[str, tuple[bytes, ...]] = {}
        self._voided: dict[int, int] = {}
        self._batch_of: dict[int, str] = {}
        self._closed: set[int] = set()
        self._again: dict[tuple[int, int], int] = {}
        self._voids: dict[int, int] = {}
        self._spoilers: set[str] = set()
        self._begun = False
        for entry in self.record.entries():
            self._fold(entry)

    async def begin(self, begun: LadderBegun) -> None:
        """Write the first entry, once; give up the batch that a restart has cut off, since its nonces are lost."""
        if not self._begun:
            await self.record.append(begun)
            self._begun = True
        for batch in [batch for batch in self._batches if batch not in self._nonces]:
            await self._void_batch(batch, REFEREE_FAULT, "")

    async def ready(self, set_number: int) -> None:
        """Have the deal of a set bound, and drawn from the nonces of all who take part."""
        deal = self.number(set_number)
        while self._batch_of.get(deal, "") not in self._nonces:
            if deal < self._sets:
                first = deal - deal % BATCH
                await self._open_batch(first, min(BATCH, self._sets - first))
            else:
                await self._open_batch(deal - (deal - self._sets) % AGAIN, AGAIN)

    def number(self, set_number: int) -> int:
        """Return the number of the deal that a set plays now."""
        return self._again.get((set_number, self._voids.get(set_number, 0)), set_number)

    def seed(self, set_number: int) -> bytes:
        """Return the seed of a set that is `ready`. Audience: the referee."""
        deal = self.number(set_number)
        return self._batch(deal).seed(deal, self._nonces[self._batch_of[deal]])

    def proof(self, set_number: int) -> SetProof:
        """Return where the seed of a set comes from. Audience: everybody once the set is over."""
        return self._proof(self.number(set_number))

    def opening(self, set_number: int, table: LadderTable) -> Write:
        """Return what makes durable that *table* is opened, sealed; its head is not looked at."""
        sealed = seal(self.seed(set_number), self.number(set_number), set_number, table)
        return self.record.write(FixtureOpened(sealed))

    def is_closed(self, set_number: int) -> bool:
        """Return whether the record says of a set's deal that it is over."""
        return self.number(set_number) in self._closed

    async def played(self, set_number: int, tables: Iterable[LadderTable]) -> None:
        """Say that a set is over: all its tables have ended and their deals are revealed."""
        entry = DealClosed(Outcome.PLAYED, "", set_number, tuple(tables), self.proof(set_number))
        await self._append(entry)

    def void(self, set_number: int, tables: Iterable[LadderTable]) -> Write:
        """Return what makes durable that a set does not count; from then on it plays another deal."""
        entry = DealClosed(Outcome.VOID, REFEREE_FAULT, set_number, tuple(tables), self.proof(set_number))
        write = self.record.write(entry)
        self._fold(entry)
        return write

    async def end(self, sets: int) -> None:
        """Show the deals that nobody has played, and say that nothing follows, once."""
        if self.record.ended:
            return
        for deal in sorted(set(self._batch_of) - self._closed):
            await self._append(DealClosed(Outcome.UNUSED, "", -1, (), self._proof(deal)))
        await self._append(LadderEnded(sets))

    async def _append(self, entry: LadderEntry) -> None:
        await self.record.append(entry)
        self._fold(entry)

    def _fold(self, entry: LadderEntry) -> None:
        match entry:
            case LadderBegun():
                self._begun = True
            case BatchOpened(batch, first, size):
                self._batches[batch] = entry
                self._batch_of.update(dict.fromkeys(range(first, first + size), batch))
            case BatchDealt(batch, nonces):
                self._nonces[batch] = tuple(bytes.fromhex(nonces[name]) for name in sorted(nonces))
            case BatchVoid(batch, _, culprit):
                opened = self._batches.pop(batch)
                self._voided[opened.first] = self._voided.get(opened.first, 0) + 1
                for deal in range(opened.first, opened.first + opened.size):
                    del self._batch_of[deal]
                self._spoilers.update([culprit] if culprit else [])
            case DealClosed(outcome, _, set_number, _, proof):
                self._closed.add(proof.number)
                if outcome is Outcome.VOID:
                    self._voids[set_number] = self._voids.get(set_number, 0) + 1
                    self._again[set_number, self._voids[set_number]] = self._sets + len(self._again)
            case LadderEnded():
                self.record.ended = True
            case _:
                pass

    def _secrets(self, first: int, size: int) -> tuple[bytes, ...]:
        """Return fresh secrets: other ones each time that a batch with these deals has become void."""
        again = self._voided.get(first, 0)
        extra = (again,) if again else ()
        return tuple(derive(self._secret, "set", deal, *extra) for deal in range(first, first + size))

    def _batch(self, deal: int) -> Batch:
        opened = self._batches[self._batch_of[deal]]
        return Batch(opened.first, self._secrets(opened.first, opened.size))

    def _proof(self, deal: int) -> SetProof:
        return self._batch(deal).proof(deal, self._nonces[self._batch_of[deal]])

    async def _open_batch(self, first: int, size: int) -> None:
        """Bind the deals from *first* on, and draw them from the nonces of those who take part.

        Leaves them unbound if an entrant does not open its hash; it takes part no more.
        """
        batch = new_id("b")
        root = Batch(first, self._secrets(first, size)).root
        await self._append(BatchOpened(batch, first, size, root.hex()))
        nonces: Mapping[str, bytes] = {}
        if self._players is not None:
            parties = {player: name for name, player in self._players.items() if name not in self._spoilers}
            exchange = NonceRound(self._hall, batch, root, parties, self.is_missed)
            hashes = await exchange.hashes()
            if hashes:
                bound = {name: part.hex() for name, part in hashes.items()}
                await self._append(BatchBound(batch, bound))
                nonces = await exchange.nonces()
            exchange.close()
            if exchange.culprit is not None:
                self._say(f"entrant {exchange.culprit} has not opened the hash of its nonce; it takes part in no deal")
                await self._void_batch(batch, NOT_OPENED, exchange.culprit)
                return
        await self._append(BatchDealt(batch, {name: nonce.hex() for name, nonce in nonces.items()}))

    async def _void_batch(self, batch: str, cause: str, culprit: str) -> None:
        opened = self._batches[batch]
        _log.warning("batch_void", batch=batch, cause=cause, culprit=culprit)
        secrets = tuple(secret.hex() for secret in self._secrets(opened.first, opened.size))
        await self._append(BatchVoid(batch, cause, culprit, secrets))
