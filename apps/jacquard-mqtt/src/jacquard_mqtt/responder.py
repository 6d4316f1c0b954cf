"""Carries out requests, and responds to them."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from . import messages, requests
from .context import Context
from .errors import RequestError
from .session import Received
from .tag import TagBridge

LOG = logging.getLogger("jacquard_mqtt")
# The log has the same failure of requests once in this time.
FAILURE_INTERVAL = 60.0


class Responder:
    def __init__(self, context: Context, tags: dict[str, TagBridge]) -> None:
        self._context = context
        self._tags = tags
        self._pending: dict[asyncio.Task[None], str] = {}
        # When a failure of a request was last written to the log, by tag, command and code.
        self._failures: dict[tuple[str, str, str], float] = {}

    def request(self, name: str, command: str, message: Received) -> None:
        task = asyncio.ensure_future(self._carry_out(name, command, message))
        self._pending[task] = name
        task.add_done_callback(lambda task: self._pending.pop(task, None))

    async def close(self) -> None:
        for task in list(self._pending):
            task.cancel()
        if self._pending:
            await asyncio.wait(set(self._pending))

    async def _carry_out(self, name: str, command: str, message: Received) -> None:
        outcome: dict[str, Any] | RequestError
        try:
            tag = self._tags.get(name)
            if tag is None:
                raise RequestError("unknown_tag", f"This bridge has no tag {name[:64]!r}.")
            if list(self._pending.values()).count(name) > requests.MOST_PENDING:
                raise RequestError("busy", f"{requests.MOST_PENDING} requests for this tag are pending.")
            outcome = await requests.carry_out(tag, command, message.payload)
        except RequestError as error:
            outcome = error
        except asyncio.CancelledError:
            outcome = RequestError("stopping", "The bridge is shutting down.")
        except Exception as error:
            LOG.error("internal error in %s", command, exc_info=error)
            outcome = RequestError("internal", "An internal error; see the bridge's log.")
        if isinstance(outcome, RequestError):
            self._report_failure(name, command[:64], outcome)
        payload = requests.response(requests.identity(message.payload), outcome)
        topic = self._context.topics.tag(name, f"response/{command}")
        if message.response_topic is not None and self._may_respond_to(message.response_topic):
            topic = message.response_topic
        self._context.publisher.respond(topic, payload, message.correlation)

    def _report_failure(self, name: str, command: str, error: RequestError) -> None:
        """Not everyone who sends a request reads its response: the entities of Home Assistant do not."""
        is_known = name in self._tags
        key = (name if is_known else "", command if command in requests.COMMANDS else "", error.code)
        now = time.monotonic()
        if now - self._failures.get(key, -FAILURE_INTERVAL) >= FAILURE_INTERVAL:
            self._failures[key] = now
            shown = name if is_known else repr(name[:64])
            LOG.warning("%s: the request %r failed: %s (%s)", shown, command, error.message, error.code)
        if is_known:
            topic = self._context.topics.tag(name, "failure")
            self._context.publisher.respond(topic, messages.encoded(messages.failure(command, error)))

    def _may_respond_to(self, topic: str) -> bool:
        """A requester must not make the bridge write its own messages, discovery messages, or those of the broker."""
        reserved = (f"{self._context.settings.base_topic}/", self._context.discovery, "$")
        # A broker may end the connection of a client that publishes to a topic with control characters.
        valid = bool(topic) and topic.isprintable() and not any(letter in topic for letter in "+#")
        return valid and not topic.startswith(reserved)
