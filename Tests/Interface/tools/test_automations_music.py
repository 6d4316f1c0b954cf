"""Actions for music: a fader, OSC and MIDI."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

import pytest
from desk import LONGEST, desk
from jacquard_automations.actions import volume
from jacquard_automations.playing import midi

# Music


def relative(change: int, value: float = 0.5) -> dict[str, Any]:
    """The details of an event of a relative fader."""
    return {"event": "fader", "fader": "relative", "value": value, "change": change, "steps": 20}


def test_the_volume_follows_the_fader() -> None:
    assert [volume.of_fader(relative(change)) for change in (1, -3, 50)] == ["+5%", "-15%", "+100%"]
    assert volume.of_fader({"fader": "absolute", "value": 0.55, "change": 1, "steps": 20}) == "55%"
    assert all(volume.LEVEL.fullmatch(volume.of_fader(relative(change))) for change in (-100, -1, 0, 1, 100))


def test_osc_is_sent_with_the_value_of_the_fader_or_of_the_file() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(LONGEST)
        port = receiver.getsockname()[1]

        async def test() -> None:
            ends = ('to = "{}"', 'to = "localhost:{}", value = [1, 0.5, "x"]', 'to = "{}"')
            async with desk(*(f'osc = "/a", {end.format(port)}' for end in ends)) as one:
                await one.act(0, **relative(1, 0.25))
                await one.act(1)
                await one.act(2)

        asyncio.run(test())
        found = [receiver.recv(1000) for _ in range(3)]
    # OSC 1.0: address and types, each filled up to four bytes, and the arguments.
    assert found[0] == b"/a\0\0,f\0\0" + struct.pack(">f", 0.25)
    assert found[1] == b"/a\0\0,ifs\0\0\0\0" + struct.pack(">if", 1, 0.5) + b"x\0\0\0"
    assert found[2] == b"/a\0\0,\0\0\0"


class NotedPort:
    """Replaces a port of python3-rtmidi, which needs a sequencer: test_play_midi.py has one of JACK."""

    ports: list[NotedPort] = []

    def __init__(self, api: str) -> None:
        self.api, self.is_open, self.sent = api, True, list[tuple[int, ...]]()
        self.ports.append(self)

    def send(self, messages: Any) -> None:
        self.sent += [one.midi for one in messages]

    def undrained(self) -> float:
        return 0.0

    def close(self) -> None:
        self.is_open = False


def test_midi_is_sent_with_the_value_of_the_fader_or_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(midi, "Port", NotedPort)
    NotedPort.ports.clear()

    async def test() -> None:
        written = ['{ cc = 7, channel = 2 }', '{ cc = 7, value = 3 }', '{ note = "C4" }', '{ mmc = "play" }, api = "jack"']
        async with desk(*(f"midi = {text}" for text in written)) as one:
            assert sorted(port.api for port in NotedPort.ports) == ["alsa", "jack"]
            for number in range(4):
                await one.act(number, **relative(1, 0.25))
        assert not any(port.is_open for port in NotedPort.ports)

    asyncio.run(test())
    sent = {port.api: port.sent for port in NotedPort.ports}
    assert sent["alsa"] == [(0xB1, 7, 32), (0xB0, 7, 3), (0x90, 60, 100), (0x80, 60, 0)]
    assert sent["jack"] == [(0xF0, 0x7F, 0x7F, 6, 2, 0xF7)]
