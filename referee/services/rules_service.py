"""RulesService: rule sets and the meld search, for bots in any language."""

from typing import Any

import grpc

from engine.reasons import RuleViolation
from engine.rules.options import OptionError
from engine.rules.registry import presets, rule_set
from engine.rules.ruleset import RuleSet
from referee.errors import ApiError
from referee.services.calls import refusing
from referee.services.turns import Turns
from rummyref.v1 import rules_service_pb2 as pb
from rummyref.v1 import rules_service_pb2_grpc
from wire.arrange import answer, question
from wire.rules import rule_set_to_message, settings_from_messages


class RulesService(rules_service_pb2_grpc.RulesServiceServicer):
    """Answers from the rules alone; needs no token."""

    def __init__(self) -> None:
        """Search nothing yet."""
        self._searches = Turns()

    @refusing
    async def ListRuleSets(  # noqa: N802 - the RPC's name
        self,
        request: pb.ListRuleSetsRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> pb.ListRuleSetsResponse:
        """Return every preset with its default options."""
        return pb.ListRuleSetsResponse(rule_sets=[rule_set_to_message(rule_set(name)) for name in presets()])

    @refusing
    async def GetRuleSet(  # noqa: N802 - the RPC's name
        self,
        request: pb.GetRuleSetRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> pb.GetRuleSetResponse:
        """Return one preset with options set. Raises `OPTION_INVALID`."""
        return pb.GetRuleSetResponse(rule_set=rule_set_to_message(_rules(request.preset, request.options)))

    @refusing
    async def Arrange(  # noqa: N802 - the RPC's name
        self,
        request: pb.ArrangeRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> pb.ArrangeResponse:
        """Answer what a hand is worth. Raises `OPTION_INVALID`, `CARD_MALFORMED`.

        One search at a time, beside the tables: a hand of many cards and jokers takes
        long, and no clock may stand still for anybody. Peers take turns.
        """
        rules = _rules(request.preset, request.options)
        try:
            asked = question(request, rules)
            return await self._searches.take(context.peer(), lambda: answer(rules, asked))
        except RuleViolation as refused:
            raise ApiError.of(refused.violation) from refused


def _rules(preset: str, options: Any) -> RuleSet:
    try:
        return rule_set(preset, settings_from_messages(options))
    except OptionError as wrong:
        raise ApiError("OPTION_INVALID", str(wrong)) from wrong
