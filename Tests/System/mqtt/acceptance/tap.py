"""Reads the MQTT packets between the bridge and the broker: which gestures the broker has acknowledged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

PUBLISH, PUBACK = 3, 4


class Tap:
    """Taps one connection, with MQTT 5."""

    def __init__(self, acknowledged: Callable[[str, dict[str, Any], bytes], None]) -> None:
        self._acknowledged = acknowledged
        self._pending: dict[int, tuple[str, dict[str, Any], bytes]] = {}
        self._rest = {True: b"", False: b""}

    def feed(self, from_bridge: bool, data: bytes) -> None:
        data = self._rest[from_bridge] + data
        while True:
            packet = first_packet(data)
            if packet is None:
                break
            kind, body, size = packet
            data = data[size:]
            if from_bridge and kind >> 4 == PUBLISH and kind & 6:
                self._published(body)
            elif not from_bridge and kind >> 4 == PUBACK:
                gesture = self._pending.pop(int.from_bytes(body[:2], "big"), None)
                if gesture is not None:
                    self._acknowledged(*gesture)
        self._rest[from_bridge] = data

    def _published(self, body: bytes) -> None:
        length = int.from_bytes(body[:2], "big")
        topic = body[2 : 2 + length].decode()
        if topic.endswith("/gesture"):
            # The properties, which are shorter than 128 bytes, follow the packet identifier.
            payload = body[5 + length + body[4 + length] :]
            gesture = json.loads(payload)
            self._pending[int.from_bytes(body[2 + length : 4 + length], "big")] = (topic, gesture, payload)


def first_packet(data: bytes) -> tuple[int, bytes, int] | None:
    """Kind, body and size of the first packet; None if it is incomplete."""
    size, shift = 0, 0
    for index in range(1, 5):
        if index >= len(data):
            return None
        size |= (data[index] & 127) << shift
        shift += 7
        if data[index] < 128:
            end = index + 1 + size
            return (data[0], data[index + 1 : end], end) if len(data) >= end else None
    raise AssertionError("not MQTT")
