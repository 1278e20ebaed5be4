"""The players of one referee, and whose token is whose."""

from typing import Final

from referee.errors import ApiError
from referee.identity import is_name, new_id, new_token, token_hash
from referee.store.models import Player
from referee.store.rows import ADD_PLAYER, SET_TOKEN, now_us
from referee.store.writer import RecordWriter, Write


class Players:
    """Every player by id and by the hash of the token."""

    def __init__(self, writer: RecordWriter) -> None:
        """Make players durable through *writer*."""
        self._writer: Final = writer
        self._by_id: Final[dict[str, Player]] = {}
        self._by_hash: Final[dict[str, Player]] = {}

    async def register(self, name: str) -> tuple[Player, str]:
        """Make a player of *name*; names need not be unique.

        Returns:
            The player and the token, which is shown once and stored as a hash.

        Raises:
            ApiError: `NAME_INVALID`.
        """
        if not is_name(name):
            raise ApiError(
                "NAME_INVALID", "a name has 1 to 32 letters, digits, blanks, '.', '_' or '-'", name=name[:40]
            )
        token = new_token()
        player = Player(id=new_id("p"), name=name, token_hash=token_hash(token), created_us=now_us())
        await self._writer.append([Write(ADD_PLAYER, [player.model_dump()])])
        self.know(player)
        return player, token

    async def renew_token(self, player_id: str) -> str:
        """Give a player a fresh token; the old one is worth nothing from now on."""
        player, token = self._by_id[player_id], new_token()
        self._by_hash.pop(player.token_hash, None)
        player.token_hash = token_hash(token)
        await self._writer.append([Write(SET_TOKEN, [{"row_id": player_id, "new_hash": player.token_hash}])])
        self.know(player)
        return token

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

    def name_of(self, player_id: str) -> str:
        """Return the name of a player."""
        return self._by_id[player_id].name
