"""What every servicer needs: the caller, and refusals as google.rpc.Status."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import grpc
import structlog
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.errors import DOMAIN, ApiError
from referee.hall import Hall
from referee.identity import token_of
from referee.store.models import Player

_Answer = TypeVar("_Answer")
_Method = Callable[[Any, Any, grpc.aio.ServicerContext[Any, Any]], Awaitable[_Answer]]
_log = structlog.get_logger()

_LONGEST = 400
"""Characters of a refusal that are sent: it travels in a header, and one too large reaches nobody."""

_LONGEST_FACT = 100
"""Characters of each of its facts."""


def caller(hall: Hall, context: grpc.aio.ServicerContext[Any, Any]) -> Player:
    """Return the player whose token the call carries.

    Raises:
        ApiError: `TOKEN_INVALID`.
    """
    return hall.players.authenticate(token_of(context.invocation_metadata()))


async def until_ended(
    hall: Hall, player: Player, context: grpc.aio.ServicerContext[Any, Any], sending: Coroutine[Any, Any, None]
) -> None:
    """Send a stream until it ends, the token of *player*, who asked for it, is revoked, or the referee goes down."""
    tasks = [asyncio.ensure_future(sending)]  # let go of again, since what it raises will know this frame
    why: list[ApiError] = []

    def end(reason: str, message: str) -> None:
        why.append(ApiError(reason, message))
        for task in tasks:
            task.cancel()

    revoked = partial(end, "TOKEN_REVOKED", "the token of this stream has been revoked; ask for a new one")
    down = partial(end, "SHUTTING_DOWN", "the referee is going down; come back and watch again")
    try:
        with hall.players.until_revoked(player.id, revoked), hall.until_down(down):
            await asyncio.wait(tasks)
        if not why:
            tasks.pop().result()
            return
    finally:
        while tasks:
            tasks.pop().cancel()
    await context.abort_with_status(rpc_status.to_status(status_of(why[0])))


def status_of(error: ApiError) -> status_pb2.Status:
    """Return *error* as a status with exactly one ErrorInfo."""
    info = error_details_pb2.ErrorInfo(
        reason=error.reason,
        domain=DOMAIN,
        metadata={key: _shortened(str(value), _LONGEST_FACT) for key, value in error.facts.items()},
    )
    detail = any_pb2.Any()
    detail.Pack(info)
    return status_pb2.Status(
        code=code_pb2.Code.Value(error.code.name), message=_shortened(str(error), _LONGEST), details=[detail]
    )


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def to_the_end(method: _Method[_Answer]) -> _Method[_Answer]:
    """Let a unary method that changes something run to its end, though its caller may be gone before."""

    @functools.wraps(method)
    async def answer(servicer: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> _Answer:
        return await asyncio.shield(method(servicer, request, context))

    return answer


def refusing(method: _Method[_Answer]) -> _Method[_Answer]:
    """Let a unary method raise `ApiError`; anything else is our bug and says so."""

    @functools.wraps(method)
    async def answer(servicer: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> _Answer:
        try:
            return await method(servicer, request, context)
        except ApiError as error:
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        except (grpc.aio.AbortError, grpc.RpcError):
            raise
        except Exception:  # noqa: BLE001 - whatever is left is our bug, and the caller must hear something
            _log.exception("call_failed", method=method.__qualname__)
            broken = ApiError("INTERNAL", "the referee failed; this is a bug worth reporting")
            await context.abort_with_status(rpc_status.to_status(status_of(broken)))
        raise AssertionError("abort raises")

    return answer
