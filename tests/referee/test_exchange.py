"""The exchange of nonces: whatever is sent, no party knows another's nonce before its own is bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record.deal import nonce_hash
from referee.tables.exchange import Exchange, ExchangeError

PARTIES = ("a", "b", "c")
NONCE = {party: party.encode() * 32 for party in PARTIES}

parts = st.sampled_from([*NONCE.values(), *map(nonce_hash, NONCE.values()), b"", b"short", bytes(32)])
steps = st.lists(
    st.tuples(st.sampled_from([*PARTIES, "stranger"]), st.booleans(), parts) | st.just("bind"), max_size=20
)


@given(steps)
def test_nothing_sent_breaks_the_order(order: list[tuple[str, bool, bytes] | str]) -> None:
    """Hashes only before they are complete, never changed; nonces only after, each what its hash is of."""
    exchange = Exchange(PARTIES)
    for step in order:
        if isinstance(step, str):
            exchange.bound = True
            continue
        party, is_nonce, part = step
        before = dict(exchange.hashes)
        try:
            (exchange.open if is_nonce else exchange.send_hash)(party, part)
        except ExchangeError:
            assert exchange.hashes == before
        assert {name: exchange.hashes[name] for name in before} == before
        assert exchange.bound or not exchange.nonces
    assert set(exchange.hashes) <= set(PARTIES)
    assert all(nonce_hash(nonce) == exchange.hashes[party] for party, nonce in exchange.nonces.items())
    assert exchange.all_opened == (exchange.nonces.keys() == exchange.hashes.keys())
    assert (exchange.culprit is None) == (exchange.all_opened and exchange.broken is None)


def test_the_first_to_break_it_is_the_culprit() -> None:
    """A false nonce is not mended by the right one, and a later silence is not blamed."""
    exchange = Exchange(PARTIES, {party: nonce_hash(nonce) for party, nonce in NONCE.items()})
    exchange.open("b", bytes(32))
    exchange.open("b", NONCE["b"])
    assert exchange.culprit == "b"
    with pytest.raises(ExchangeError, match="complete"):
        exchange.send_hash("a", bytes(32))
