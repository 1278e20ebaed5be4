"""Clients of a referee: the session, bots, and the `rummyref` command."""
