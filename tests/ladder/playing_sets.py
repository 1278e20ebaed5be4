"""Sets played in this process, without a referee: the deal, the bots and the results that a ladder would have."""

from collections.abc import Mapping
from statistics import variance

from clients.bots.base import Bot
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

KEY = derive(bytes(32), "sets")


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


def spread_of_duplicates(preset: str, bots: Mapping[str, MakeBot], sets: int) -> float:
    """Return the variance of the first bot's set results over *sets* duplicate sets, times the rounds of a set.

    So many rounds with so much variance each would give the same interval.
    """
    players = len(bots)
    rules = rule_set(preset, {"players": players, "rounds": 1, "draw_streams": True})
    tables = [table for number in range(sets) for table in played_set(rules, number, bots)]
    results = set_results(tables, rules.sense, rotation(players))
    return players * variance(results[next(iter(bots))].values())


def spread_of_deals(preset: str, bots: Mapping[str, MakeBot], deals: int) -> float:
    """Return the variance of the first bot's margins over *deals* independent deals, seats taken in turn."""
    names = tuple(bots)
    rules = rule_set(preset, {"players": len(names), "rounds": 1})
    found = []
    for number in range(deals):
        turn = number % len(names)
        table = played_table(rules, number, names[-turn:] + names[:-turn] if turn else names, bots)
        found.append(margins(table.result, rules.sense)[0][table.entrants.index(names[0])])
    return variance(found)
