"""The checker of docs/, in another language, agrees with the vectors, with real replays, and finds what was changed."""

import json
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from engine.record.chain import lines_in
from engine.record.deal import Secret, nonces_of
from engine.record.entries import Dealt, Header, Reveal
from engine.record.replay import entry_bytes, only_entries, read
from engine.rules.registry import presets, rule_set
from tests import deal_vectors
from tests.cli.command import ROOT
from tests.cli.replaying import rechained
from tests.cli.test_replay_signatures import signed
from tests.engine.recording import entries_of

CHECKER = ROOT / "docs" / "check-deal.js"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: the checker of docs/ is not run")


def checked(*files: Path) -> tuple[int, str]:
    """Return exit code and output of the checker."""
    ran = subprocess.run([str(NODE), str(CHECKER), *map(str, files)], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


def test_the_vectors_are_those_of_the_engine() -> None:
    """The file in docs/ is what `python -m tests.deal_vectors` writes."""
    assert deal_vectors.FILE.read_text("utf-8") == deal_vectors.shown()


def test_the_checker_is_short() -> None:
    """A stranger reads it in a minute: no more than 100 lines, and nothing but the standard library."""
    text = CHECKER.read_text("utf-8")
    assert len(text.splitlines()) <= 100
    assert set(re.findall(r'require\("(.*?)"\)', text)) == {"crypto", "fs"}


@needs_node
def test_the_vectors_agree(tmp_path: Path) -> None:
    """Each vector is found right, and wrong once a deck, a stock or a nonce is another."""
    code, said = checked(deal_vectors.FILE)
    assert (code, said.strip()) == (0, f"{deal_vectors.FILE}: ok")
    for number in range(len(deal_vectors.vectors())):
        for change in (
            {"deck": "AS"},
            {"dealer": "AS"},
            {"reshuffle": {"count": 1, "pile": "AS 2S 3S", "stock": "AS AS AS"}},
            {"nonces": ["00" * 32]},
        ):
            vectors = deal_vectors.vectors()
            vectors[number].update(change)
            file = tmp_path / "vectors.json"
            file.write_text(json.dumps(vectors))
            code, said = checked(file)
            assert code == 1
            assert str(vectors[number]["name"]) in said


@needs_node
def test_replays_of_every_preset_agree(tmp_path: Path) -> None:
    """Chain, signature and deal are found good, and the first deck is the one that the engine dealt."""
    files, decks = [], []
    for preset in presets():
        entries = list(entries_of(preset, 1))
        header, dealt, reveal = entries[0], entries[1], entries[-1]
        assert isinstance(header, Header)
        assert isinstance(dealt, Dealt)
        assert isinstance(reveal, Reveal)
        dealing = Secret.of(reveal).dealing(header.match_id, nonces_of(dealt.nonces))
        rules = rule_set(header.preset, header.options)
        decks.append(" ".join(card.text for card in dealing.deck(rules.deck, 0)))
        files.append(tmp_path / f"{preset}.rummy.jsonl")
        files[-1].write_text("".join(signed(entries, 0)), "utf-8")
    code, said = checked(*files)
    assert code == 0, said
    assert [line.partition("first deck ")[2] for line in said.splitlines() if "first deck" in line] == decks
    assert said.count(": ok") == len(files)


@needs_node
def test_old_replays_agree() -> None:
    """Of every format and version of the rules, and what was void before its deal: all good, and the decks as dealt."""
    files, decks = sorted((ROOT / "tests" / "replays").glob("format-*/*.rummy.jsonl")), []
    for file in files:
        with file.open("rb") as raw:
            played = list(only_entries(read(lines_in(raw))))
        header, reveal = played[0].entry, played[-1].entry
        assert isinstance(header, Header)
        assert isinstance(reveal, Reveal)
        nonces = next(
            (line.entry.nonces for line in played if isinstance(line.entry, Dealt)), ("",) * len(header.seats)
        )
        dealing, rules = (
            Secret.of(reveal).dealing(header.match_id, nonces_of(nonces)),
            rule_set(header.preset, header.options),
        )
        decks.append(" ".join(card.text for card in dealing.deck(rules.deck, 0)))
    code, said = checked(*files)
    assert code == 0, said
    assert [line.partition("first deck ")[2] for line in said.splitlines() if "first deck" in line] == decks


@needs_node
def test_a_nonce_more_than_there_are_seats_is_found(tmp_path: Path) -> None:
    """One whose hash is there, too: with it a referee could try deals until one pleases."""
    (file,) = (ROOT / "tests" / "replays").glob("format-2/remi-jokers-table.rummy.jsonl")
    bodies = [json.loads(line)["entry"] for line in file.read_text("utf-8").splitlines()[:-1]]
    bodies[1]["hashes"].append(sha256(bytes(32)).hexdigest())
    bodies[2]["nonces"].append("00" * 32)
    forged = tmp_path / "forged.rummy.jsonl"
    forged.write_text("".join(rechained(bodies)), "utf-8")
    code, said = checked(forged)
    assert (code, said.strip().endswith("BAD: a nonce of nobody's")) == (1, True), said


@needs_node
def test_what_was_changed_is_found(tmp_path: Path) -> None:
    """Another secret, proof, nonce, entry or signature: one line each that says which."""
    lines = signed(list(entries_of("remi", 1)), 0)
    reveal = json.loads(lines[-2])["entry"]
    other = "ab" * 32
    changes = {
        "another secret was committed to": (-2, reveal["secret"]),
        "give another seed": (-2, reveal["proof"]["nonces"][0]),
        "leads to another root": (-2, reveal["proof"]["path"][0]),
        "breaks the chain": (3, json.loads(lines[3])["head"]),
        "the signature is not one": (-1, json.loads(lines[-1])["signature"][:64]),
    }
    for problem, (at, old) in changes.items():
        changed = list(lines)
        changed[at] = changed[at].replace(old, other)
        file = tmp_path / "changed.rummy.jsonl"
        file.write_text("".join(changed), "utf-8")
        code, said = checked(file)
        assert code == 1
        assert problem in said
    assert entry_bytes(entries_of("remi", 1)[0]).decode() in lines[0]
