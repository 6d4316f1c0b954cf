"""Steps that restore the tag: written to disk before each change, and done at its end, or by the next run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Callable

import jacquard

from . import wire

VERSION = 1
# The kinds of promises, in the order in which they are kept.
RECORDING, MODULE, CONFIGURATION, TOUCH = "recording", "module", "configuration", "touch"
ERASING = 90.0


class NotRestored(Exception):
    """The tag is not as it was before; the text says what differs."""


def folder() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(home, "jacquard", "certify")


class Promises:
    """The promises for one tag. The file exists while there are any. serial: the end of its serial number, because a tag
    may have another address in the next run."""

    def __init__(self, serial: str) -> None:
        self._path = folder() / f"undo-{hashlib.sha256(serial.encode()).hexdigest()[:16]}.json"
        self.open: dict[str, Any] = {}
        with contextlib.suppress(FileNotFoundError):
            self.open = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            stored = json.loads(self._path.read_text())
            if stored["version"] != VERSION or not isinstance(stored["open"], dict):
                raise ValueError
            return dict(stored["open"])
        except (ValueError, KeyError, TypeError):
            raise NotRestored(f"{self._path}, which says how to restore the tag, cannot be read by this version") from None

    def make(self, kind: str, before: Any) -> None:
        """Call it before the change. An open promise of this kind stays: it has the state before the first change."""
        if kind not in self.open:
            self.open[kind] = before
            self._write()

    def keep(self, kind: str) -> None:
        """The state has been restored and verified."""
        if kind in self.open:
            del self.open[kind]
            self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.open:
            self._path.unlink(missing_ok=True)
        else:
            temporary = self._path.with_suffix(f".{os.getpid()}")
            with open(temporary, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                json.dump({"version": VERSION, "written": round(time.time()), "open": self.open}, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        descriptor = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


async def restore(promises: Promises, connection: jacquard.Connection) -> list[str]:
    """Keeps all promises; returns what was restored."""
    done = []
    for kind, work in RESTORERS.items():
        if kind in promises.open:
            await work(await connection.tag(), promises.open[kind])
            promises.keep(kind)
            done.append(kind)
    return done


async def recording(tag: jacquard.Tag, name: str) -> None:
    """Ends and erases the recording of this name, which was chosen at random, and no other."""
    try:
        await tag.prepare_motion()
    except jacquard.ModuleMissingError:
        return
    status = await tag.motion_status()
    if status.activity is not jacquard.MotionActivity.IDLE:
        await tag.stop_motion()
    for session in await tag.sessions():
        if session.name == name:
            await tag.erase_session(session, timeout=ERASING)
    if any(session.name == name for session in await tag.sessions()):
        raise NotRestored(f"the recording {name} is still on the tag")


async def module(tag: jacquard.Tag, was_loaded: bool) -> None:
    if was_loaded:
        await tag.prepare_motion()
    else:
        with contextlib.suppress(jacquard.ModuleMissingError):
            await tag.release_motion()


async def configuration(tag: jacquard.Tag, before: str) -> None:
    """Writes the blocks that differ from those that were read before."""
    wanted = dict(wire.fields(bytes.fromhex(before)))
    for attempt in (1, 2):
        different = [(number, block) for number, block in wanted.items() if (await blocks(tag)).get(number) != block]
        if not different:
            return
        if attempt == 1:
            await tag.send_request(wire.request(0, 11, (wire.CONFIGURATION, wire.encoded(*different))))
    raise NotRestored("the tag's configuration differs from the one before")


async def blocks(tag: jacquard.Tag) -> dict[int, wire.Content]:
    wanted = (wire.CONFIGURATION_READ, wire.encoded((1, 1), (2, 1), (3, 1)))
    content = wire.within(await tag.send_request(wire.request(0, 10, wanted)), wire.CONFIGURATION)
    return dict(wire.fields(content)) if isinstance(content, bytes) else {}


async def touch(tag: jacquard.Tag, before: None) -> None:
    """A new link is in gesture mode anyway."""
    for component in tag.components:
        if component.info.id != 0 and component.supports(jacquard.Capability.TOUCH):
            await component.set_touch_mode(jacquard.TouchMode.GESTURE)


RESTORERS: dict[str, Callable[[jacquard.Tag, Any], Awaitable[None]]] = {
    TOUCH: touch,
    RECORDING: recording,
    MODULE: module,
    CONFIGURATION: configuration,
}
