"""The referee: the gRPC service, its tables, store and ladders."""

import os
from typing import Final

# The gRPC library writes lines of its own to stderr beside ours unless this is set before it loads.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


VERSION: Final = "0.1.0"
"""Version of the referee, recorded in replays."""
