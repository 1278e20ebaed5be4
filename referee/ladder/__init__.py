"""Ladders: fixtures, standings and the scheduler that plays them."""
