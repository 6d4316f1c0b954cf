"""A software tag on a private bus: `jacquard-sim serve`, controlled line by line."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from types import TracebackType
from typing import TypeVar

import places
import waiting

SERIAL = "01ZK"
LONGEST_WAIT = 20
SERVICE = "JACQUARD_SERVICE"
S = TypeVar("S", bound="Simulator")


class Simulator:
    """Use it with `with`: in the block, programs share its tags through its service, as under `jacquard-sim run`. Protocol
    violations of the programs under test are checked when the block ends."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [str(places.SIMULATOR), "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        name, self.bus_address = self._answer().split("=", 1)
        assert name == "DBUS_SYSTEM_BUS_ADDRESS"
        name, self.service = self._answer().split("=", 1)
        assert name == SERVICE

    @property
    def environment(self) -> dict[str, str]:
        """The environment of programs that use the tag, and share it through the service."""
        return {"DBUS_SYSTEM_BUS_ADDRESS": self.bus_address, SERVICE: self.service}

    def tell(self, line: str) -> str:
        """Executes a scenario line and returns the reply. Any thread may call it."""
        assert self._process.stdin
        with self._lock:
            self._process.stdin.write(line + "\n")
            answer = self._answer()
        assert answer.startswith("ok"), f"{line}: {answer}"
        return answer[3:]

    def wait_for_touch_mode(self, count: int = 2) -> None:
        """Waits until the mode of the gear has been set this often. The first request of a link is the library's."""
        waiting.until(lambda: self.tell("journal requests").count("touch-mode") >= count)

    def stop(self) -> str:
        """Ends it, and returns its messages about the programs under test; "" if they did nothing wrong."""
        self._process.terminate()
        assert self._process.stdin and self._process.stdout and self._process.stderr
        complaints = self._process.stderr.read()
        self._process.wait(LONGEST_WAIT)
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        return complaints

    def __enter__(self: S) -> S:
        self._service_before = os.environ.get(SERVICE)
        os.environ[SERVICE] = self.service
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._service_before is None:
            del os.environ[SERVICE]
        else:
            os.environ[SERVICE] = self._service_before
        complaints = self.stop()
        assert not complaints, complaints

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line.rstrip("\n"))

    def _answer(self) -> str:
        return self._answers.get(timeout=LONGEST_WAIT)
