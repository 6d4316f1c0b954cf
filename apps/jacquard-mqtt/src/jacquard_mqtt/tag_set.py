"""The tags that the bridge connects, according to the configuration and the bound tags."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import jacquard

from . import selection
from .context import Context
from .firmware import Images
from .tag import Selection, TagBridge

LOG = logging.getLogger("jacquard_mqtt")


class TagSet:
    def __init__(
        self,
        context: Context,
        images: Images,
        described: Callable[[TagBridge], None],
        selected: Callable[[], None],
        obstructed: Callable[[], None],
        connected: Callable[[TagBridge], None],
    ) -> None:
        """The callbacks: the contents of a tag's discovery messages have changed; tags may have been added or removed;
        `obstacle` has changed; a tag has been connected."""
        self.by_topic: dict[str, TagBridge] = {}
        # Why Bluetooth cannot be used.
        self.obstacle: jacquard.JacquardError | None = None
        self.manager: jacquard.Manager  # set before the first selection
        # Set when a tag may have been bound or unbound.
        self.changes = asyncio.Event()
        self._context = context
        self._images = images
        self._described, self._selected, self._obstructed = described, selected, obstructed
        self._connected = connected
        self._selections: dict[str, Selection] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}

    async def follow_known(self) -> None:
        """Follows tags being bound and unbound, by any program of this user."""
        while True:
            await self.changes.wait()
            self.changes.clear()
            await self.select()

    async def follow_adapter(self) -> None:
        """Reports why Bluetooth cannot be used; the library waits until it can."""
        async with self.manager.adapter_states() as states:
            async for adapter in states:
                if adapter.error is not None:
                    LOG.warning("%s", adapter.error)
                elif self.obstacle is not None and adapter.usable:
                    LOG.info("Bluetooth can be used")
                self.obstacle = adapter.error
                for tag in self.by_topic.values():
                    tag.obstruct(adapter.error)
                self._obstructed()

    async def select(self) -> None:
        """Starts and stops tags."""
        try:
            known = await self.manager.known()
        except jacquard.StateFileError as error:
            LOG.error("%s", error)
            return
        wanted = selection.selected(self._context.settings.tags, known)
        for name in [name for name in self.by_topic if wanted.get(name) != self._selections.get(name)]:
            await self._remove(name)
        for name, chosen in wanted.items():
            if name in self.by_topic:
                self.by_topic[name].retry.set()
            else:
                self._add(name, chosen)
        self._selected()

    async def configure(self) -> None:
        """Applies the settings to the tags that stay."""
        for tag in self.by_topic.values():
            tag.derives = self._context.settings.gestures.derived
            await tag.fader.use(self._context.settings.fader.mode)
            tag.light.seconds = self._context.settings.home_assistant.light_seconds
            tag.compare_firmware()

    async def remove_all(self) -> None:
        for name in list(self.by_topic):
            await self._remove(name)

    async def close(self) -> None:
        for task in self._runs.values():
            task.cancel()
        if self._runs:
            await asyncio.wait(set(self._runs.values()))

    def _add(self, name: str, chosen: Selection) -> None:
        context = self._context
        light_seconds = context.settings.home_assistant.light_seconds
        tag = TagBridge(chosen, context.topics, context.publisher, self._images, light_seconds)
        tag.on_described = lambda: self._described(tag)
        tag.on_connected = lambda: self._connected(tag)
        tag.obstruct(self.obstacle)
        self._selections[name], self.by_topic[name] = chosen, tag
        self._runs[name] = context.start(self._run(tag))

    async def _run(self, tag: TagBridge) -> None:
        tag.derives = self._context.settings.gestures.derived
        await tag.fader.use(self._context.settings.fader.mode)
        await tag.run(self.manager)

    async def _remove(self, name: str) -> None:
        task = self._runs.pop(name)
        task.cancel()
        await asyncio.wait({task})
        del self.by_topic[name], self._selections[name]
