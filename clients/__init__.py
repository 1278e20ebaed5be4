"""Clients of a referee: the session, bots, and the `rummyref` command."""

import os

# The gRPC library writes lines of its own to stderr beside ours unless this is set before it loads.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
