"""PlayService: the one stream that carries all tables of a player."""

import asyncio
import time
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError
from grpc_status import rpc_status

from engine.moves import Play
from engine.reasons import RuleViolation, Violation
from referee import VERSION
from referee.errors import ApiError
from referee.hall import Hall
from referee.services.calls import caller, status_of
from referee.services.play_messages import response_of
from referee.store.models import Player
from referee.streams import PlayerStream, StreamWishes
from referee.tables.messages import Contributed, Outgoing, SendNotice, Submission
from rummyref.v1 import play_service_pb2 as pb
from rummyref.v1 import play_service_pb2_grpc
from wire.moves import play_from_message

PROTOCOL = 1
"""Version of the stream's protocol that this referee speaks."""

_MOST_CAPACITY = 1_000
_HELLO_WITHIN_S = 10.0
_LONGEST_NAME = 64
_ID_SHOWN = 64
"""Characters of an id that a client made up which a notice repeats."""

_Context = grpc.aio.ServicerContext[Any, Any]
_log = structlog.get_logger()


class PlayService(play_service_pb2_grpc.PlayServiceServicer):
    """Binds streams to seats and hands submissions to tables."""

    def __init__(self, hall: Hall) -> None:
        """Serve *hall*."""
        self._hall = hall

    async def Play(  # type: ignore[override]  # noqa: N802 - reads and writes the context, as aio allows
        self, request_iterator: object, context: _Context
    ) -> None:
        """Carry a player's tables until either side ends the stream.

        Ends with `TOKEN_INVALID`, `HELLO_EXPECTED`, `PROTOCOL_UNSUPPORTED` or
        `TOO_MANY_STREAMS` before it has begun; later with a notice, or with `SLOW_READER`
        where no notice gets through; at any message with `MESSAGE_MALFORMED`.
        """
        try:
            caller(self._hall, context)
            hello = await self._hello(context)
            player = caller(self._hall, context)  # the token may have been revoked meanwhile
            self._hall.attendance.need_room(player.id)
        except ApiError as error:
            _log.debug("stream_refused", reason=error.reason, message=str(error))
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        _log.debug("stream_opened", player_id=player.id, client=hello.client_name[:_LONGEST_NAME])
        wishes = StreamWishes(
            gathered=hello.delivery == pb.DELIVERY_GATHERED,
            want_views=hello.want_views,
            want_offers=hello.want_offers,
            contributes=hello.contributes,
        )
        capacity = min(hello.capacity or 1, _MOST_CAPACITY)
        stream = PlayerStream(player.id, capacity, wishes, self._hall.attendance.credit(player.id))
        with self._hall.players.until_revoked(player.id, lambda: self._hall.dismiss(stream)):
            self._hall.attendance.join(
                stream, [(item.table_id, item.seat, item.last_sequence) for item in hello.resume]
            )
            try:
                await self._carry(stream, _welcome(player), context)
            except ApiError as error:
                await context.abort_with_status(rpc_status.to_status(status_of(error)))

    async def _hello(self, context: _Context) -> pb.Hello:
        try:
            first = await asyncio.wait_for(self._next(context), _HELLO_WITHIN_S)
        except TimeoutError:
            first = None
        if not isinstance(first, pb.PlayRequest) or first.WhichOneof("kind") != "hello":
            raise ApiError("HELLO_EXPECTED", "the first message of a stream must be a hello")
        if first.hello.protocol != PROTOCOL:
            raise ApiError(
                "PROTOCOL_UNSUPPORTED",
                f"this referee speaks protocol {PROTOCOL}, the client {first.hello.protocol}; use a client that fits",
                protocol=PROTOCOL,
            )
        return first.hello

    async def _carry(self, stream: PlayerStream, welcome: pb.Welcome, context: _Context) -> None:
        async def write(message: Outgoing) -> None:
            await context.write(response_of(message, stream))

        async def write_all() -> None:
            await context.write(pb.PlayResponse(welcome=welcome))
            await stream.drain(write)

        # What a task raises knows the frames that it went through; these let go of the task, so that whatever the
        # stream held, tables among it, goes with it and does not wait for the collector.
        tasks = [
            asyncio.ensure_future(each) for each in (self._read(stream, context), write_all(), stream.abandoned.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if stream.abandoned.is_set():
                raise ApiError("SLOW_READER", "this stream takes no message any more; read faster and come back")
            ended = [task for task in tasks if task.done()]
            while ended:
                ended.pop().result()
        except (grpc.RpcError, asyncio.CancelledError, grpc.aio.UsageError):
            pass
        finally:
            self._hall.attendance.leave(stream)
            while tasks:
                tasks.pop().cancel()

    async def _read(self, stream: PlayerStream, context: _Context) -> None:
        while True:
            request = await self._next(context)
            received_ns = time.monotonic_ns()
            if request is grpc.aio.EOF:
                return
            kind = request.WhichOneof("kind")
            if kind == "submit":
                self._submit(stream, request.submit, received_ns)
            elif kind == "contribute":
                self._contribute(stream, request.contribute)
            else:
                problem = "a stream has one hello" if kind == "hello" else "the message has no kind this referee knows"
                stream.send(SendNotice("MESSAGE_MALFORMED", problem))
            pause_s = stream.credit.spend()
            if pause_s:
                await asyncio.sleep(pause_s)

    async def _next(self, context: _Context) -> Any:
        try:
            return await context.read()
        except DecodeError:
            raise ApiError(
                "MESSAGE_MALFORMED", "a message of this stream cannot be read; send what the API has"
            ) from None

    def _contribute(self, stream: PlayerStream, contribute: pb.Contribute) -> None:
        is_nonce = contribute.WhichOneof("part") == "nonce"
        part = contribute.nonce if is_nonce else contribute.nonce_hash
        self._hall.contribute(stream, contribute.table_id, Contributed(stream, contribute.seat, part, is_nonce))

    def _submit(self, stream: PlayerStream, submit: pb.Submit, received_ns: int) -> None:
        table = self._hall.tables.get(submit.table_id)
        named = (submit.table_id[:_ID_SHOWN], submit.seat)
        if table is None:
            if self._hall.attendance.was_at(submit.table_id, stream.player_id):
                stream.send(SendNotice("MATCH_OVER", "the match is over", *named))
            else:
                stream.send(SendNotice("SEAT_NOT_YOURS", "you have no such seat", *named))
            return
        if (submit.table_id, submit.seat) not in stream.seats:
            mine = any(desk.seat == submit.seat and desk.player_id == stream.player_id for desk in table.desks)
            reason, text = (
                ("SEAT_MOVED", "another stream of yours carries this seat")
                if mine
                else ("SEAT_NOT_YOURS", "you have no such seat")
            )
            stream.send(SendNotice(reason, text, *named))
            return
        play: Play | Violation
        try:
            play = play_from_message(submit.play)
        except RuleViolation as malformed:
            play = malformed.violation
        table.post(
            Submission(stream, submit.seat, submit.decision_id, submit.attempt, play, submit.validate_only, received_ns)
        )


def _welcome(player: Player) -> pb.Welcome:
    return pb.Welcome(protocol=PROTOCOL, referee_version=VERSION, player_id=player.id, player_name=player.name)
