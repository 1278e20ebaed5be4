"""A player's connection to a referee: the only user of the stubs."""

from clients.session.channel import SYSTEM_CA, SessionError, from_environment
from clients.session.player import Session, Wishes
from clients.session.raw import RawSession

__all__ = ["SYSTEM_CA", "RawSession", "Session", "SessionError", "Wishes", "from_environment"]
