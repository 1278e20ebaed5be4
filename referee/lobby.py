"""A table that waits for its players."""

from dataclasses import dataclass, field

from engine.rules.ruleset import RuleSet
from referee.errors import ApiError
from referee.store.models import GameTable


@dataclass(slots=True)
class Lobby:
    """A table with free seats.

    Attributes:
        row: As stored.
        rules: Its rules.
        players: Player ids by seat.
    """

    row: GameTable
    rules: RuleSet
    players: dict[int, str] = field(default_factory=dict)

    def choose(self, seat: int | None) -> int:
        """Return *seat* if it is free, the first free one if none is named.

        Raises:
            ApiError: `OPTION_INVALID`, `SEAT_TAKEN`.
        """
        free = [number for number in range(self.rules.players) if number not in self.players]
        if seat is None:
            return free[0]
        if not 0 <= seat < self.rules.players:
            raise ApiError("OPTION_INVALID", f"seat {seat} does not exist; there are 0 to {self.rules.players - 1}")
        if seat not in free:
            raise ApiError("SEAT_TAKEN", f"seat {seat} is taken; free: {', '.join(map(str, free))}", seat=seat)
        return seat
