"""Merkle trees over the secrets of a batch of sets, hashed as RFC 6962 does.

The root is published before the batch's first nonce; each secret is shown later
with its path, so nobody can put another deal in its place.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
_PUBLISHED: Final = b"rummyref sets 1"


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(_LEAF + data).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root over *leaves*, which are hashes and at least one."""
    if len(leaves) == 1:
        return leaves[0]
    left = _left_size(len(leaves))
    return _node(root_of(leaves[:left]), root_of(leaves[left:]))


def path_to(leaves: Sequence[bytes], place: int) -> tuple[bytes, ...]:
    """Return the hashes beside the way from leaf *place* (from 0) to the root, from the leaf up."""
    if len(leaves) == 1:
        return ()
    left = _left_size(len(leaves))
    if place < left:
        return (*path_to(leaves[:left], place), root_of(leaves[left:]))
    return (*path_to(leaves[left:], place - left), root_of(leaves[:left]))


def root_along(leaf: bytes, place: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the root that *path* leads to from *leaf* at *place* of *size* leaves.

    Raises:
        ValueError: No tree of that size has such a path.
    """
    if not 0 <= place < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {place}")
    if size == 1:
        if path:
            raise ValueError("the path is too long")
        return leaf
    if not path:
        raise ValueError("the path is too short")
    left = _left_size(size)
    if place < left:
        return _node(root_along(leaf, place, left, path[:-1]), path[-1])
    return _node(path[-1], root_along(leaf, place - left, size - left, path[:-1]))


def published_root(size: int, root: bytes) -> bytes:
    """Return what is published of a tree: its size is part of it, so no leaf can be added or hidden."""
    return sha256(_PUBLISHED + size.to_bytes(8, "big") + root).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()


def _left_size(size: int) -> int:
    """Return the greatest power of two below *size*."""
    return 1 << (size - 1).bit_length() - 1
