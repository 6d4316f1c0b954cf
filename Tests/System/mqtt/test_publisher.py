"""The queue of gestures and the table of retained messages, with a connection and a clock that the test controls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from jacquard_mqtt import publisher
from jacquard_mqtt.publisher import Publisher
from waiting import turn


class Connection:
    """A connection whose acknowledgements come from the test."""

    receive_maximum = 65535

    on_processed: Callable[[], None]

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.expiries: list[int | None] = []
        self.aborted: str | None = None

    def publish(
        self,
        topic: str,
        payload: Any,
        qos: int = 1,
        retain: bool = False,
        expiry: int | None = None,
        correlation: bytes | None = None,
    ) -> int:
        self.sent.append((topic, payload))
        self.expiries.append(expiry)
        return len(self.sent)

    def abort(self, reason: str) -> None:
        self.aborted = reason


class World:
    connection: Connection

    def __init__(self, limit: int = 5, maximum_age: int = 30) -> None:
        self.now = 1000.0
        self.publisher = Publisher(limit, maximum_age, lambda: self.now)
        self.publisher._check_progress = lambda: None  # type: ignore[method-assign] # needs an event loop

    def connect(self, **more: Any) -> None:
        self.connection = Connection()
        for name, value in more.items():
            setattr(self.connection, name, value)
        self.publisher.attach(self.connection)  # type: ignore[arg-type]

    def acknowledge(self, *numbers: int) -> None:
        for number in numbers:
            self.publisher.acknowledged(number)
        self.connection.on_processed()

    def gesture(self, *names: Any) -> None:
        for name in names:
            self.publisher.event("gesture", name)


@pytest.fixture
def world() -> World:
    return World()


def test_gestures_are_sent_immediately_and_in_order(world: World) -> None:
    world.connect()
    world.gesture("a", "b")
    assert world.connection.sent == [("gesture", "a"), ("gesture", "b")]
    assert world.publisher.queued == 2
    world.acknowledge(1, 2)
    assert (world.publisher.queued, world.publisher.published, world.publisher.idle) == (0, 2, True)


def test_unacknowledged_gestures_are_sent_again_in_order(world: World) -> None:
    world.connect()
    world.gesture("a", "b", "c")
    world.acknowledge(2)
    world.publisher.detach()
    world.gesture("d")
    world.connect()
    assert world.connection.sent == [("gesture", "a"), ("gesture", "c"), ("gesture", "d")]
    assert world.publisher.dropped == 0


def test_a_full_queue_drops_the_oldest_gestures_and_counts_them(world: World) -> None:
    world.gesture(*"abcdefg")
    assert world.publisher.dropped == 2
    world.connect()
    assert [payload for _, payload in world.connection.sent] == list("cdefg")


def test_unacknowledged_gestures_count_towards_the_limit(world: World) -> None:
    world.connect()
    world.gesture(*"abc")
    world.publisher.detach()
    world.gesture(*"defg")
    assert (world.publisher.dropped, world.publisher.queued) == (2, 5)


def test_old_gestures_are_dropped_and_counted(world: World) -> None:
    drops = []
    world.publisher.on_drop = lambda: drops.append(1)
    world.gesture("a", "b")
    world.now += 20
    world.gesture("c")
    world.now += 10
    world.connect()
    assert world.connection.sent == [("gesture", "c")]
    assert (world.publisher.dropped, len(drops)) == (2, 2)
    assert world.connection.expiries == [20]


def test_without_a_maximum_age_nothing_expires() -> None:
    world = World(maximum_age=0)
    world.gesture("a")
    world.now += 1e6
    world.connect()
    assert (world.connection.sent, world.connection.expiries) == ([("gesture", "a")], [None])


def test_unacknowledged_gestures_expire_as_well(world: World) -> None:
    world.connect()
    world.gesture("a")
    world.publisher.detach()
    world.now += 31
    world.connect()
    assert (world.connection.sent, world.publisher.dropped) == ([], 1)


def test_retained_messages_are_sent_once_per_change(world: World) -> None:
    world.connect()
    world.publisher.retain("state", b"1")
    world.publisher.retain("state", b"1")
    assert world.connection.sent == [("state", b"1")]


def test_messages_that_the_broker_has_kept_are_sent_again_only_if_they_change(world: World) -> None:
    for topic in ("a", "b", "c"):
        world.publisher.retain(topic, b"1")
    world.publisher.spare(["a", "b"])
    world.publisher.retain("b", b"2")
    world.connect()
    assert world.connection.sent == [("b", b"2"), ("c", b"1")]
    world.publisher.detach()
    world.connect()
    assert len(world.connection.sent) == 3


def test_changes_are_sent_before_repetitions_and_bulk_messages(world: World) -> None:
    for topic in ("a", "b", "c"):
        world.publisher.retain(topic, b"1")
    world.connect(receive_maximum=1)
    world.publisher.retain("d", b"1", bulk=True)
    world.publisher.retain("c", b"2")
    world.publisher.retain("b", b"")
    for number in range(1, 5):
        world.acknowledge(number)
    assert world.connection.sent == [("a", b"1"), ("c", b"2"), ("d", b"1"), ("b", b"")]


def test_only_the_last_of_several_changes_is_sent(world: World) -> None:
    for value in (b"1", b"2", b"3"):
        world.publisher.retain("state", value)
    world.connect()
    assert world.connection.sent == [("state", b"3")]


def test_retained_messages_are_sent_again_after_each_connection(world: World) -> None:
    world.connect()
    world.publisher.retain("a", b"1")
    world.publisher.retain("b", b"2")
    world.acknowledge(1, 2)
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == [("a", b"1"), ("b", b"2")]


def test_retained_messages_are_sent_in_the_requested_order(world: World) -> None:
    for topic in ("availability", "a", "b"):
        world.publisher.retain(topic, b"1")
    connection = Connection()
    world.publisher.attach(connection, lambda topic: topic == "availability")  # type: ignore[arg-type]
    assert [topic for topic, _ in connection.sent] == ["a", "b", "availability"]


def test_a_removal_is_repeated_until_it_is_acknowledged(world: World) -> None:
    world.publisher.retain("a", b"1")
    world.publisher.retain("a", b"")
    world.connect()
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == [("a", b"")]
    world.acknowledge(1)
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == []


def test_gestures_come_before_retained_messages(world: World) -> None:
    world.publisher.retain("a", b"1")
    world.gesture("x")
    world.connect()
    assert world.connection.sent == [("gesture", "x"), ("a", b"1")]


@pytest.mark.parametrize("maximum, wanted", [(65535, publisher.WINDOW), (3, 3)])
def test_the_number_of_unacknowledged_messages_respects_the_brokers_limit(maximum: int, wanted: Any) -> None:
    world = World(limit=100)
    world.gesture(*map(str, range(50)))
    world.connect(receive_maximum=maximum)
    assert len(world.connection.sent) == wanted
    world.acknowledge(1)
    assert len(world.connection.sent) == wanted + 1


def test_responses_are_not_kept_for_the_next_connection(world: World) -> None:
    world.publisher.respond("response", b"1")
    world.connect()
    world.publisher.respond("response", b"2")
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == []


def test_an_unknown_acknowledgement_is_ignored(world: World) -> None:
    world.connect()
    world.publisher.acknowledged(77)
    assert world.publisher.published == 0


def test_a_part_is_kept_until_it_is_acknowledged(world: World) -> None:
    async def run() -> None:
        parts = [asyncio.ensure_future(world.publisher.part("recording", payload)) for payload in (b"1", b"2")]
        await turn()
        world.connect()
        assert world.connection.sent == [("recording", b"1"), ("recording", b"2")]
        world.publisher.detach()
        world.gesture("a")
        world.connect()
        assert world.connection.sent == [("gesture", "a"), ("recording", b"1"), ("recording", b"2")]
        world.acknowledge(2)
        await parts[0]
        assert not parts[1].done()
        parts[1].cancel()

    asyncio.run(run())


def test_a_part_that_no_one_waits_for_is_not_sent(world: World) -> None:
    async def run() -> None:
        part = asyncio.ensure_future(world.publisher.part("recording", b"1"))
        await turn()
        part.cancel()
        await turn()
        world.connect()
        assert world.connection.sent == []

    asyncio.run(run())
