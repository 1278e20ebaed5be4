"""Sets played in this process, without a referee: the deal, the bots and the results that a ladder would have."""

import random
from collections.abc import Mapping
from statistics import variance
from typing import Final, NamedTuple

from clients.bots.base import Bot
from clients.bots.cautious import CautiousBot
from clients.bots.greedy import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.bots.runner import MakeBot
from engine.match import apply, start
from engine.moves import Play
from engine.offers import offered
from engine.record.deal import NO_NONCE, Secret
from engine.record.entries import Result
from engine.rules.registry import rule_set
from engine.rules.ruleset import RuleSet
from engine.shuffle import derive
from engine.views import SeatView, seat_view
from referee.ladder.fixtures import rotation
from referee.ladder.margins import TableResult, margins, set_results

KEY: Final = derive(bytes(32), "sets")
_RESAMPLES: Final = 400
_LAPSE: Final = 8


def played_set(rules: RuleSet, number: int, bots: Mapping[str, MakeBot]) -> list[TableResult]:
    """Play set *number*: one deal, as many tables as seats, *bots* turned by one seat from table to table."""
    names = tuple(bots)
    return [
        played_table(rules, number, names[-turn:] + names[:-turn] if turn else names, bots, turn)
        for turn in range(len(names))
    ]


def played_table(
    rules: RuleSet, number: int, names: tuple[str, ...], bots: Mapping[str, MakeBot], table: int = 0
) -> TableResult:
    """Play table *table* of set *number* to its end, *names* by seat."""
    secret = Secret(derive(KEY, "set", number), table, relabelled=True)
    nonces = [NO_NONCE] * rules.players
    players = [bots[name](rules, secret.bot_seed("", nonces, seat)) for seat, name in enumerate(names)]
    match, _ = start(rules, secret.dealing("", nonces))
    while match.turn is not None:
        view = seat_view(match, match.turn)
        match, _ = apply(match, match.turn, _chosen(players[match.turn], view))
    points = tuple(played.points for played in match.history)
    return TableResult(number, names, Result(points, match.totals, (), (), ()))


def _chosen(bot: Bot, view: SeatView) -> Play:
    """Return the play of *bot*; only bots that draw among the offers are given them."""
    return bot.play(view, offered(view.position) if isinstance(bot, RandomBot) else ())


class LapsingBot(CautiousBot):
    """Another version of the cautious bot, a little weaker: greedy in every eighth decision. For one round."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        """Sit down."""
        super().__init__(rules, seed)
        self._greedy = GreedyBot(rules, seed)
        self._decisions = 0

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return the greedy play or the cautious one."""
        self._decisions += 1
        if self._decisions % _LAPSE == 0:
            return self._greedy.play(view, offers)
        return super().play(view, offers)


def results_of_duplicates(preset: str, bots: Mapping[str, MakeBot], sets: int) -> list[float]:
    """Return the first bot's results of *sets* duplicate sets of a round a table."""
    players = len(bots)
    rules = rule_set(preset, {"players": players, "rounds": 1, "draw_streams": True})
    tables = [table for number in range(sets) for table in played_set(rules, number, bots)]
    return list(set_results(tables, rules.sense, rotation(players))[next(iter(bots))].values())


def margins_of_deals(preset: str, bots: Mapping[str, MakeBot], deals: int) -> list[float]:
    """Return the first bot's margins over *deals* independent deals of a round, seats taken in turn."""
    names = tuple(bots)
    rules = rule_set(preset, {"players": len(names), "rounds": 1})
    found = []
    for number in range(deals):
        turn = number % len(names)
        table = played_table(rules, number, names[-turn:] + names[:-turn] if turn else names, bots)
        found.append(margins(table.result, rules.sense)[0][table.entrants.index(names[0])])
    return found


class Share(NamedTuple):
    """Rounds that duplicate sets need, as a share of those that independent deals need for the same interval.

    Attributes:
        share: As measured.
        low: Lower end of its 95 % interval, found by resampling.
        high: Upper end.
    """

    share: float
    low: float
    high: float


def share_of_rounds(sets: list[float], deals: list[float], players: int, chance: random.Random) -> Share:
    """Return the share of rounds, given results of *sets* of as many rounds as *players*, and margins of *deals*."""
    share = players * variance(sets) / variance(deals)
    again = sorted(
        players * variance(chance.choices(sets, k=len(sets))) / variance(chance.choices(deals, k=len(deals)))
        for _ in range(_RESAMPLES)
    )
    cut = _RESAMPLES // 40
    return Share(share, again[cut], again[-cut - 1])
