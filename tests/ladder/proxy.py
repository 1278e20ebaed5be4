"""A network between bots and a referee that a test can cut, and listen to."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Final


class Proxy:
    """Forwards connections on loopback to one address, as long as it is not cut."""

    def __init__(self, address: str, heard: Path | None = None) -> None:
        """Listen on any port and forward to *address*, HOST:PORT; *heard* gets each byte that comes from there."""
        host, _, port = address.rpartition(":")
        self._to: Final = (host, int(port))
        self._heard: Final = heard
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._cut = False
        self._lock = threading.Lock()
        self._refused = threading.Semaphore(0)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """HOST:PORT for the bots."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """End every connection and let no other through."""
        with self._lock:
            self._cut = True
            for connection in self._open:
                _end(connection)
            self._open.clear()

    def wait_for_tries(self, count: int, within_s: float) -> None:
        """Return once *count* connections have been tried in vain."""
        for _ in range(count):
            assert self._refused.acquire(timeout=within_s), "nobody tries to come back"

    def mend(self) -> None:
        """Let connections through again."""
        with self._lock:
            self._cut = False

    def close(self) -> None:
        """End it all."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not self._forward(connection):
                _end(connection)
                self._refused.release()

    def _forward(self, connection: socket.socket) -> bool:
        with self._lock:
            if self._cut:
                return False
            try:
                onward = socket.create_connection(self._to)
            except OSError:
                return False
            self._open += [connection, onward]
        for one, other, kept in ((connection, onward, None), (onward, connection, self._heard)):
            threading.Thread(target=_pump, args=(one, other, kept), daemon=True).start()
        return True


def _pump(one: socket.socket, other: socket.socket, kept: Path | None) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65_536):
            if kept is not None:
                with kept.open("ab") as file:
                    file.write(data)
            other.sendall(data)
    for connection in (one, other):
        _end(connection)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
