"""The record of a match: entries, canonical bytes, hash chains, replay files, audit.

Usable without a referee: knows no table and no database.
"""
