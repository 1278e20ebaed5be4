"""Every open ladder of one referee: made by the organiser, entered by owners, played while the referee runs."""

import asyncio
from typing import Final

import structlog
from sqlalchemy import bindparam, insert, update
from sqlmodel import col

from referee.accounts import Owner
from referee.errors import ApiError
from referee.hall import Hall
from referee.identity import NAME_RULE, is_name
from referee.ladder.open_ladder import LiveLadder
from referee.ladder.open_spec import OpenSpec
from referee.store.models import OpenEntrant, OpenLadder, Player
from referee.store.rows import ADD_PLAYER, now_us
from referee.store.writer import Write

_ADD_LADDER: Final = insert(OpenLadder)
_ADD_ENTRANT: Final = insert(OpenEntrant)
_CLOSE: Final = update(OpenLadder).where(col(OpenLadder.name) == bindparam("of_ladder")).values(closed=True)
_SET_WITHDRAWN: Final = (
    update(OpenEntrant)
    .where(col(OpenEntrant.player_id) == bindparam("of_player"))
    .values(withdrawn=bindparam("is_withdrawn"))
)
_log = structlog.get_logger()


class OpenLadders:
    """The open ladders of one hall."""

    def __init__(self, hall: Hall) -> None:
        """Take up what the store of *hall* has; nothing is played before `run`."""
        self._hall = hall
        self._ladders: Final[dict[str, LiveLadder]] = {}
        self._tasks: Final[set[asyncio.Task[None]]] = set()
        self._runs = False
        self._changing = asyncio.Lock()
        for row in hall.store.open_ladders():
            self._take_up(LiveLadder(hall, row, hall.store.open_entrants(row.name), hall.store.seasons(row.name)))

    def run(self) -> None:
        """Play every ladder that is not over, those that are made later too."""
        self._runs = True
        for ladder in self._ladders.values():
            self._play(ladder)

    async def close(self) -> None:
        """Stop where everything is; the record has what is needed to go on."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def all(self) -> list[LiveLadder]:
        """Return every ladder, by name."""
        return [self._ladders[name] for name in sorted(self._ladders)]

    def need(self, name: str) -> LiveLadder:
        """Return a ladder.

        Raises:
            ApiError: `LADDER_UNKNOWN`.
        """
        ladder = self._ladders.get(name)
        if ladder is None:
            raise ApiError("LADDER_UNKNOWN", f"there is no ladder {name[:40]}", ladder=name[:40])
        return ladder

    def owner_of(self, player_id: str) -> str | None:
        """Return the player id of the owner whose entrant *player_id* is; None if it is no entrant."""
        entrants = (entrant for ladder in self._ladders.values() for entrant in ladder.entrants.values())
        return next((entrant.owner_id for entrant in entrants if entrant.player_id == player_id), None)

    # -- the organiser ------------------------------------------------------------

    async def create(self, spec: OpenSpec) -> LiveLadder:
        """Make a ladder and begin to play it.

        Raises:
            ApiError: `NAME_INVALID`, `NAME_TAKEN`.
        """
        async with self._changing:
            return await self._create(spec)

    async def _create(self, spec: OpenSpec) -> LiveLadder:
        name = spec.ladder.name
        if not is_name(name):
            raise ApiError("NAME_INVALID", f"{name[:40]!r} is no name: it has {NAME_RULE}")
        if name in self._ladders or self._hall.store.ladder(f"{name} 1") is not None:
            raise ApiError("NAME_TAKEN", f"there is a ladder {name} already; choose another name", name=name)
        row = OpenLadder(name=name, spec=spec.model_dump_json(), closed=False, created_us=now_us())
        await self._hall.append([Write(_ADD_LADDER, [row.model_dump()])])
        ladder = self._take_up(LiveLadder(self._hall, row, [], []))
        _log.info("ladder_created", ladder=name)
        self._play(ladder)
        return ladder

    async def close_ladder(self, name: str) -> None:
        """Let a ladder begin no more seasons.

        Raises:
            ApiError: `LADDER_UNKNOWN`.
        """
        ladder = self.need(name)
        await self._hall.append([Write(_CLOSE, [{"of_ladder": name}])])
        ladder.close()

    # -- owners -------------------------------------------------------------------

    async def enter(self, owner: Owner, name: str, bot: str, version: str) -> tuple[OpenEntrant, str]:
        """Enter a version of a bot; return the entrant and its token, which is shown once.

        A version of the owner's that was withdrawn is let in again, with a fresh token.

        Raises:
            ApiError: `LADDER_UNKNOWN`, `LADDER_CLOSED`, `NAME_INVALID`, `NAME_TAKEN`, `QUOTA_EXCEEDED`.
        """
        async with self._changing:
            return await self._enter(owner, name, bot, version)

    async def _enter(self, owner: Owner, name: str, bot: str, version: str) -> tuple[OpenEntrant, str]:
        ladder, entrant_name = self.need(name), f"{bot}-{version}"
        if ladder.row.closed:
            raise ApiError("LADDER_CLOSED", f"ladder {name} takes no more entrants", ladder=name)
        if not (is_name(bot) and is_name(version) and is_name(entrant_name)):
            raise ApiError(
                "NAME_INVALID",
                f"{entrant_name[:40]!r} is no name: bot, '-' and version have {NAME_RULE}",
            )
        known = ladder.entrants.get(entrant_name)
        again = known is not None and known.withdrawn and known.owner_id == owner.player.id
        self._need_free_name(ladder, owner, bot, None if again else known)
        self._need_quota(owner)
        if known is not None:
            token = await self._hall.players.renew_token(known.player_id)
            await self._hall.append([_withdrawn(known, is_withdrawn=False)])
            await ladder.try_again(known)
            ladder.readmit(known)
            return known, token
        return await self._enter_anew(ladder, owner, bot, version)

    async def withdraw(self, player: Player, name: str, entrant_name: str) -> None:
        """Withdraw an entrant on the word of its owner or the organiser.

        Raises:
            ApiError: `LADDER_UNKNOWN`, `ENTRANT_UNKNOWN`, `NOT_PERMITTED`.
        """
        ladder = self.need(name)
        entrant = ladder.entrants.get(entrant_name)
        if entrant is None:
            raise ApiError("ENTRANT_UNKNOWN", f"there is no entrant {entrant_name[:40]} in {name}", ladder=name)
        if entrant.owner_id != player.id and not self._hall.accounts.is_organiser(player):
            raise ApiError("NOT_PERMITTED", f"only its owner and the organiser may withdraw {entrant_name}")
        async with self._changing:
            await self._hall.append([_withdrawn(entrant, is_withdrawn=True)])
            ladder.withdraw(entrant)

    def _need_free_name(self, ladder: LiveLadder, owner: Owner, bot: str, known: OpenEntrant | None) -> None:
        if known is not None:
            raise ApiError("NAME_TAKEN", f"{known.entrant} is in {ladder.row.name} already; enter another version")
        others = (entrant for entrant in ladder.entrants.values() if entrant.owner_id != owner.player.id)
        if any(entrant.bot == bot for entrant in others):
            raise ApiError("NAME_TAKEN", f"the name {bot} belongs to another owner in {ladder.row.name}", name=bot)

    def _need_quota(self, owner: Owner) -> None:
        mine = [
            entrant
            for ladder in self._ladders.values()
            if not ladder.is_over
            for entrant in ladder.entrants.values()
            if entrant.owner_id == owner.player.id and not entrant.withdrawn
        ]
        if len(mine) >= owner.quota:
            text = f"you have entered as many as you may have, {owner.quota}; withdraw one first"
            raise ApiError("QUOTA_EXCEEDED", text, quota=owner.quota)

    async def _enter_anew(self, ladder: LiveLadder, owner: Owner, bot: str, version: str) -> tuple[OpenEntrant, str]:
        player, token = self._hall.players.draft(f"{bot}-{version}")
        entrant = OpenEntrant(
            player_id=player.id, ladder=ladder.row.name, owner_id=owner.player.id, entrant=player.name,
            bot=bot, version=version, withdrawn=False, entered_us=player.created_us,
        )  # fmt: skip
        await self._hall.append([Write(ADD_PLAYER, [player.model_dump()]), Write(_ADD_ENTRANT, [entrant.model_dump()])])
        self._hall.players.know(player)
        ladder.entrants[entrant.entrant] = entrant
        _log.info("entrant_entered", ladder=ladder.row.name, entrant=entrant.entrant, owner=owner.player.name)
        return entrant, token

    # -- life ---------------------------------------------------------------------

    def _take_up(self, ladder: LiveLadder) -> LiveLadder:
        self._ladders[ladder.row.name] = ladder
        ladder.on_withdrawn = self._conduct_withdrew
        return ladder

    def _conduct_withdrew(self, entrant: OpenEntrant) -> None:
        self._hall.append([_withdrawn(entrant, is_withdrawn=True)])

    def _play(self, ladder: LiveLadder) -> None:
        if self._runs and not ladder.is_over:
            task = asyncio.get_running_loop().create_task(ladder.run())
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Log the failure of a ladder; the others go on, and it goes on itself after a restart."""
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("ladder_failed", exc_info=task.exception())


def _withdrawn(entrant: OpenEntrant, *, is_withdrawn: bool) -> Write:
    return Write(_SET_WITHDRAWN, [{"of_player": entrant.player_id, "is_withdrawn": is_withdrawn}])
