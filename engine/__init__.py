"""Rules, state and record of rummy games: pure values and functions.

Nothing here does I/O, reads a clock or draws a random number; randomness comes
in as a seed, time as integer microseconds.
"""
