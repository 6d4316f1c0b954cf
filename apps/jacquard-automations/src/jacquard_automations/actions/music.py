"""Sends an OSC or a MIDI message, as jacquardctl play does."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Collection
from typing import Any

from ..action import Action, Resource, Run, written
from ..playing import message, midi, osc, press
from ..playing.message import Message
from ..playing.press import Press
from ..table import Table, shown

OSC, MIDI = "osc", "midi"
KEYS = (OSC, MIDI)
LONGEST = 200


class Senders(Resource):
    """One sender for each destination of OSC messages."""

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._senders: dict[str, osc.Sender] = {}

    async def to(self, destination: str) -> osc.Sender:
        if destination not in self._senders:
            self._senders[destination] = await osc.Sender.to(*osc.destination(destination))
        return self._senders[destination]


@dataclasses.dataclass(frozen=True)
class OscMessage(Action):
    address: str
    destination: str
    # None: the value of the fader.
    values: tuple[osc.Value, ...] | None

    libraries = (osc.LIBRARY,)
    needs = (Senders,)

    async def act(self, run: Run) -> str:
        value = run.occasion.details.get("value")
        values = self.values if self.values is not None else () if value is None else (float(value),)
        (await run.resources.of(Senders).to(self.destination)).send(self.address, *values)
        return ""

    def __str__(self) -> str:
        values = self.values[0] if self.values and len(self.values) == 1 else self.values
        return written(OSC, self.address, to=self.destination, value=values)


class Port(Resource):
    """A virtual port, as long as a rule needs it."""

    api = ""
    _port: midi.Port | None = None

    async def use(self, actions: Collection[Action]) -> None:
        self.opened()

    def opened(self) -> midi.Port:
        """Tries again if the port could not be opened before."""
        if self._port is None:
            self._port = midi.Port(self.api)
        return self._port

    async def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            await asyncio.sleep(port.undrained())
            port.close()


class AlsaPort(Port):
    api = "alsa"


class JackPort(Port):
    api = "jack"


PORTS = {kind.api: kind for kind in (AlsaPort, JackPort)}


@dataclasses.dataclass(frozen=True)
class MidiMessage(Action):
    text: str
    press: Press
    # A controller that has the value of the fader.
    follows: bool
    api: str

    libraries = (midi.LIBRARY,)

    @property
    def needs(self) -> Any:  # type: ignore[override]
        return (PORTS[self.api],)

    async def act(self, run: Run) -> str:
        value = run.occasion.details.get("value")
        sent = [self.press.on]
        if self.press.on[0] & 0xF0 == 0x90:
            sent.append(self.press.off)
        elif self.follows and value is not None:
            sent = [(*self.press.on[:2], round(value * message.MOST))]
        run.resources.of(PORTS[self.api]).opened().send(map(Message, sent))
        return ""

    def __str__(self) -> str:
        return self.text


def read(table: Table, key: str) -> Action:
    return read_osc(table, key) if key == OSC else read_midi(table, key)


def read_osc(table: Table, key: str) -> Action:
    address = table.text(key) or ""
    if not address.startswith("/") or len(address) > LONGEST or set(address) & set(" #*,?[]{}") or not address.isascii():
        raise table.problem(f"{shown(address)} is not the address of an OSC message, such as /mixer/1/volume", key)
    table.required("to")
    destination = table.text("to") or ""
    try:
        osc.destination(destination)
    except ValueError as error:
        raise table.problem(str(error), "to") from None
    value = table.value("value")
    values = value if isinstance(value, list) else [value]
    for number, one in enumerate(values if value is not None else []):
        if isinstance(one, bool) or not isinstance(one, (int, float, str)):
            raise table.problem(f"{shown(one)} is neither a number nor a text", "value", number)
    return OscMessage(address, destination, None if value is None else tuple(values))


def read_midi(table: Table, key: str) -> Action:
    inner = table.table(key)
    assert inner is not None
    pressed = press.read(inner)
    follows = "cc" in inner and "value" not in inner
    inner.finish()
    api = table.choice("api", midi.APIS) or "alsa"
    text = written(MIDI, inner.entries(), api=api if api != "alsa" else None)
    return MidiMessage(text, pressed, follows, api)


