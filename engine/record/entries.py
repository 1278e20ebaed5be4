"""Entries: the truth of a match, one after another.

Every accepted play, refusal, clock charge and change of a seat is an entry.
Keys with a leading underscore mean nothing to the rules but are covered by the
chain. Audience: the referee until the reveal; then everybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, NamedTuple

from engine.moves import Play
from engine.reasons import Reason
from engine.rules.options import OptionValue

FORMAT: Final = 2
"""Version of the entries and of the replay file that is written.

In format 1 the header itself dealt the cards, from no nonces; it is still read.
"""


@unique
class Cause(Enum):
    """Why a stand-in played, a seat forfeits, or a match is void. May grow."""

    TIME_OUT = "time_out"
    ILLEGAL = "illegal"
    LEFT = "left"
    CRASHED = "crashed"
    NEVER_CAME = "never_came"
    STRIKES = "strikes"
    NONCE_NOT_OPENED = "nonce_not_opened"
    REFEREE_FAULT = "referee_fault"


@dataclass(frozen=True, slots=True)
class Header:
    """The first entry: what the match is.

    Attributes:
        match_id: Id of the match, which is also that of its table.
        preset: Rules.
        options: Every option and its value.
        seats: Names of the players, per seat.
        clock: Name of the clock profile.
        stand_in: Name of the stand-in.
        strikes: Faults in a match after which a seat forfeits the rest; 0 for never.
        commitment: Hex of SHA-256 over table id and secret.
        deal: `table` where the secret is this table's own, `set` where other tables play it too.
        rules_version: Version of the rules.
        wall: Wall-clock start, `_wall` in the entry; no part of the rules.
        referee: Version of the referee, `_referee` in the entry.
        format: Version of the entries that follow.
    """

    match_id: str
    preset: str
    options: Mapping[str, OptionValue]
    seats: tuple[str, ...]
    clock: str
    stand_in: str
    strikes: int
    commitment: str
    deal: str
    rules_version: int
    wall: str
    referee: str
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Hashes:
    """What players who take part in the deal have bound themselves to, before any nonce is shown.

    Attributes:
        hashes: Hex of SHA-256 of the nonce, per seat; empty for a seat that sends none.
    """

    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dealt:
    """All that the deal depends on is there: the first round is dealt.

    Attributes:
        nonces: Hex of 32 bytes, per seat; empty for a seat that sent none.
    """

    nonces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """An accepted play.

    Attributes:
        seat: Who.
        play: What.
        used_us: Time charged.
        attempt: The client's number of the try.
    """

    seat: int
    play: Play
    used_us: int
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused play; changes nothing but is remembered.

    Attributes:
        seat: Who.
        play: What; None where it could not even be read.
        reason: Why.
        attempt: The client's number of the try.
    """

    seat: int
    play: Play | None
    reason: Reason
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class StoodIn:
    """The stand-in finished a turn.

    Attributes:
        seat: For whom.
        plays: One or two plays.
        cause: Why.
        used_us: Time charged to the seat.
    """

    seat: int
    plays: tuple[Play, ...]
    cause: Cause
    used_us: int


@dataclass(frozen=True, slots=True)
class Presence:
    """A player left a seat or came back.

    Attributes:
        seat: Which.
        present: Whether the player is there now.
    """

    seat: int
    present: bool


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat forfeits the round in play; the stand-in plays on for it.

    Attributes:
        seat: Which.
        cause: Why.
    """

    seat: int
    cause: Cause


class Forfeited(NamedTuple):
    """A forfeit as the result lists it.

    Attributes:
        round: Round forfeited, from 0; with `STRIKES` and `NEVER_CAME` all later ones too.
        seat: Who.
        cause: Why.
    """

    round: int
    seat: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Result:
    """The match has ended.

    Attributes:
        points: Points of each round, per seat, before forfeits are counted.
        totals: Per seat.
        winners: Seats that win.
        forfeits: Every forfeit, in order.
        faults: Seat and cause of every time-out and every illegal answer, in order.
    """

    points: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    forfeits: tuple[Forfeited, ...]
    faults: tuple[tuple[int, Cause], ...]


@dataclass(frozen=True, slots=True)
class Void:
    """The match does not count, and ends here.

    Attributes:
        cause: Why.
        culprit: Seat that is to blame, None for the referee itself.
    """

    cause: Cause
    culprit: int | None


@dataclass(frozen=True, slots=True)
class SetProof:
    """That the deal of a set was committed to with its batch, before anybody's nonce.

    Attributes:
        secret: Hex of the referee's 32 bytes for this set.
        number: Number of the set in its ladder, from 0.
        nonces: Hex of the batch's nonces, 32 bytes each, in the order of the batch.
        leaf: Place of the set in its batch, from 0.
        size: Sets in the batch.
        path: Hex of the hashes beside the way from the leaf to the root, from the leaf up.
        root: Hex of what was published of the batch.
    """

    secret: str
    number: int
    nonces: tuple[str, ...]
    leaf: int
    size: int
    path: tuple[str, ...]
    root: str


@dataclass(frozen=True, slots=True)
class Reveal:
    """The secret of the deal, shown when nothing depends on it any more.

    Attributes:
        secret: Hex of the 32 bytes that the commitment is of.
        table: Number of this table in its set, from 0; -1 without a set.
        relabelled: Whether suits were relabelled for this table.
        proof: Where the secret of a set's table comes from; None without a set, and in format 1.
    """

    secret: str
    table: int = -1
    relabelled: bool = False
    proof: SetProof | None = None


Entry = Header | Hashes | Dealt | Played | Refusal | StoodIn | Presence | Forfeit | Result | Void | Reveal
