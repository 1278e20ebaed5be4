"""A session that can also say what no honest client says: for bots that test a referee."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format

from clients.messages import Incoming, SeatInfo
from clients.session.player import Session
from rummyref.v1 import play_service_pb2 as pb

_PLAY: Final = "/rummyref.v1.PlayService/Play"


@dataclass
class RawSession(Session):
    """A session with hands on its stream.

    Attributes:
        opening: What the stream begins with instead of the hello, as `say` takes it.
        on_welcome: Called when the referee has said welcome.
    """

    opening: Mapping[str, object] | None = None
    on_welcome: Callable[[], None] | None = None

    def say(self, fields: Mapping[str, object]) -> None:
        """Send a `PlayRequest` given in its JSON form; enum values may be numbers that do not exist.

        Raises:
            ValueError: It is none.
        """
        self._outgoing.put(_request(fields))

    def say_bytes(self, data: bytes) -> None:
        """Send *data* as a message, whatever it is."""
        self._outgoing.put(data)

    def half_close(self) -> None:
        """Say nothing more on this stream, and go on reading."""
        self._outgoing.put(None)

    def adopt(self, seat: SeatInfo) -> None:
        """Let the next hello claim *seat*, wherever it is carried."""
        self._seats[seat.table_id, seat.seat] = seat

    def _first(self) -> pb.PlayRequest:
        return super()._first() if self.opening is None else _request(self.opening)

    def _read(self, response: pb.PlayResponse) -> Iterator[Incoming]:
        if self.on_welcome is not None and response.HasField("welcome"):
            self.on_welcome()
        return super()._read(response)

    def _method(self) -> Callable[..., Any]:
        return self._open().stream_stream(
            _PLAY, request_serializer=_encoded, response_deserializer=pb.PlayResponse.FromString
        )


def _request(fields: Mapping[str, object]) -> pb.PlayRequest:
    return json_format.ParseDict(dict(fields), pb.PlayRequest())


def _encoded(message: pb.PlayRequest | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()
