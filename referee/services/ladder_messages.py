"""Messages of the LadderService from values, and back."""

import json
import math
from typing import TYPE_CHECKING

from google.protobuf.duration_pb2 import Duration

from engine.clock import SECOND_US
from referee.hall import Hall
from referee.ladder.open_ladder import LiveLadder
from referee.ladder.open_results import Played
from referee.ladder.open_spec import OpenSpec
from referee.store.models import OpenEntrant, Trial
from rummyref.v1 import ladder_service_pb2 as pb
from wire.rules import settings_from_messages, settings_to_messages

if TYPE_CHECKING:
    from referee.ladder.lines import Standing, Standings  # needs numpy, which tables of people do not

_DESIGNS = {
    pb.LADDER_DESIGN_UNSPECIFIED: "bridge",
    pb.LADDER_DESIGN_ROTATION: "rotation",
    pb.LADDER_DESIGN_BRIDGE: "bridge",
}


def spec_of(name: str, settings: pb.LadderSettings) -> OpenSpec:
    """Return what *settings* ask for.

    Raises:
        ApiError: `OPTION_INVALID`.
    """
    return OpenSpec.read(
        name,
        settings.preset,
        settings_from_messages(settings.options),
        clock=settings.clock,
        design=_DESIGNS.get(settings.design, f"number {settings.design}"),
        tables=settings.tables,
        sets=settings.sets,
        parallel_tables=settings.parallel_tables,
        field=settings.field,
        patience_s=math.ceil(settings.patience.ToMicroseconds() / SECOND_US),
        skip_trial=settings.skip_trial,
    )


def ladder_message(hall: Hall, ladder: LiveLadder) -> pb.Ladder:
    """Return the message of a ladder."""
    message = pb.Ladder(
        name=ladder.row.name,
        settings=_settings_message(ladder.spec),
        state=_state(ladder),
        season=len(ladder.seasons),
        entrants=[entrant_message(hall, ladder, entrant) for entrant in ladder.entrants.values()],
    )
    message.created_time.FromMicroseconds(ladder.row.created_us)
    return message


def entrant_message(hall: Hall, ladder: LiveLadder, entrant: OpenEntrant) -> pb.Entrant:
    """Return the message of an entrant."""
    trial = ladder.trial_of(entrant)
    return pb.Entrant(
        name=entrant.entrant,
        bot=entrant.bot,
        version=entrant.version,
        owner=hall.players.name_of(entrant.owner_id),
        attending=ladder.attends(entrant),
        withdrawn=entrant.withdrawn,
        player_id=entrant.player_id,
        trial=_trial_state(ladder, trial),
        trial_problem=trial.problem if trial else "",
    )


def standings_message(ladder: LiveLadder, standings: "Standings") -> pb.Standings:
    """Return the message of standings."""
    return pb.Standings(
        ladder=ladder.row.name,
        sets=standings.sets,
        standings=list(map(_standing_message, standings.lines)),
        notes=standings.notes,
    )


def fixture_message(played: Played) -> pb.Fixture:
    """Return the message of a table of a set that is over."""
    return pb.Fixture(
        season=played.season,
        set_number=played.fixture.set_number,
        table_number=played.fixture.table_number,
        table_id=played.fixture.table_id,
        entrants=json.loads(played.fixture.seats),
        totals=played.result.totals,
    )


def _standing_message(line: "Standing") -> pb.Standing:
    message = pb.Standing(
        rank=line.rank,
        entrant=line.entrant,
        points_per_round=line.points_per_round,
        rating=line.rating,
        first_chance=line.first_chance,
        rounds=line.rounds,
        sets=line.sets,
        causes=line.causes,
    )
    if line.interval is not None:
        message.interval.low, message.interval.high = line.interval
    if line.rating_interval is not None:
        message.rating_interval.low, message.rating_interval.high = line.rating_interval
    return message


def _trial_state(ladder: LiveLadder, trial: Trial | None) -> "pb.TrialState.ValueType":
    if not ladder.spec.ladder.trial:
        return pb.TRIAL_STATE_UNSPECIFIED
    if trial is None:
        return pb.TRIAL_STATE_DUE
    return pb.TRIAL_STATE_PASSED if trial.fit else pb.TRIAL_STATE_FAILED


def _state(ladder: LiveLadder) -> "pb.LadderState.ValueType":
    if ladder.row.closed:
        return pb.LADDER_STATE_CLOSED
    return pb.LADDER_STATE_RUNNING if ladder.is_running else pb.LADDER_STATE_WAITING


def _settings_message(spec: OpenSpec) -> pb.LadderSettings:
    manifest = spec.season(spec.ladder.name, {})
    is_bridge = spec.ladder.design == "bridge"
    return pb.LadderSettings(
        preset=spec.ladder.preset,
        options=settings_to_messages(manifest.rules().options),
        clock=spec.ladder.clock,
        design=pb.LADDER_DESIGN_BRIDGE if is_bridge else pb.LADDER_DESIGN_ROTATION,
        tables=manifest.shape.tables if is_bridge else 0,
        sets=spec.ladder.sets,
        parallel_tables=spec.ladder.parallel_tables,
        field=spec.field,
        patience=Duration(seconds=spec.patience_s),
        skip_trial=not spec.ladder.trial,
    )
