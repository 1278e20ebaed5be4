"""The shortest bot: sends back one of the offered plays. Address, token and CA come from the environment."""

import os
import pathlib
import queue
import random

import grpc

from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub


def play(stub: PlayServiceStub, token: str) -> None:
    """Answer decisions until the stream ends."""
    outbox = queue.SimpleQueue[pb.PlayRequest]()
    outbox.put(pb.PlayRequest(hello=pb.Hello(protocol=1, capacity=8, delivery=pb.DELIVERY_GATHERED, want_offers=True)))
    messages = stub.Play(iter(outbox.get, None), metadata=(("authorization", f"Bearer {token}"),), wait_for_ready=True)
    for asked in (message.decision for message in messages if message.HasField("decision")):
        answer = pb.Submit(table_id=asked.table_id, seat=asked.seat, decision_id=asked.decision_id, attempt=1)
        answer.play.CopyFrom(random.choice(asked.offers))  # noqa: S311 - a game, no secret
        outbox.put(pb.PlayRequest(submit=answer))


def main() -> None:
    """Play, and come back to the same seats when the connection breaks."""
    address, ca = os.environ["RUMMYREF_ADDRESS"], os.environ.get("RUMMYREF_CA")
    tls = grpc.ssl_channel_credentials(None if ca == "system" else pathlib.Path(ca).read_bytes()) if ca else None
    with grpc.secure_channel(address, tls) if tls else grpc.insecure_channel(address) as channel:
        while True:
            try:
                play(PlayServiceStub(channel), os.environ["RUMMYREF_TOKEN"])
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise SystemExit(error.details()) from None


if __name__ == "__main__":
    main()
