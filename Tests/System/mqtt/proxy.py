"""A TCP proxy between the bridge and the broker: the network, which can be cut."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable
from typing import Protocol

from broker import free_port


class Tap(Protocol):
    """Receives what passes through a connection."""

    def feed(self, from_bridge: bool, data: bytes) -> None: ...


class Proxy:
    """Runs during a `with` block, in a thread."""

    def __init__(self, target: int, tap: Callable[[], Tap] | None = None) -> None:
        """tap: creates an object for each connection; its feed(from_bridge, data) receives the passing data."""
        self.port = free_port()
        self._target = target
        self._state = "open"
        self._lock = threading.Lock()
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._new_tap = tap
        self._taps: dict[socket.socket, tuple[Tap, bool]] = {}

    def __enter__(self) -> Proxy:
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = threading.Event()
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        self._tell("end")
        self._thread.join()

    def cut(self) -> None:
        """Closes all connections and refuses new ones."""
        self._tell("cut")

    def stall(self) -> None:
        """Passes nothing more, and closes no connection, as without a route."""
        self._tell("stalled")

    def restore(self) -> None:
        self._tell("open")

    def _tell(self, state: str) -> None:
        self._answered = threading.Event()
        self._state = state
        self._wake.send(b"x")
        assert self._answered.wait(10)

    def _listen(self) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", self.port))
        self._selector.register(listener, selectors.EVENT_READ, "listener")
        return listener

    def _run(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ, "wake")
        listener: socket.socket | None = self._listen()
        self._started.set()
        while True:
            for key, _ in self._selector.select():
                if key.data == "wake":
                    self._woken.recv(1)
                    listener = self._change(listener)
                    self._answered.set()
                    if self._state == "end":
                        return
                elif key.data == "listener" and listener:
                    self._accept(listener)
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._pairs:
                    self._pass_on(key.fileobj)

    def _change(self, listener: socket.socket | None) -> socket.socket | None:
        if self._state in ("cut", "end"):
            for sock in list(self._pairs):
                self._close(sock)
        if self._state != "open" and listener is not None:
            self._selector.unregister(listener)
            listener.close()
            listener = None
        if self._state == "open":
            listener = listener or self._listen()
            for sock in self._pairs:
                if sock not in self._selector.get_map():
                    self._selector.register(sock, selectors.EVENT_READ, "data")
        if self._state == "stalled":
            for sock in self._pairs:
                self._selector.unregister(sock)
        if self._state == "end":
            self._selector.close()
            self._wake.close()
            self._woken.close()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self._target), 5)
        except OSError:
            client.close()
            return
        tap = self._new_tap() if self._new_tap else None
        for one, other in ((client, server), (server, client)):
            if tap is not None:
                self._taps[one] = (tap, one is client)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs[one] = other
            self._selector.register(one, selectors.EVENT_READ, "data")

    def _pass_on(self, sock: socket.socket) -> None:
        try:
            data = sock.recv(65536)
            if data:
                if sock in self._taps:
                    tap, from_bridge = self._taps[sock]
                    tap.feed(from_bridge, data)
                self._pairs[sock].sendall(data)
                return
        except OSError:
            pass
        self._close(sock)

    def _close(self, sock: socket.socket) -> None:
        other = self._pairs.get(sock)
        for one in (sock, other):
            if one in self._pairs:
                if one in self._selector.get_map():
                    self._selector.unregister(one)
                del self._pairs[one]
                self._taps.pop(one, None)
                one.close()
