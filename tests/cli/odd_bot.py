"""Bots that get the conversation wrong, for the doctor to find; the argument says how."""

import os
import sys
from collections.abc import Iterator

import grpc

from clients.bots.greedy import GreedyBot
from clients.bots.runner import Runner
from clients.messages import Broken, Incoming
from clients.session import Session, from_environment
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub


class Quitting(Session):
    """Takes a broken connection for the end."""

    def messages(self) -> Iterator[Incoming]:
        """Yield what the referee says until the connection breaks."""
        for message in super().messages():
            if isinstance(message, Broken):
                os._exit(0)
            yield message


def quits_when_cut() -> None:
    """Play until the connection breaks."""
    given = from_environment()
    Runner(Quitting(given.address, given.token), GreedyBot).run()


def other_version() -> None:
    """Say hello in a protocol of the future."""
    given = from_environment()
    with grpc.insecure_channel(given.address) as channel:
        hello = iter([pb.PlayRequest(hello=pb.Hello(protocol=99))])
        list(PlayServiceStub(channel).Play(hello, metadata=(("authorization", f"Bearer {given.token}"),)))


def guest() -> None:
    """Register anew instead of using the token."""
    session = Session(from_environment().address, "")
    session.register("guest")
    Runner(session, GreedyBot).run()


if __name__ == "__main__":
    {"quits-when-cut": quits_when_cut, "other-version": other_version, "guest": guest}[sys.argv[1]]()
