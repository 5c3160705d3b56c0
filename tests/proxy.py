"""A proxy before a server on loopback that cuts or stalls connections where it is told to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

__all__ = ["COMMIT", "PULL", "Proxy", "Where", "proxy"]

COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""The message COMMIT of the Bolt protocol, with its length before it and the end of the message behind."""
BEGIN = b"\xb1\x11"
"""How the message BEGIN begins."""
PULL = b"\xb1\x3f"
"""How the message PULL begins."""
Where = Literal["before", "after", "within", "stall"]


class Proxy:
    """Passes bytes on, until it is told to do something at a message.

    `before`: the message never reaches the server. `after`: the message does, the reply does not come back. `within`:
    a half of what the server sends next comes back. `stall`: the message never reaches the server, and the connection
    stays open.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._plan: tuple[bytes, Where, int, bytes] | None = None
        self._skip = 0
        self._open: list[socket.socket] = []
        self.done = 0
        """How often it has cut or stalled."""
        threading.Thread(target=self._accept, daemon=True).start()

    def at(self, message: bytes, where: Where, times: int = 1, *, behind: bytes = b"", skip: int = 0) -> None:
        """Do something at the next messages of a kind, on connections that these bytes have gone through meanwhile.

        The first `skip` of these messages pass.
        """
        self._skip, self.done = skip, 0
        self._plan = (message, where, times, behind)

    def rest(self) -> None:
        """Pass everything on again."""
        self._plan = None

    def close(self) -> None:
        for each in (self._listener, *self._open):
            self._cut(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open += [client, server]
                mute, half = threading.Event(), threading.Event()
                threading.Thread(target=self._forward, args=(client, server, mute, half), daemon=True).start()
                threading.Thread(target=self._back, args=(server, client, mute, half), daemon=True).start()

    def _forward(
        self, client: socket.socket, server: socket.socket, mute: threading.Event, half: threading.Event
    ) -> None:
        planned, seen = None, False
        with suppress(OSError):
            while data := client.recv(65536):
                plan = self._plan
                if plan is not planned:
                    planned, seen = plan, False
                seen = seen or (plan is not None and plan[3] in data)
                if plan is not None and seen and plan[0] in data and self.done < plan[2]:
                    if self._skip:
                        self._skip -= 1
                        server.sendall(data)
                        continue
                    self.done += 1
                    if plan[1] == "within":
                        half.set()
                        server.sendall(data)
                        continue
                    if plan[1] == "stall":
                        continue
                    if plan[1] == "after":
                        mute.set()
                        server.sendall(data)
                        time.sleep(0.5)  # until the server has done it
                    break
                server.sendall(data)
        self._cut(client, server)

    def _back(self, server: socket.socket, client: socket.socket, mute: threading.Event, half: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if half.is_set():
                    client.sendall(data[: len(data) // 2])
                    break
                if not mute.is_set():
                    client.sendall(data)
        if not mute.is_set():
            self._cut(client, server)

    @staticmethod
    def _cut(*ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                end.close()


@contextmanager
def proxy(port: int) -> Iterator[Proxy]:
    """A proxy before a port of this machine."""
    made = Proxy(port)
    try:
        yield made
    finally:
        made.close()
