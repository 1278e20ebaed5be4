"""Takes its seats, reads everything, and never answers.

In a ladder: its clock runs out in every turn (`time_out`) until three of these are
a forfeit of the match (`strikes`).
"""

from clients.bots.runner import Runner
from clients.messages import Asked


class SilentRunner(Runner):
    """Leaves every decision to its clock."""

    def _play(self, asked: Asked, attempt: int) -> None:
        """Say nothing."""
