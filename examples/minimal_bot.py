"""The shortest bot: sends back one of the offered plays. Address and token come from the environment."""

import os
import queue
import random

import grpc

from rummyref.v1 import play_service_pb2 as api
from rummyref.v1.play_service_pb2_grpc import PlayServiceStub


def play(stub: PlayServiceStub, token: str) -> None:
    """Answer decisions until the stream ends."""
    outbox = queue.SimpleQueue[api.PlayRequest]()
    hello = api.Hello(protocol=1, client_name="minimal", capacity=8, delivery=api.DELIVERY_GATHERED, want_offers=True)
    outbox.put(api.PlayRequest(hello=hello))
    metadata = (("authorization", f"Bearer {token}"),)
    for message in stub.Play(iter(outbox.get, None), metadata=metadata, wait_for_ready=True):
        if message.HasField("decision"):
            asked = message.decision
            answer = api.Submit(table_id=asked.table_id, seat=asked.seat, decision_id=asked.decision_id, attempt=1)
            answer.play.CopyFrom(random.choice(asked.offers))  # noqa: S311 - a game, no secret
            outbox.put(api.PlayRequest(submit=answer))


def main() -> None:
    """Play, and come back to the same seats when the connection breaks."""
    with grpc.insecure_channel(os.environ["RUMMYREF_ADDRESS"]) as channel:
        while True:
            try:
                return play(PlayServiceStub(channel), os.environ["RUMMYREF_TOKEN"])
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise


if __name__ == "__main__":
    main()
