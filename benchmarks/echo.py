"""The ceiling: a bare grpc.aio server that answers each message with a ready one of the same size.

`python -m benchmarks.echo FILE` serves the `Play` method with the decisions in FILE
(hex, one a line), parses nothing and prints `listening on HOST:PORT`.
"""

import asyncio
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import grpc

from rummyref.v1 import play_service_pb2 as pb


async def serve(messages: list[bytes]) -> None:
    """Serve until the process is ended."""
    welcome = pb.PlayResponse(welcome=pb.Welcome(protocol=1)).SerializeToString()

    async def answer(requests: Any, context: Any) -> None:  # the library's types do not say bytes
        ready = cycle(messages)
        first = True
        async for request in requests:
            if first:
                first = False
                await context.write(welcome)
                for _ in range(pb.PlayRequest.FromString(request).hello.capacity):
                    await context.write(next(ready))
            else:
                await context.write(next(ready))

    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(answer)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("rummyref.v1.PlayService", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(serve([bytes.fromhex(line) for line in Path(sys.argv[1]).read_text("ascii").split()]))
