"""The referee: the gRPC service, its tables, store and ladders."""

from typing import Final

VERSION: Final = "0.1.0"
"""Version of the referee, recorded in replays."""
