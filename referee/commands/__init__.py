"""Commands that run a referee; the `rummyref` command loads them by name."""
