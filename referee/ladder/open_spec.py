"""What an open ladder plays: one for bots that attend by themselves, played in seasons."""

from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic import Field, ValidationError

from engine.clock import PROFILES
from engine.rules.options import OptionError, Options
from engine.rules.registry import rule_set
from referee.errors import ApiError
from referee.ladder.manifest import EntrantSpec, LadderSpec, Manifest
from referee.ladder.policy import Strict

SETS: Final = 100
"""Sets of a season, unless the organiser says otherwise."""

PATIENCE_S: Final = 3_600
"""Seconds for which an entrant that has gone away is waited for, unless the organiser says otherwise."""

TABLES: Final = 2
"""Tables that play one deal in a bridge, unless the organiser says otherwise."""

_MONTH_S: Final = 30 * 24 * 3_600


class OpenSpec(Strict):
    """What an open ladder plays.

    Attributes:
        ladder: Of each season; `name` is that of the open ladder, `sets` are those of a season.
        field: Entrants that attend when a season begins, at least.
        patience_s: Seconds for which an entrant that has gone away is waited for.
    """

    ladder: LadderSpec
    field: int = Field(ge=2, le=1000)
    patience_s: int = Field(ge=1, le=_MONTH_S)

    @classmethod
    def read(cls, name: str, preset: str, options: Options, **more: Any) -> Self:
        """Return the checked spec of what an organiser asks for.

        Args:
            name: Of the ladder.
            preset: Of the rules.
            options: Those that differ from the preset; `rounds` is 1 and `draw_streams` true unless said.
            more: Keys of `LadderSpec`, and `field`, `patience_s` and `skip_trial`; a value that is None, 0 or False
                is not said.

        Raises:
            ApiError: `OPTION_INVALID`.
        """
        said = {key: value for key, value in more.items() if value}
        field, patience_s = said.pop("field", 0), said.pop("patience_s", PATIENCE_S)
        trial = not said.pop("skip_trial", False)
        ladder = {"name": name, "preset": preset, "sets": SETS, "trial": trial, **_typed(preset, options), **said}
        if ladder.get("design", "bridge") == "bridge":
            ladder = {"design": "bridge", "tables": TABLES, **ladder}
        try:
            spec = LadderSpec.model_validate(ladder)
            needed = Manifest(ladder=spec, entrant=[]).shape.entrants
            read = cls.model_validate({"ladder": spec, "field": max(field, needed), "patience_s": patience_s})
        except ValidationError as wrong:
            first = wrong.errors()[0]
            option = ".".join(str(part) for part in first["loc"])
            raise ApiError("OPTION_INVALID", f"{option}: {first['msg']}", option=option) from wrong
        read.check()
        return read

    def check(self) -> None:
        """Refuse what each value allows and all together do not.

        Raises:
            ApiError: `OPTION_INVALID`.
        """
        timed = [name for name, clock in PROFILES.items() if clock.timed]
        if self.ladder.clock not in timed:
            problem = f"unknown clock {self.ladder.clock} for a ladder; there are {', '.join(timed)}"
            raise ApiError("OPTION_INVALID", problem, option="clock")
        if self.ladder.design == "rotation" and self.ladder.tables is not None:
            raise ApiError("OPTION_INVALID", "tables is for a bridge; a rotation has one a seat", option="tables")

    def season(self, name: str, owners: Mapping[str, str]) -> Manifest:
        """Return the manifest of the season *name* with the entrants of *owners*, owner by entrant."""
        field = [EntrantSpec(name=entrant, owner=owner) for entrant, owner in owners.items()]
        return Manifest(ladder=self.ladder.model_copy(update={"name": name}), entrant=field)


def _typed(preset: str, options: Options) -> dict[str, Any]:
    """Return *options* as keys of `LadderSpec`, values typed."""
    length = {} if {"rounds", "target"} & set(options) else {"rounds": 1}
    try:
        values = rule_set(preset, {"draw_streams": True, **length, **options}).options
    except OptionError as wrong:
        raise ApiError("OPTION_INVALID", str(wrong)) from wrong
    own = {name: values[name] for name in (*length, *options) if name not in ("players", "draw_streams")}
    return {"players": values["players"], "draw_streams": values["draw_streams"], "options": own}
