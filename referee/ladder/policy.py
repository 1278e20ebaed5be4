"""What misconduct costs in a ladder: its `[ladder.policy]`, and the base of everything read from its file."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.record.entries import Cause

FaultPrice = Literal["strike", "forfeit"]


class Strict(BaseModel):
    """Something read from a ladder file: unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Policy(Strict):
    """What misconduct costs.

    Attributes:
        illegal: What a decision without a legal answer costs once the stand-in has played it.
        time_out: What a decision without an answer in time costs, likewise.
        strikes: Strikes in a match that forfeit the rest of it.
        restarts: Times a bot whose process has ended is started again in one run.
        bad_share: Share of an entrant's rounds above which it is withdrawn if they were bad; 1 for never.
        bad_after: Rounds that an entrant plays before its share counts.
        void_again: Times in a row that a set is played again after faults of the referee.
    """

    illegal: FaultPrice = "strike"
    time_out: FaultPrice = "strike"
    strikes: int = Field(default=3, ge=1, le=1000)
    restarts: int = Field(default=1, ge=0, le=1000)
    bad_share: float = Field(default=0.1, ge=0, le=1)
    bad_after: int = Field(default=20, ge=1)
    void_again: int = Field(default=3, ge=0, le=100)

    def forfeits(self) -> frozenset[Cause]:
        """Return the faults that forfeit the round at once."""
        return frozenset(cause for cause, price in self._prices() if price == "forfeit")

    def _prices(self) -> list[tuple[Cause, FaultPrice]]:
        return [(Cause.ILLEGAL, self.illegal), (Cause.TIME_OUT, self.time_out)]


class Limits(Strict):
    """What a bot's process, and each that it starts, may use of the machine; None for as much as there is.

    Attributes:
        cpu_s: Seconds of CPU time in all; the process is killed beyond it.
        memory_mb: Mebibytes of memory of its own; more is not given.
        open_files: Files and sockets open at once; more are not opened.
    """

    cpu_s: int | None = Field(default=None, ge=1)
    memory_mb: int | None = Field(default=None, ge=1)
    open_files: int | None = Field(default=None, ge=16)

    def over(self, common: "Limits") -> "Limits":
        """Return these limits, those of *common* where there are none."""
        return common.model_copy(update=self.model_dump(exclude_none=True))
