"""Forgeries that playing again would not find, all hashes made anew: the signature covers them."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from clients.cli.replay import verify
from engine.record.audit import audit
from engine.record.chain import write
from engine.record.entries import Entry, Header, Played, Refusal
from engine.record.replay import entry_bytes
from engine.record.signature import Sign, Signature
from engine.rules.registry import presets
from tests.cli.replaying import called, replay, written
from tests.engine.recording import entries_of, lines_of

KEYS = [Ed25519PrivateKey.from_private_bytes(sha256(owner).digest()) for owner in (b"referee", b"forger")]
REFEREE, FORGER = (key.public_key().public_bytes_raw().hex() for key in KEYS)


def signing(owner: int) -> Sign:
    """Return what signs for the referee (0) or the forger (1)."""
    key = KEYS[owner]
    return lambda message: Signature(key.public_key().public_bytes_raw(), key.sign(message))


def signed(entries: list[Entry], owner: int) -> list[str]:
    """Return the replay of *entries* with a signature."""
    return list(write(map(entry_bytes, entries), signing(owner)))


def without_a_refusal(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Yield *entries* with each of its refusals left out, one at a time."""
    refusals = [number for number, entry in enumerate(entries) if isinstance(entry, Refusal)]
    return (entries[:number] + entries[number + 1 :] for number in refusals)


def unseen(entries: list[Entry]) -> dict[str, list[Entry]]:
    """Return forgeries that no rule forbids: other names, another day, a shorter think, a refusal less."""
    header = entries[0]
    assert isinstance(header, Header)
    number, played = next((n, entry) for n, entry in enumerate(entries) if isinstance(entry, Played) and entry.used_us)
    return {
        "seats exchanged": [replace(header, seats=header.seats[::-1]), *entries[1:]],
        "another day": [replace(header, wall="2020-01-01T00:00:00Z"), *entries[1:]],
        "a refusal left out": next(less for less in without_a_refusal(entries) if audit(lines_of(less)).ok),
        "a shorter think": [*entries[:number], replace(played, used_us=0), *entries[number + 1 :]],
    }


@pytest.mark.parametrize("preset", presets())
def test_what_only_the_signature_covers_is_found(preset: str, tmp_path: Path) -> None:
    """With the referee's signature kept, signed anew by another, or not at all: each is bad for its last line."""
    entries = list(entries_of(preset, 1))
    honest = signed(entries, 0)
    assert replay("verify", "--key", REFEREE, written(tmp_path, honest)).code == 0
    for name, forged in {"nothing": entries, **unseen(entries)}.items():
        ways = {"anew": signed(forged, 1), "not at all": signed(forged, 1)[:-1]}
        if name != "nothing":
            ways["kept"] = [*signed(forged, 1)[:-1], honest[-1]]
        for way, lines in ways.items():
            ran = replay("verify", "--key", REFEREE, written(tmp_path, lines))
            assert ran.code == 1, (name, way)
            assert f"BAD at entry {len(forged)}: " in ran.out, (name, way, ran)


def test_without_a_key_the_signer_is_named(tmp_path: Path) -> None:
    """Whoever has no key to compare with reads whose it is; a signature of another replay is bad all the same."""
    entries = list(entries_of("remi", 1))
    mine, other = signed(entries, 1), signed(list(entries_of("remi", 1, "other")), 1)
    ran = replay("verify", written(tmp_path, mine))
    assert (ran.code, f"signed by {FORGER[:16]}" in ran.out) == (0, True)
    ran = replay("verify", written(tmp_path, [*mine[:-1], other[-1]]))
    assert ran.code == 1
    assert f"BAD at entry {len(entries)}: the signature is not one of this replay" in ran.out


def test_any_flipped_byte_of_the_signature_is_found(tmp_path: Path) -> None:
    """Key, signature and the form of the line; the last line end cut off is a file that ends within a line."""
    lines = signed(list(entries_of("remi", 1)), 0)
    last = lines[-1].encode()
    for place in (*range(0, len(last), 3), len(last) - 1):
        turned = last[:place] + bytes((last[place] ^ (0x01 if place % 2 else 0x20),)) + last[place + 1 :]
        ran = called(verify, [written(tmp_path, "".join(lines[:-1]).encode() + turned)])
        assert ran.code == (2 if place == len(last) - 1 else 1), (place, ran)
        assert f"entry {len(lines) - 1}: " in ran.out + ran.err
    ran = replay("verify", written(tmp_path, [*lines, lines[-2]]))
    assert (ran.code, f"BAD at entry {len(lines)}: " in ran.out) == (1, True)
