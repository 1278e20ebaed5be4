"""Merkle trees as RFC 6962 hashes them, with paths that lead to the root and to no other."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record.merkle import leaf_hash, path_to, published_root, root_along, root_of

INPUTS = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip

ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Roots over the first 1 to 8 of these inputs, as implementations of certificate transparency publish them."""


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_the_standard(size: int) -> None:
    """The well-known inputs give the well-known roots."""
    assert root_of([leaf_hash(data) for data in INPUTS[:size]]).hex() == ROOTS[size - 1]


@given(st.integers(1, 70), st.data())
def test_each_leaf_has_one_way_to_the_root(size: int, data: st.DataObject) -> None:
    """Its path leads there; from another place, in another size, with another leaf or hash it does not."""
    leaves = [leaf_hash(bytes([number])) for number in range(size)]
    place = data.draw(st.integers(0, size - 1))
    root, path = root_of(leaves), path_to(leaves, place)
    assert root_along(leaves[place], place, size, path) == root
    assert root_along(leaf_hash(b"x"), place, size, path) != root
    for other in range(len(path)):
        changed = [*path[:other], sha256(path[other]).digest(), *path[other + 1 :]]
        assert root_along(leaves[place], place, size, changed) != root
    for elsewhere in range(size):
        if elsewhere != place:
            try:
                assert root_along(leaves[place], elsewhere, size, path) != root
            except ValueError:
                continue


def test_a_path_of_another_length_is_none() -> None:
    """Too long, too short, and a leaf outside the tree."""
    leaves = [leaf_hash(bytes([number])) for number in range(5)]
    path = path_to(leaves, 2)
    for place, size, wrong in ((2, 5, path[:-1]), (2, 5, (*path, path[0])), (5, 5, path), (-1, 5, path), (0, 1, path)):
        with pytest.raises(ValueError, match=r"path|leaf"):
            root_along(leaves[2], place, size, wrong)


def test_the_size_is_part_of_what_is_published() -> None:
    """A tree cannot pass for one with more or fewer leaves."""
    root = root_of([leaf_hash(b"a"), leaf_hash(b"b")])
    assert len({published_root(size, root) for size in range(1, 100)}) == 99
