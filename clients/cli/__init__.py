"""The `rummyref` command."""
