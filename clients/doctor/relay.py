"""A way to a referee that can be cut: a relay of TCP connections on this machine."""

import contextlib
import socket
import threading
from typing import Final

_CHUNK: Final = 65_536


class Relay:
    """Passes bytes both ways between whoever connects to it and a referee.

    Attributes:
        address: HOST:PORT to connect to.
        connections: How many have been made.
    """

    def __init__(self, referee: str) -> None:
        """Listen on any free port and lead to *referee* (HOST:PORT)."""
        self._referee = referee
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: Final = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.connections = 0
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, referee: str) -> None:
        """Lead new connections to another referee; those that are open stay."""
        self._referee = referee

    def cut(self) -> None:
        """Cut every connection, as a bad network would; new ones are let through."""
        with self._lock:
            cut, self._open = self._open, set()
        for connection in cut:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Listen no more and cut every connection."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            try:
                far = socket.create_connection(_parts(self._referee))
            except OSError:
                near.close()  # no referee is there just now
                continue
            with self._lock:
                self._open |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        """Pass on bytes until one side ends; whoever reads from a socket closes it."""
        source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with source, contextlib.suppress(OSError):
            while chunk := source.recv(_CHUNK):
                sink.sendall(chunk)
        with self._lock:
            self._open.discard(source)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


def _parts(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)
