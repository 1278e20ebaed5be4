"""Bots: the base class, the runner, and the bots that come with rummyref."""
