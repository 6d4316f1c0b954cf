"""What the bridge publishes while a tag is away."""

import asyncio
import json
import types
from typing import Any

from jacquard import (
    ConnectFailedError,
    ConnectionLostError,
    ConnectionState,
    DisconnectReason,
    ErrorDetails,
    JacquardError,
    Phase,
    PoweredOffError,
    Status,
)
from jacquard_mqtt.firmware import Images
from jacquard_mqtt.publisher import Publisher
from jacquard_mqtt.tag import Selection, TagBridge
from jacquard_mqtt.topics import Topics
from test_publisher import Connection

# More attempts than the library makes in an hour: it waits up to a minute for the link.
ATTEMPTS = 100
STEPS = range(4)
MOST_MESSAGES = 10


def error(kind: type[JacquardError], code: Status, message: Any) -> JacquardError:
    return kind(ErrorDetails(code, message, ""))


LOST = error(ConnectionLostError, Status.CONNECTION_LOST, "The link was lost.")
FAILED = error(ConnectFailedError, Status.CONNECT_FAILED, "The tag cannot be reached.")
OFF = error(PoweredOffError, Status.POWERED_OFF, "The adapter is off.")


def reason_of(attempt: int) -> JacquardError:
    if attempt == 1:
        return LOST
    return OFF if attempt == 50 else FAILED


def test_an_hour_without_the_tag_is_few_messages() -> None:
    """The library reports each step of each attempt. The messages do not have the steps."""

    async def run() -> list[tuple[str, Any]]:
        publisher, broker = Publisher(10, 30), Connection()
        publisher._check_progress = lambda: None  # type: ignore[method-assign]
        tag = TagBridge(Selection("sleeve", "1"), Topics("jacquard", "test"), publisher, Images(None), 600)
        tag.owned = True
        broker.receive_maximum = 65535
        publisher.attach(broker)  # type: ignore[arg-type]
        rssi: int | None = -90
        for attempt in range(1, ATTEMPTS):
            for step in STEPS:
                state: ConnectionState[Any] = ConnectionState(
                    Phase.PREPARING,
                    step,
                    14,
                    attempt,
                    reason=reason_of(attempt),
                    disconnect_reason=DisconnectReason.TIMEOUT,
                )
                tag.receive(state, types.SimpleNamespace(rssi=rssi))  # type: ignore[arg-type]
                for number in list(publisher._in_flight):
                    publisher.acknowledged(number)
                broker.on_processed()
            rssi = None
        return [(topic.rpartition("/")[2], json.loads(payload)) for topic, payload in broker.sent]

    sent = asyncio.run(run())
    reasons = [message["reason"]["code"] for what, message in sent if what == "state" and message["reason"]]
    assert reasons == ["connection_lost", "connect_failed", "powered_off", "connect_failed"]
    assert len(sent) <= MOST_MESSAGES, sent
