"""Scenarios: text that sets up a position and says what must happen in it."""
