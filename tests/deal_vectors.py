"""The test vectors of deals for docs/: `python -m tests.deal_vectors` writes them anew."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.cards import Card
from engine.record.deal import Batch, Secret, nonce_hash, nonces_of
from engine.record.entry_json import to_json
from engine.rules.registry import rule_set

FILE = Path(__file__).parents[1] / "docs" / "deal-vectors.json"


def secret(name: str) -> bytes:
    """Return a secret that anybody can make again."""
    return sha256(name.encode()).digest()


def vector(name: str, preset: str, nonces: list[bytes], reveal: Any, dealt_round: int) -> dict[str, object]:
    """Return a vector: what a replay shows, and the cards that follow from it."""
    rules = rule_set(preset, {})
    of = Secret.of(reveal)
    texts = [nonce.hex() for nonce in nonces] + [""] * (rules.players - len(nonces))
    dealing = of.dealing(name, nonces_of(texts))
    deck = dealing.deck(rules.deck, dealt_round)
    pile = deck[5:29]
    return {
        "name": name,
        "header": {"match": name, "commitment": of.commitment(name), "options": dict(rules.options)},
        "hashes": [nonce_hash(bytes.fromhex(text)).hex() if text else "" for text in texts],
        "nonces": texts,
        "reveal": to_json(reveal),
        "round": dealt_round,
        "deck": _texts(deck),
        "dealer": _texts(dealing.dealer_deck(rules.deck)),
        "reshuffle": {"count": 1, "pile": _texts(pile), "stock": _texts(dealing.reshuffle(pile, dealt_round, 1))},
    }


def _texts(cards: Sequence[Card]) -> str:
    return " ".join(card.text for card in cards)


def vectors() -> list[dict[str, object]]:
    """Return the vectors: tables with and without nonces, and tables of sets, with suits relabelled or not."""
    batch = Batch(200, tuple(secret(f"set {number}") for number in range(200, 207)))
    entrants = [secret("nonce of a"), secret("nonce of b")]
    seed = batch.seed(204, entrants)
    proof = batch.proof(204, entrants)
    return [
        vector("t-plain", "remi", [], Secret(secret("plain")).reveal(), 0),
        vector("t-later-round", "remi-joker-karo", [], Secret(secret("later")).reveal(), 7),
        vector("t-nonces", "remik", [secret("nonce 0"), b"", secret("nonce 2")], Secret(secret("own")).reveal(), 0),
        vector("t-set-0", "closed-rummy", [], Secret(seed, 0).reveal(proof), 0),
        vector("t-set-3", "closed-rummy-duel", [], Secret(seed, 3, relabelled=True).reveal(proof), 2),
    ]


def shown() -> str:
    """Return the vectors as the file has them."""
    return json.dumps(vectors(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(shown(), "utf-8")
