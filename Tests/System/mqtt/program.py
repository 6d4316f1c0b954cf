"""Runs jacquard-mqtt as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import places
import waiting
from simulator import SERIAL

PYTHONPATH = f"{places.PYTHON_SOURCE}:{places.APPS_SOURCE}:{places.MQTT_SOURCE}"
# Another Python, with another version of paho-mqtt.
PYTHON = os.environ.get("JACQUARD_MQTT_PYTHON", sys.executable)
# paho uses deprecated functions, and does not close a socket whose TLS handshake has failed.
QUIET = ["-W", "ignore::DeprecationWarning", "-W", "ignore:unclosed <jacquard_mqtt.session.TlsSocket:ResourceWarning"]
LONGEST_END = 20
ROOT = "jacquard/v1/test"
TAG = "jacquard/v1/tags/sleeve"
SLEEVE = f'[[tag]]\nserial = "{SERIAL}"\ntopic = "sleeve"\n'


def configuration(
    port: int, tags: str = SLEEVE, head: str = "", mqtt: str = "", rest: str = "", bridge: str = "test"
) -> str:
    return f'bridge = "{bridge}"\n{head}\n[mqtt]\nhost = "127.0.0.1"\nport = {port}\n{mqtt}\n{rest}\n{tags}'


class Program:
    """Runs during a `with` block; the log must then not contain tracebacks.

    status: the expected exit status. plain: without Python's development mode, which finds leaks but is slower.
    setup: Python statements that are executed before, with the module `broker_link`."""

    process: subprocess.Popen[bytes]

    def __init__(
        self, folder: Path, text: str, bus_address: str = "unix:path=/nonexistent", status: int = 0, plain: bool = False, setup: str = "", **environment: str
    ) -> None:
        self.path = folder / "jacquard-mqtt.toml"
        self.path.write_text(text)
        self.log = folder / "bridge.log"
        self.status = status
        self._mode = [] if plain else ["-X", "dev", *QUIET]
        start = f"import sys; from jacquard_mqtt import broker_link, cli; {setup}; sys.exit(cli.main())"
        self._start = ["-c", start] if setup else ["-m", "jacquard_mqtt"]
        self.environment = {
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "DBUS_SYSTEM_BUS_ADDRESS": bus_address,
            **environment,
        }

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [PYTHON, *self._mode, *self._start, "--config", self.path],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONGEST_END)

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def reload(self, text: str) -> None:
        self.path.write_text(text)
        self.process.send_signal(signal.SIGHUP)

    def wait_for_log(self, text: str, count: int = 1) -> None:
        waiting.until(lambda: self.log.read_text().count(text) >= count, 60, problem=self.log.read_text)

    def __enter__(self) -> Program:
        self.start()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        log = self.log.read_text()
        if error is None:
            assert self.process.returncode == self.status, log
            assert "Traceback" not in log and "Warning" not in log and "internal error" not in log, log
        else:
            print(log)
