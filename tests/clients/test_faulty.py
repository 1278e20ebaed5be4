"""Bots that misbehave do it at each table by itself, so that what comes of it does not hang on what else they play."""

from types import SimpleNamespace
from typing import Any

import pytest

from clients.bots.faulty.streams import ReconnectStorm
from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.messages import Asked


def test_cuts_of_one_table_do_not_begin_anew_with_those_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both decisions come again with every new stream; each is answered once its own cuts are made."""
    cuts, answered = [], set[str]()

    def answer(_runner: Runner, asked: Asked, _attempt: int) -> None:
        answered.add(asked.seat.table_id)

    monkeypatch.setattr(Runner, "_play", answer)
    session: Any = SimpleNamespace(break_stream=lambda: cuts.append(1))
    storm = ReconnectStorm(session, GreedyBot)
    due: Any = [SimpleNamespace(seat=SimpleNamespace(table_id=name), decision_id=number) for name, number in
                (("first", 4), ("second", 8))]  # fmt: skip
    while len(answered) < len(due):
        for asked in due:
            if asked.seat.table_id not in answered:
                storm._play(asked, 1)
        assert len(cuts) <= 10, "it cuts for ever"
    assert len(cuts) == 4
