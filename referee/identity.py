"""Who a caller is: tokens, kept only as hashes."""

import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

TOKEN_BYTES: Final = 32
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,31}")
NAME_RULE: Final = "1 to 32 letters, digits, blanks, '.', '_' or '-', first a letter or digit and last no blank"
METADATA_KEY: Final = "authorization"
_SCHEME: Final = "Bearer "


def new_id(kind: str) -> str:
    """Return a fresh id such as `t-3f9c…`; ids of one kind do not tell their order."""
    return f"{kind}-{secrets.token_hex(8)}"


def new_token() -> str:
    """Return a fresh token of 256 random bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_secret() -> bytes:
    """Return 256 random bits for a deal."""
    return secrets.token_bytes(32)


def token_hash(token: str) -> str:
    """Return what is stored of *token*."""
    return sha256(token.encode("utf-8")).hexdigest()


def token_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> str | None:
    """Return the token in a call's metadata (`authorization: Bearer …`), None without one."""
    for key, value in metadata or ():
        if key == METADATA_KEY and isinstance(value, str) and value.startswith(_SCHEME):
            return value.removeprefix(_SCHEME)
    return None


def is_name(name: str) -> bool:
    """Return whether *name* may be a player's, as `NAME_RULE` says."""
    return NAME.fullmatch(name) is not None and not name.endswith(" ")
