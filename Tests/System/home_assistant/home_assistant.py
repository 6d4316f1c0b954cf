"""A running Home Assistant, used over its WebSocket interface."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import places
import waiting
import websocket
from broker import free_port

HERE = Path(__file__).resolve().parent
BLUEPRINTS = places.APPS / "jacquard-mqtt" / "blueprints"
VERSIONS = os.environ.get("HOME_ASSISTANT", "2024.3.3 2025.4.4").split()
LONGEST_INSTALLATION = 1800
LONGEST_START = 180
LONGEST_WAIT = 30


def python(version: str) -> str:
    """The Python of an environment with this version."""
    script: list[str | Path] = [HERE / "environment", version]
    ran = subprocess.run(script, check=True, stdout=subprocess.PIPE, text=True, timeout=LONGEST_INSTALLATION)
    return ran.stdout.strip()


class HomeAssistant:
    """Runs during a `with` block."""

    # The kinds of discovery that this version supports.
    modes: tuple[str, ...]

    def __init__(self, python: str, folder: Path, broker_port: int, automations: Iterable[object] = ()) -> None:
        self.folder = folder
        self.port = free_port()
        self._python, self._broker = python, broker_port
        self._socket: Any = None
        blueprints = folder / "blueprints" / "automation" / "jacquard"
        blueprints.mkdir(parents=True)
        for path in BLUEPRINTS.glob("*.yaml"):
            shutil.copy(path, blueprints)
        # JSON is YAML.
        (folder / "automations.yaml").write_text(json.dumps(list(automations)))

    def __enter__(self) -> HomeAssistant:
        self._output = open(self.folder / "output", "wb")
        self._process = subprocess.Popen(
            [self._python, HERE / "start_home_assistant.py", self.folder, str(self._broker), str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
        )
        token = self.folder / "token"
        try:
            self.until(lambda: token.exists() and token.read_text(), "Home Assistant to start", LONGEST_START)
            self._number = 0
            self._events: list[dict[str, Any]] = []
            self.until(lambda: self._connect(token.read_text()), "its WebSocket interface")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        if self._socket:
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(LONGEST_WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def _connect(self, token: str) -> bool:
        try:
            self._socket = websocket.create_connection(f"ws://127.0.0.1:{self.port}/api/websocket", timeout=LONGEST_WAIT)
        except OSError:
            return False
        self._socket.recv()
        self._socket.send(json.dumps({"type": "auth", "access_token": token}))
        assert json.loads(self._socket.recv())["type"] == "auth_ok"
        return True

    def call(self, kind: str, **members: Any) -> Any:
        """The result of a command."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "type": kind, **members}))
        while True:
            reply = json.loads(self._socket.recv())
            if reply["type"] == "event":
                self._events.append(reply)
            elif reply["id"] == self._number:
                assert reply["success"], reply
                return reply["result"]

    def subscribe(self, trigger: dict[str, Any]) -> int:
        """A number for event()."""
        self.call("subscribe_trigger", trigger=trigger)
        return self._number

    def event(self, number: int) -> dict[str, Any]:
        """The next event of a subscription."""
        while True:
            for event in self._events:
                if event["id"] == number:
                    self._events.remove(event)
                    found: dict[str, Any] = event["event"]
                    return found
            self._events.append(json.loads(self._socket.recv()))

    def waiting_events(self, number: int) -> list[dict[str, Any]]:
        """The events of a subscription that have arrived, and that event() has not returned."""
        self.call("get_config")
        return [event for event in self._events if event["id"] == number]

    def states(self) -> dict[str, Any]:
        return {state["entity_id"]: state for state in self.call("get_states")}

    def state(self, entity: str) -> Any:
        return self.states().get(entity, {}).get("state")

    def service(self, name: str, entity: str, **data: Any) -> None:
        domain, _, service = name.partition(".")
        self.call("call_service", domain=domain, service=service, service_data=data, target={"entity_id": entity})

    def complaints(self) -> list[str]:
        """Warnings and errors about MQTT, templates and automations in the log."""
        log = (self.folder / "home-assistant.log").read_text()
        words = ("mqtt", "template", "automation", "blueprint", "homeassistant.components.event")
        lines = [line for line in log.splitlines() if " WARNING " in line or " ERROR " in line]
        return [line for line in lines if any(word in line.lower() for word in words)]

    def until(self, condition: Callable[[], object], what: str, seconds: float = LONGEST_WAIT) -> None:
        def problem() -> str:
            log = self.folder / "home-assistant.log"
            text = log.read_text()[-3000:] if log.exists() else (self.folder / "output").read_text()[-3000:]
            seen = {name: state["state"] for name, state in self.states().items()} if self._socket else {}
            return f"waited in vain for {what}\n{text}\n{seen}"

        def holds() -> object:
            found = condition()
            assert found or self._process.poll() is None, problem()
            return found

        waiting.until(holds, seconds, problem=problem, period=0.05)
