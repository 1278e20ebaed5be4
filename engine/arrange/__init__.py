"""Meld search: what a hand is worth and how it can be laid."""
