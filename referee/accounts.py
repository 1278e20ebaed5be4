"""Who may do more than play: the organiser of a referee, and the owners of entrants."""

import asyncio
import os
from pathlib import Path
from typing import Final, NamedTuple

from referee.errors import ApiError
from referee.players import Draft, Players
from referee.store.database import StoreError
from referee.store.models import Account, Player
from referee.store.rows import ADD_ACCOUNT, ADD_PLAYER
from referee.store.writer import RecordWriter, Write

TOKEN_FILE: Final = "organiser.token"  # noqa: S105 - a file name
"""File in the data folder with the organiser's token."""

QUOTA: Final = 4
"""Entrants that an owner may have at once, unless the organiser says otherwise."""

_MOST: Final = 1_000
_ORGANISER: Final = "organiser"
_OWNER: Final = "owner"


class Owner(NamedTuple):
    """An owner of entrants.

    Attributes:
        player: Who it is.
        quota: Entrants that it may have at once.
    """

    player: Player
    quota: int


class Accounts:
    """The organiser and every owner of one referee."""

    def __init__(self, players: Players, writer: RecordWriter) -> None:
        """Keep accounts of *players*, durable through *writer*."""
        self._players: Final = players
        self._writer: Final = writer
        self._accounts: Final[dict[str, Account]] = {}
        self._names: Final[set[str]] = set()

    def know(self, account: Account) -> None:
        """Remember an account that is durable."""
        self._accounts[account.player_id] = account
        self._names.add(self._players.name_of(account.player_id))

    async def ensure_organiser(self, folder: Path) -> None:
        """Have the organiser's token in a file of *folder* that only its owner can read.

        A file that is missing, or holds another token, is written anew with a fresh one.

        Raises:
            StoreError: The file cannot be written.
        """
        file = folder / TOKEN_FILE
        known = next((account for account in self._accounts.values() if account.role == _ORGANISER), None)
        if known is None:
            token = (await self._add(_ORGANISER, _ORGANISER, 0)).token
        elif self._is_token_of(known, await asyncio.to_thread(_read, file)):
            return
        else:
            token = await self._players.renew_token(known.player_id)
        await asyncio.to_thread(_write, file, token)

    def _is_token_of(self, account: Account, token: str) -> bool:
        try:
            return self._players.authenticate(token).id == account.player_id
        except ApiError:
            return False

    async def add_owner(self, name: str, quota: int) -> Draft:
        """Make an owner who may have *quota* entrants at once, 0 for the usual number.

        Raises:
            ApiError: `NAME_INVALID`, `NAME_TAKEN`, `OPTION_INVALID`.
        """
        if quota > _MOST:
            raise ApiError("OPTION_INVALID", f"a quota is at most {_MOST}", option="quota")
        return await self._add(name, _OWNER, quota or QUOTA)

    async def _add(self, name: str, role: str, quota: int) -> Draft:
        draft = self._players.draft(name)
        if name in self._names:
            raise ApiError("NAME_TAKEN", f"the name {name} is taken; choose another", name=name)
        self._names.add(name)
        account = Account(player_id=draft.player.id, role=role, quota=quota)
        rows = [Write(ADD_PLAYER, [draft.player.model_dump()]), Write(ADD_ACCOUNT, [account.model_dump()])]
        await self._writer.append(rows)
        self._players.know(draft.player)
        self.know(account)
        return draft

    def owners(self) -> list[Owner]:
        """Return every owner, by name."""
        known = (account for account in self._accounts.values() if account.role == _OWNER)
        found = [Owner(self._players.need(account.player_id), account.quota) for account in known]
        return sorted(found, key=lambda owner: owner.player.name)

    def is_organiser(self, player: Player) -> bool:
        """Return whether *player* is the organiser."""
        return self._has_role(player, _ORGANISER)

    def need_organiser(self, player: Player) -> None:
        """Refuse everybody but the organiser.

        Raises:
            ApiError: `NOT_PERMITTED`.
        """
        if not self.is_organiser(player):
            raise ApiError("NOT_PERMITTED", f"only the organiser may do this, with the token in {TOKEN_FILE}")

    def need_owner(self, player: Player) -> Owner:
        """Return the owner that *player* is.

        Raises:
            ApiError: `NOT_PERMITTED`.
        """
        if not self._has_role(player, _OWNER):
            raise ApiError("NOT_PERMITTED", "only an owner may do this; the organiser makes owners")
        return Owner(player, self._accounts[player.id].quota)

    def _has_role(self, player: Player, role: str) -> bool:
        account = self._accounts.get(player.id)
        return account is not None and account.role == role


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(file: Path, token: str) -> None:
    """Write *token*, whole or not at all, for the eyes of the process's user alone."""
    partial = file.with_suffix(".partial")
    try:
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as written:
            written.write(token + "\n")
        partial.replace(file)
    except OSError as refused:
        raise StoreError(f"{file} cannot be written: {refused.strerror}") from refused
