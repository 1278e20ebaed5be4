"""A referee of a later version: a real one, whose messages gain what this version of the API does not know."""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from rummyref.v1 import events_pb2
from rummyref.v1 import play_service_pb2 as pb

LATER: Final = b"\xa2\x38\x05later"
"""A field with number 900, which no message has: its tag, its length, its bytes."""

BEYOND: Final = 777
"""A value that no enum has."""

_PLAY: Final = "/rummyref.v1.PlayService/Play"


class NewerReferee(grpc.GenericRpcHandler):
    """Passes calls on to a real referee, as bytes; what comes back has news in it.

    Attributes:
        address: HOST:PORT.
        sent: Responses passed on, as bytes.
        hello: What the client has said first.
    """

    def __init__(self, behind: str, *, protocol: int | None = None) -> None:
        """Stand before the referee at *behind*; *protocol* replaces the version that hellos name."""
        self.sent: list[bytes] = []
        self.hello = pb.Hello()
        self._protocol = protocol
        self._channel = grpc.insecure_channel(behind)
        self._server = grpc.server(ThreadPoolExecutor(8), handlers=[self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def stop(self) -> None:
        """End every call and close."""
        self._server.stop(0).wait()
        self._channel.close()

    def service(self, handler_call_details: Any) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Serve any method: Play as a stream, all others as unary calls."""
        path = handler_call_details.method
        if path == _PLAY:
            return grpc.stream_stream_rpc_method_handler(self._play)
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self._channel.unary_unary(path)(request, metadata=_token(context)) + LATER
        )

    def _play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        passing: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(_PLAY)
        call = passing(self._asked(requests), metadata=_token(context))

        def gone() -> None:
            call.cancel()

        context.add_callback(gone)
        try:
            for raw in call:
                for sent in (LATER, *told(raw)):
                    self.sent.append(sent)
                    yield sent
        except grpc.RpcError as error:
            context.abort(error.code(), error.details() or "")

    def _asked(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        with contextlib.suppress(grpc.RpcError):  # the client has gone
            for raw in requests:
                request = pb.PlayRequest.FromString(raw)
                if request.HasField("hello"):
                    self.hello = request.hello
                    request.hello.protocol = self._protocol or request.hello.protocol
                yield request.SerializeToString()


def told(raw: bytes) -> Iterator[bytes]:
    """Yield a response with news in all of it, after a notice that has a new reason."""
    notice = pb.Notice(reason=BEYOND, message="something new")  # type: ignore[arg-type]
    yield pb.PlayResponse(notice=notice).SerializeToString()
    response = pb.PlayResponse.FromString(raw)
    if response.HasField("decision"):
        response.decision.offers.insert(0, pb.Decision().offers.add())
        response.decision.offers[0].moves.add().MergeFromString(LATER)  # a move of a new kind, offered first
    if response.HasField("table_over"):
        response.table_over.result.cause = BEYOND  # type: ignore[assignment]
    for event in (*response.decision.events, *response.table_over.events):
        _renew(event)
    _everywhere(response, lambda message: message.MergeFromString(LATER))
    yield response.SerializeToString()


def _renew(event: events_pb2.Event) -> None:
    """Make an event one of a new kind, or give it a new enum value; readers are told that they may skip it."""
    event.skippable = True
    match event.WhichOneof("body"):
        case "round_over":
            event.round_over.end = BEYOND  # type: ignore[assignment]
        case "match_over":
            event.match_over.cause = BEYOND  # type: ignore[assignment]
        case str() as kind:
            event.ClearField(kind)
        case None:
            pass


def _everywhere(message: Message, change: Callable[[Message], object]) -> None:
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                _everywhere(part, change)
    change(message)


def _token(context: grpc.ServicerContext) -> tuple[tuple[str, str | bytes], ...]:
    return tuple((key, value) for key, value in context.invocation_metadata() if key == "authorization")
