"""Firmware: images in a directory of this machine, and updates of a tag with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jacquard
from jacquard import Firmware, TagInfo, UpdateMode, UpdatePhase, UpdateProgress

from . import messages
from .errors import RequestError

LOG = logging.getLogger("jacquard_mqtt")
MANIFEST = ".json"
# Phases of an update that cannot be stopped.
INSTALLING = tuple(messages.word(phase) for phase in (UpdatePhase.EXECUTING, UpdatePhase.RESTARTING))
Version = tuple[int, int, int]


class Images:
    """The images in the directory of the configuration, by file name."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        # Files that were reported as invalid.
        self._reported: dict[str, str] = {}

    async def read(self) -> dict[str, Firmware]:
        return await asyncio.to_thread(self._read, Path(self.directory)) if self.directory is not None else {}

    def _read(self, directory: Path) -> dict[str, Firmware]:
        found, invalid = {}, {}
        try:
            manifests = sorted(directory.glob(f"*{MANIFEST}"))
        except OSError as error:
            manifests, invalid[str(directory)] = [], error.strerror or str(error)
        for manifest in manifests:
            image = manifest.with_name(manifest.name.removesuffix(MANIFEST))
            try:
                found[image.name] = Firmware.read(image)
            except (jacquard.JacquardError, OSError, ValueError) as error:
                invalid[str(image)] = str(error)
        for path, problem in invalid.items():
            if self._reported.get(path) != problem:
                LOG.warning("%s: %s", path, problem)
        self._reported = invalid
        return found


def newest_for(tag: TagInfo, images: dict[str, Firmware]) -> str | None:
    """The name of the image with the highest version for this tag; not those for gear or modules."""
    fitting = [
        (image.version, name)
        for name, image in images.items()
        if (image.vendor_id, image.product_id, image.module_id) == (tag.vendor_id, tag.product_id, 0)
    ]
    return max(fitting)[1] if fitting else None


class Updates:
    """The firmware of one tag: the installed version, the newest image, and the progress of an update."""

    def __init__(self, images: Images, publish: Callable[[dict[str, Any]], None]) -> None:
        self._images = images
        self._publish = publish
        self._value: dict[str, Any] = {"installed": None, "latest": None, "phase": None, "percent": None}
        self._running: asyncio.Task[dict[str, Any]] | None = None

    @property
    def offered(self) -> bool:
        return self._images.directory is not None

    async def compare(self, tag: TagInfo) -> dict[str, Firmware]:
        """Publishes which version is installed, and which is the newest. Returns the images."""
        images = await self._images.read()
        name = newest_for(tag, images)
        latest = tag.firmware if name is None else max(tag.firmware, images[name].version)
        self._show(installed=dotted(tag.firmware), latest=dotted(latest))
        return images

    async def install(self, connection: jacquard.Connection, tag: TagInfo, body: dict[str, Any]) -> dict[str, Any]:
        """Carries out a request. Raises RequestError and JacquardError."""
        if self._running is not None:
            raise RequestError("update_in_progress", "The firmware of the tag is being updated.", "Wait, or stop it.")
        self._running = asyncio.ensure_future(self._install(connection, tag, body))
        try:
            return await self._running
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise RequestError("stopped", "The update was stopped by another request.") from None
        finally:
            self._running = None
            self._show(phase=None, percent=None)

    def stop(self) -> None:
        """Stops the transfer; the transferred part stays on the tag."""
        if self._running is None:
            raise RequestError("not_updating", "The firmware of the tag is not being updated.")
        if self._value["phase"] in INSTALLING:
            raise RequestError("installing", "The image is being installed, which cannot be stopped.")
        self._running.cancel()

    async def _install(self, connection: jacquard.Connection, tag: TagInfo, body: dict[str, Any]) -> dict[str, Any]:
        images = await self.compare(tag)
        name = body.get("file", newest_for(tag, images))
        if name not in images:
            advice = "Put it, and its manifest, into the directory."
            raise RequestError("unknown_image", "The bridge has no such image.", advice)
        (result,) = await connection.update_firmware(
            [images[name]],
            UpdateMode.CHECK if body.get("check") else UpdateMode.INSTALL,
            allow_downgrade=body.get("allow_downgrade", False),
            overwrite=body.get("overwrite", False),
            least_battery=body.get("least_battery", 20),
            progress=self._advance,
        )
        return {
            "file": name,
            "outcome": messages.word(result.outcome),
            "before": dotted(result.before),
            "after": dotted(result.after),
            "stale_services": result.stale_services,
        }

    def _advance(self, progress: UpdateProgress) -> None:
        if progress.phase is UpdatePhase.TRANSFERRING:
            self._show(percent=100 * progress.done // progress.total)
        self._show(phase=messages.word(progress.phase))

    def _show(self, **changes: Any) -> None:
        self._value = {**self._value, **changes}
        if self.offered:
            self._publish(self._value)


def dotted(version: Version) -> str:
    return ".".join(map(str, version))
