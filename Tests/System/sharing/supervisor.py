"""A supervisor of jacquardd for machines without systemd: it has the socket, starts the service when a program connects
and after a failure, and kills it when its watchdog is silent."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S", bound="Supervisor")


class ByHand:
    """A service without a supervisor and a watchdog, with a socket of its own."""

    def __init__(self, command: Iterable[object], **environment: str) -> None:
        self._command, self._environment = [str(word) for word in command], {**os.environ, **environment}
        self.start()

    def start(self) -> None:
        self.running = subprocess.Popen(self._command, env=self._environment)

    def end(self, number: int = signal.SIGTERM) -> None:
        self.running.send_signal(number)
        self.running.wait(20)

    def __enter__(self) -> ByHand:
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        if self.running.poll() is None:
            self.running.kill()
            self.running.wait(20)


class Supervisor:
    PAUSE = 0.1  # between an end of the service and its next start

    def __init__(
        self,
        folder: Path,
        command: Iterable[object],
        watchdog: float = 5.0,
        limits: Callable[[], None] | None = None,
        **environment: str,
    ) -> None:
        """`limits` is called in the new process, before the service."""
        self.path = folder / "socket"
        self.messages: list[tuple[float, str]] = []  # to the supervisor, each with its time
        self.process: subprocess.Popen[bytes] | None = None
        self.exits: list[int] = []
        self._command, self._watchdog, self._limits = command, watchdog, limits
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(self.path))
        self._listener.listen(4096)
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(folder / "notify"))
        self._environment = {**os.environ, **environment, "LISTEN_FDS": "1", "NOTIFY_SOCKET": str(folder / "notify")}
        if watchdog:
            self._environment["WATCHDOG_USEC"] = str(round(watchdog * 1e6))
        self._is_over = threading.Event()
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process
        return self.process

    def _start(self) -> None:
        def prepare() -> None:
            os.dup2(self._listener.fileno(), 3)
            if self._limits:
                self._limits()

        # Only the shell knows the process's number before it is the service.
        words = ["sh", "-c", 'LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$@"', "sh", *map(str, self._command)]
        self._alive = time.monotonic()
        self.process = subprocess.Popen(words, env=self._environment, preexec_fn=prepare, pass_fds=[3])

    def _run(self) -> None:
        wants_start = False  # without a program: after a failure
        while not self._is_over.is_set():
            if self.process is None:
                if not wants_start and not select.select([self._listener], [], [], 0.05)[0]:
                    continue
                self._start()
            if select.select([self._notify], [], [], 0.05)[0]:
                text = self._notify.recv(4096).decode()
                self._alive = time.monotonic()
                with self._news:
                    self.messages.append((self._alive, text))
                    self._news.notify_all()
            status = self.running.poll()
            if status is not None:
                with self._news:
                    self.exits.append(status)
                    self.process = None
                    self._news.notify_all()
                wants_start = status != 0
                self._is_over.wait(self.PAUSE)
            elif self._watchdog and time.monotonic() - self._alive > self._watchdog:
                self.running.kill()

    def wait_for(self, condition: Callable[[Supervisor], T | None], seconds: float = 30) -> T:
        with self._news:
            found = self._news.wait_for(lambda: condition(self), seconds)
        assert found, (self.exits, self.messages[-5:])
        return found

    def texts(self) -> list[str]:
        return [text for _, text in self.messages]

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        self._is_over.set()
        self._thread.join(20)
        if self.process:
            self.process.terminate()
            self.process.wait(20)
        self._listener.close()
        self._notify.close()
