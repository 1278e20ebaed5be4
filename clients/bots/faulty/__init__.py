"""Bots that misbehave, each in one way and with one outcome that a ladder must have.

Between their faults they play greedily. They are runners rather than bots, since
what they get wrong is the conversation and not the cards. `catalogue` lists them
all with what must come of each.
"""
