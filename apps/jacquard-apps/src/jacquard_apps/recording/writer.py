"""Writes a recording line by line, unbuffered, so that a crash loses nothing."""

from __future__ import annotations

import dataclasses
import time
from typing import Any, TextIO

import jacquard
from jacquard import ConnectionState, Notification, RawValue

from ..tags.target import Target
from ..terminal import output
from .label import CONSENT_VERSION, LICENSE, Label

VERSION = 1


class Writer:
    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._start = time.monotonic()

    def begin(self, library: str) -> None:
        started = output.now().isoformat(timespec="milliseconds")
        self._write(jacquard_recording=VERSION, library=library, started=started)

    def begin_labelled(self, library: str, label: Label) -> None:
        """Leaves out the date, which may be about a person."""
        self._write(
            jacquard_recording=VERSION, library=library, label=label, consent=CONSENT_VERSION, license=LICENSE
        )

    def found(self, target: Target) -> None:
        self._say(found=target)

    def event(self, event: Any) -> None:
        if isinstance(event, ConnectionState):
            self._state(event)
        elif isinstance(event, Notification):
            self._say(notification=event.data)
        elif isinstance(event, RawValue):
            self._say(raw_value=event.data)
        else:
            self._say(**{type(event).__name__.lower(): event})

    def adapter(self, adapter: jacquard.Adapter) -> None:
        self._say(adapter=adapter)

    def log(self, part: str, level: str, message: str) -> None:
        self._say(log={"part": part, "level": level, "message": message})

    def counters(self, counters: jacquard.Counters) -> None:
        self._say(counters=counters)

    def end(self, reason: str) -> None:
        self._say(end=reason)

    def _state(self, state: ConnectionState[jacquard.Tag]) -> None:
        self._say(state={name: value for name, value in output.members_of(without_tag(state)).items() if name != "tag"})
        if state.tag is not None:
            self._say(tag=state.tag.info)

    def _say(self, **members: Any) -> None:
        self._write(time=round(time.monotonic() - self._start, 6), **members)

    def _write(self, **members: Any) -> None:
        self._file.write(output.json_line(**members) + "\n")
        self._file.flush()


def without_tag(state: ConnectionState[Any]) -> ConnectionState[Any]:
    return dataclasses.replace(state, tag=None)
