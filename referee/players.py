"""The players of one referee, and whose token is whose."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from referee.errors import ApiError
from referee.identity import NAME_RULE, is_name, new_id, new_token, token_hash
from referee.store.models import Player
from referee.store.rows import ADD_PLAYER, SET_TOKEN, now_us
from referee.store.writer import RecordWriter, Write


class Draft(NamedTuple):
    """A new player.

    Attributes:
        player: As stored, with the hash of the token.
        token: The token, which is shown once.
    """

    player: Player
    token: str


class Players:
    """Every player by id and by the hash of the token."""

    def __init__(self, writer: RecordWriter) -> None:
        """Make players durable through *writer*."""
        self._writer: Final = writer
        self._by_id: Final[dict[str, Player]] = {}
        self._by_hash: Final[dict[str, Player]] = {}
        self._open: Final[dict[str, list[Callable[[], None]]]] = {}

    def draft(self, name: str) -> Draft:
        """Return a new player of *name* that nobody knows yet: to be made durable with `ADD_PLAYER`, then known.

        Raises:
            ApiError: `NAME_INVALID`.
        """
        if not is_name(name):
            raise ApiError("NAME_INVALID", f"a name has {NAME_RULE}", name=name[:40])
        token = new_token()
        return Draft(Player(id=new_id("p"), name=name, token_hash=token_hash(token), created_us=now_us()), token)

    async def register(self, name: str) -> Draft:
        """Make a player of *name*; names need not be unique.

        Raises:
            ApiError: `NAME_INVALID`.
        """
        draft = self.draft(name)
        await self._writer.append([Write(ADD_PLAYER, [draft.player.model_dump()])])
        self.know(draft.player)
        return draft

    async def renew_token(self, player_id: str) -> str:
        """Give a player a fresh token; the old one is worth nothing from now on, what is open by it is closed.

        A renewed token that nobody is told is a revoked one.
        """
        player, token = self._by_id[player_id], new_token()
        self._by_hash.pop(player.token_hash, None)
        player.token_hash = token_hash(token)
        await self._writer.append([Write(SET_TOKEN, [{"row_id": player_id, "new_hash": player.token_hash}])])
        self.know(player)
        for close in list(self._open.get(player_id, ())):
            close()
        return token

    @contextlib.contextmanager
    def until_revoked(self, player_id: str, close: Callable[[], None]) -> Iterator[None]:
        """Have *close* called if the token of a player, by which something is open, is renewed or revoked."""
        calls = self._open.setdefault(player_id, [])
        calls.append(close)
        try:
            yield
        finally:
            calls.remove(close)
            if not calls:
                self._open.pop(player_id, None)

    def authenticate(self, token: str | None) -> Player:
        """Return whose *token* it is.

        Raises:
            ApiError: `TOKEN_INVALID`.
        """
        player = self._by_hash.get(token_hash(token)) if token else None
        if player is None:
            raise ApiError("TOKEN_INVALID", "no player has this token; register, or check RUMMYREF_TOKEN")
        return player

    def know(self, player: Player) -> None:
        """Remember a player that is durable."""
        self._by_id[player.id] = player
        self._by_hash[player.token_hash] = player

    def need(self, player_id: str) -> Player:
        """Return a player.

        Raises:
            ApiError: `PLAYER_UNKNOWN`.
        """
        player = self._by_id.get(player_id)
        if player is None:
            raise ApiError("PLAYER_UNKNOWN", f"there is no player {player_id[:40]}", player_id=player_id[:40])
        return player

    def name_of(self, player_id: str) -> str:
        """Return the name of a player."""
        return self._by_id[player_id].name
