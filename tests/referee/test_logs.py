"""Logs: one line an event, and never a hand, a secret or a token."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from clients.messages import Asked, Over
from clients.session import Session, Wishes
from engine.cards import listed
from engine.stand_in import greedy
from tests.referee.process import ROOT

A_CARD: Final = r"\b(?:[2-9TJQKA][SHDC]|JK|CARD_[A-Z_]+)\b"
"""A card by itself, in notation or as the API names it."""


def test_logs_hold_no_secret(tmp_path: Path) -> None:
    """A whole match at log level debug: JSON lines without cards, seeds and tokens."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"}
    command = [sys.executable, "-m", "referee", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data")]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--log-level", "debug", "--log-format", "json"],
            stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env=env,
        )  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("listening on ").strip()
        session = Session(address, "", Wishes(capacity=1))
        session.register("anna")
        other = Session(address, "", Wishes(capacity=1))
        other.register("ben")
        table_id = session.create_table("remi", {"players": 2, "rounds": 1}, "untimed", "minimal")
        session.take_seat(table_id)
        other.take_seat(table_id)
        hands = play_both(session, other)
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()
    text = (tmp_path / "log").read_text("utf-8")
    events = [json.loads(line)["event"] for line in text.splitlines()]
    assert {"referee_started", "match_started", "match_ended"} <= set(events)
    assert session.token not in text
    assert hands
    assert not any(hand in text for hand in hands)
    assert re.search(A_CARD, next(iter(hands)))
    assert re.findall(A_CARD, text) == []
    secret = json.loads((tmp_path / "data" / "replays" / f"{table_id}.rummy.jsonl").read_text().splitlines()[-2])
    assert secret["entry"]["secret"] not in text


FAILURE: Final = """
import sys
import structlog
from referee.log import configure

def fail(secret):
    raise ValueError("a bug")

configure("info", sys.argv[1])
try:
    fail("".join(["5e", "ed"]) * 16)
except ValueError as failure:
    structlog.get_logger().exception("table_failed")
    structlog.get_logger().error("ladder_failed", exc_info=failure)
"""


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_failure_is_logged_with_its_place_and_no_values(style: str) -> None:
    """A fault of ours is to be found by its log; what was held where it happened is nobody's business."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"}
    done = subprocess.run(
        [sys.executable, "-c", FAILURE, style], capture_output=True, text=True, cwd=ROOT, env=env, check=True
    )  # fmt: skip
    assert done.stderr.count("ValueError: a bug") == 2
    assert done.stderr.count("in fail") == 2
    assert "5eed" not in done.stderr
    if style == "json":
        assert [json.loads(line)["event"] for line in done.stderr.splitlines()] == ["table_failed", "ladder_failed"]


def play_both(session: Session, other: Session) -> set[str]:
    """Play both seats greedily and return every hand that was held, in notation."""
    import threading

    hands: set[str] = set()

    def play(player: Session) -> None:
        for message in player.messages():
            if isinstance(message, Asked):
                hands.add(" ".join(card.text for card in listed(message.view.hand)))
                player.submit(message, greedy(message.view.position))
            elif isinstance(message, Over):
                player.close()

    threads = [threading.Thread(target=play, args=(player,)) for player in (session, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return hands
