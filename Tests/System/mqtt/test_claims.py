"""Which bridge publishes a tag's gestures: what one bridge concludes from the messages of another one on its host."""

from __future__ import annotations

import asyncio
import json
import socket
from types import SimpleNamespace
from typing import Any, cast

from jacquard_mqtt import messages
from jacquard_mqtt.claims import Claims
from jacquard_mqtt.context import Context
from jacquard_mqtt.tag import TagBridge

TAG = "sleeve"


class HeldGestures:
    """A tag that only notes whether its gestures are held, dropped or published."""

    def __init__(self) -> None:
        self.selection = SimpleNamespace(topic=TAG)
        self.connected, self.owned = True, False
        self.fates: list[str] = []

    def hold(self) -> None:
        self.fates.append("held")

    def end_hold(self) -> None:
        self.fates.append("published" if self.owned else "dropped")


def test_gestures_are_left_to_a_bridge_that_ends_before_it_has_announced_itself() -> None:
    async def body() -> None:
        tag = HeldGestures()

        def changed(_: TagBridge, is_own: bool) -> None:
            tag.owned = is_own

        context = cast(Context, SimpleNamespace(settings=SimpleNamespace(bridge="second")))
        claims = Claims(context, {TAG: cast(TagBridge, tag)}, changed, lambda: True)
        claims.begin()
        claims.take_status("first", json.dumps({"tags": [TAG], "host": socket.gethostname()}).encode())

        def take_info(epoch: int, bridge: str, retained: bool) -> None:
            stored: dict[str, Any] = {"epoch": epoch, "bridge": bridge}
            claims.take_info(TAG, stored, retained)

        take_info(3, "first", retained=True)
        claims.take_tag_availability(TAG, messages.ONLINE)
        claims.claim(cast(TagBridge, tag))
        assert tag.fates == ["held"]
        take_info(4, "first", retained=False)
        assert tag.fates == ["held", "dropped"]
        claims.take_availability("first", messages.OFFLINE, False)
        claims.review()
        assert tag.owned and tag.fates == ["held", "dropped", "held"]
        take_info(5, "second", retained=False)
        assert tag.fates == ["held", "dropped", "held", "published"]

    asyncio.run(body())
