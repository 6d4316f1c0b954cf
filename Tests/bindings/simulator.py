"""A software tag on a private bus: `jacquard-sim serve`, controlled line by line."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Callable
from types import TracebackType

import places

SERIAL = "01ZK"
LONGEST_WAIT = 20


class Simulator:
    """Use it with `with`. Protocol violations of the programs under test are checked when the block ends."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [str(places.SIMULATOR), "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        # Returns when other programs that use the tag are connected, if there are any: companions.py.
        self.await_others: Callable[[], None] = lambda: None
        self._answers: queue.Queue[str] = queue.Queue()
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        name, self.bus_address = self._answer().split("=", 1)
        assert name == "DBUS_SYSTEM_BUS_ADDRESS"

    def tell(self, line: str) -> str:
        """Executes a scenario line and returns the reply. Any thread may call it."""
        assert self._process.stdin
        with self._lock:
            self._process.stdin.write(line + "\n")
            answer = self._answer()
        assert answer.startswith("ok"), f"{line}: {answer}"
        return answer[3:]

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

    def __enter__(self) -> Simulator:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        complaints = self.stop()
        assert not complaints, complaints

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line.rstrip("\n"))

    def _answer(self) -> str:
        return self._answers.get(timeout=LONGEST_WAIT)
