"""Entries of a replay as a player reads them."""

from collections.abc import Sequence

from clients.cli.replay_files import plain
from engine.notation import show_play
from engine.record.entries import (
    Cause,
    Dealt,
    Entry,
    Forfeit,
    Hashes,
    Header,
    Played,
    Presence,
    Refusal,
    Result,
    Reveal,
    StoodIn,
    Void,
)  # fmt: skip


def names_of(header: Header) -> tuple[str, ...]:
    """Return what to call each seat: the player's name, with the seat where two have one name."""
    names = [plain(name) for name in header.seats]
    return tuple(f"{name} (seat {seat})" if names.count(name) > 1 else name for seat, name in enumerate(names))


def heading(header: Header) -> list[str]:
    """Return what the match is, in two lines."""
    about = f"{plain(header.match_id)}: {plain(header.preset)}, clock {plain(header.clock)}, {plain(header.wall)}"
    return [about, "seats: " + ", ".join(f"{seat} {plain(name)}" for seat, name in enumerate(header.seats))]


def told(entry: Entry, names: Sequence[str]) -> str:
    """Return what *entry* says, in one line."""
    match entry:
        case Header():
            return "header: " + "; ".join(heading(entry))
        case Played(seat, play, used_us):
            return f"{_who(names, seat)}: {show_play(play)}{_time(used_us)}"
        case Refusal(seat, refused, reason):
            tried = show_play(refused) if refused else "a play that could not be read"
            return f"{_who(names, seat)} is refused {tried} ({reason.name})"
        case StoodIn(seat, plays, cause, used_us):
            made = ", then ".join(map(show_play, plays))
            return f"{_who(names, seat)} (stand-in, {words(cause)}): {made}{_time(used_us)}"
        case Presence(seat, present):
            return f"{_who(names, seat)} {'is back' if present else 'is away'}"
        case Forfeit(seat, cause):
            return f"{_who(names, seat)} forfeits the round ({words(cause)})"
        case Result(points, totals, winners):
            scores = ", ".join(f"{_who(names, seat)} {total:+d}" for seat, total in enumerate(totals))
            won = " and ".join(_who(names, seat) for seat in winners)
            return f"result after {len(points)} round{'' if len(points) == 1 else 's'}: {scores}; won by {won}"
        case Hashes(hashes):
            return f"hashes of the {_by_seat(names, hashes)}"
        case Dealt(nonces):
            return f"the deal, with {_by_seat(names, nonces)}" if any(nonces) else "the deal, without nonces"
        case Void(cause, culprit):
            blame = "the referee" if culprit is None else _who(names, culprit)
            return f"the match does not count: {words(cause)} ({blame})"
        case Reveal(secret, table):
            of_set = f", table {table} of its set" if table >= 0 else ""
            return f"reveal: secret {plain(secret)}{of_set}"


def _by_seat(names: Sequence[str], parts: Sequence[str]) -> str:
    given = [f"{_who(names, seat)} {plain(part)}" for seat, part in enumerate(parts) if part]
    return f"nonces of {', '.join(given)}"


def words(cause: Cause) -> str:
    """Return *cause* as words."""
    return cause.value.replace("_", " ")


def _who(names: Sequence[str], seat: int) -> str:
    return names[seat] if 0 <= seat < len(names) else f"seat {seat}"


def _time(used_us: int) -> str:
    return f"  [{used_us / 1e6:.3f} s]" if used_us else ""
