"""The referee's Ed25519 key: made once, kept in the data folder, signs the end of every record."""

import os
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.record.signature import Signature

KEY_FILE: Final = "referee.key"
_KEY_BYTES: Final = 32
_EVERYBODY: Final = 0o007


class KeyFileError(Exception):
    """The key cannot be had; the message says why and what to do."""


class SigningKey:
    """The referee's private key. Audience: the referee alone."""

    __slots__ = ("_private", "public")

    def __init__(self, private: Ed25519PrivateKey) -> None:
        """Sign with *private*."""
        self._private = private
        self.public: Final = private.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> Signature:
        """Return the signature of *message*."""
        return Signature(self.public, self._private.sign(message))

    def __repr__(self) -> str:
        """Show the public half only."""
        return f"SigningKey({self.public.hex()})"


def make_key(folder: Path) -> SigningKey:
    """Make the key of the data *folder*, for the owner of the file alone to read.

    Raises:
        KeyFileError: There is one already, or the folder cannot be written to.
    """
    path = folder / KEY_FILE
    private = Ed25519PrivateKey.generate()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as there:
        raise KeyFileError(f"{path} is there already; replays signed with it would lose their referee") from there
    except OSError as refused:
        raise KeyFileError(f"{path} cannot be written: {refused.strerror}") from refused
    try:
        with os.fdopen(file, "w") as out:
            out.write(private.private_bytes_raw().hex() + "\n")
            out.flush()
            os.fsync(out.fileno())
    except OSError as full:
        path.unlink()
        raise KeyFileError(f"{path} cannot be written: {full.strerror}") from full
    return SigningKey(private)


def read_key(folder: Path) -> SigningKey:
    """Return the key of the data *folder*.

    Raises:
        KeyFileError: There is none, the file is no key, or everybody on the machine may read it.
    """
    path = folder / KEY_FILE
    try:
        if path.stat().st_mode & _EVERYBODY:
            raise KeyFileError(f"{path} is open to everybody on this machine, who could sign as you: chmod 600 {path}")
        data = bytes.fromhex(path.read_text("ascii").strip())
    except FileNotFoundError as missing:
        raise KeyFileError(f"there is no {path}; make it with: rummyref keys init --data {folder}") from missing
    except (OSError, ValueError) as broken:
        raise KeyFileError(f"{path} cannot be read as a key: {broken}") from broken
    if len(data) != _KEY_BYTES:
        raise KeyFileError(f"{path} is no key: it has {len(data)} bytes instead of {_KEY_BYTES}")
    return SigningKey(Ed25519PrivateKey.from_private_bytes(data))


def own_key(folder: Path) -> SigningKey:
    """Return the key of the data *folder*, made now if it has none.

    Raises:
        KeyFileError: It can be neither read nor made.
    """
    return read_key(folder) if (folder / KEY_FILE).exists() else make_key(folder)
