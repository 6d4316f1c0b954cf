"""The queue of gestures and the table of retained messages, with a connection and a clock that the test controls."""

import asyncio

import pytest
from jacquard_mqtt import publisher
from jacquard_mqtt.publisher import Publisher


class Connection:
    """Acknowledges when the test does."""

    receive_maximum = 65535

    def __init__(self):
        self.sent = []
        self.expiries = []
        self.aborted = None

    def publish(self, topic, payload, qos=1, retain=False, expiry=None, correlation=None):
        self.sent.append((topic, payload))
        self.expiries.append(expiry)
        return len(self.sent)

    def abort(self, reason):
        self.aborted = reason


class World:
    def __init__(self, limit=5, maximum_age=30):
        self.now = 1000.0
        self.publisher = Publisher(limit, maximum_age, lambda: self.now)
        self.publisher._check_progress = lambda: None  # needs an event loop
        self.connection = None

    def connect(self, **more):
        self.connection = Connection()
        for name, value in more.items():
            setattr(self.connection, name, value)
        self.publisher.attach(self.connection)

    def acknowledge(self, *numbers):
        for number in numbers:
            self.publisher.acknowledged(number)
        self.connection.on_processed()

    def gesture(self, *names):
        for name in names:
            self.publisher.event("gesture", name)


@pytest.fixture
def world():
    return World()


def test_gestures_are_sent_immediately_and_in_order(world):
    world.connect()
    world.gesture("a", "b")
    assert world.connection.sent == [("gesture", "a"), ("gesture", "b")]
    assert world.publisher.queued == 2
    world.acknowledge(1, 2)
    assert (world.publisher.queued, world.publisher.published, world.publisher.idle) == (0, 2, True)


def test_unacknowledged_gestures_are_sent_again_in_order(world):
    world.connect()
    world.gesture("a", "b", "c")
    world.acknowledge(2)
    world.publisher.detach()
    world.gesture("d")
    world.connect()
    assert world.connection.sent == [("gesture", "a"), ("gesture", "c"), ("gesture", "d")]
    assert world.publisher.dropped == 0


def test_a_full_queue_drops_the_oldest_gestures_and_counts_them(world):
    world.gesture(*"abcdefg")
    assert world.publisher.dropped == 2
    world.connect()
    assert [payload for _, payload in world.connection.sent] == list("cdefg")


def test_unacknowledged_gestures_count_towards_the_limit(world):
    world.connect()
    world.gesture(*"abc")
    world.publisher.detach()
    world.gesture(*"defg")
    assert (world.publisher.dropped, world.publisher.queued) == (2, 5)


def test_old_gestures_are_dropped_and_counted(world):
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


def test_without_a_maximum_age_nothing_expires():
    world = World(maximum_age=0)
    world.gesture("a")
    world.now += 1e6
    world.connect()
    assert (world.connection.sent, world.connection.expiries) == ([("gesture", "a")], [None])


def test_unacknowledged_gestures_expire_as_well(world):
    world.connect()
    world.gesture("a")
    world.publisher.detach()
    world.now += 31
    world.connect()
    assert (world.connection.sent, world.publisher.dropped) == ([], 1)


def test_retained_messages_are_sent_once_per_change(world):
    world.connect()
    world.publisher.retain("state", b"1")
    world.publisher.retain("state", b"1")
    assert world.connection.sent == [("state", b"1")]


def test_messages_that_the_broker_has_kept_are_sent_again_only_if_they_change(world):
    for topic in ("a", "b", "c"):
        world.publisher.retain(topic, b"1")
    world.publisher.spare(["a", "b"])
    world.publisher.retain("b", b"2")
    world.connect()
    assert world.connection.sent == [("b", b"2"), ("c", b"1")]
    world.publisher.detach()
    world.connect()
    assert len(world.connection.sent) == 3


def test_changes_are_sent_before_repetitions_and_bulk_messages(world):
    for topic in ("a", "b", "c"):
        world.publisher.retain(topic, b"1")
    world.connect(receive_maximum=1)
    world.publisher.retain("d", b"1", bulk=True)
    world.publisher.retain("c", b"2")
    world.publisher.retain("b", b"")
    for number in range(1, 5):
        world.acknowledge(number)
    assert world.connection.sent == [("a", b"1"), ("c", b"2"), ("d", b"1"), ("b", b"")]


def test_only_the_last_of_several_changes_is_sent(world):
    for value in (b"1", b"2", b"3"):
        world.publisher.retain("state", value)
    world.connect()
    assert world.connection.sent == [("state", b"3")]


def test_retained_messages_are_sent_again_after_each_connection(world):
    world.connect()
    world.publisher.retain("a", b"1")
    world.publisher.retain("b", b"2")
    world.acknowledge(1, 2)
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == [("a", b"1"), ("b", b"2")]


def test_retained_messages_are_sent_in_the_requested_order(world):
    for topic in ("availability", "a", "b"):
        world.publisher.retain(topic, b"1")
    connection = Connection()
    world.publisher.attach(connection, lambda topic: topic == "availability")
    assert [topic for topic, _ in connection.sent] == ["a", "b", "availability"]


def test_a_removal_is_repeated_until_it_is_acknowledged(world):
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


def test_gestures_come_before_retained_messages(world):
    world.publisher.retain("a", b"1")
    world.gesture("x")
    world.connect()
    assert world.connection.sent == [("gesture", "x"), ("a", b"1")]


@pytest.mark.parametrize("maximum, wanted", [(65535, publisher.WINDOW), (3, 3)])
def test_the_number_of_unacknowledged_messages_respects_the_brokers_limit(maximum, wanted):
    world = World(limit=100)
    world.gesture(*map(str, range(50)))
    world.connect(receive_maximum=maximum)
    assert len(world.connection.sent) == wanted
    world.acknowledge(1)
    assert len(world.connection.sent) == wanted + 1


def test_responses_are_not_kept_for_the_next_connection(world):
    world.publisher.respond("response", b"1")
    world.connect()
    world.publisher.respond("response", b"2")
    world.publisher.detach()
    world.connect()
    assert world.connection.sent == []


def test_an_unknown_acknowledgement_is_ignored(world):
    world.connect()
    world.publisher.acknowledged(77)
    assert world.publisher.published == 0


def test_a_part_is_kept_until_it_is_acknowledged(world):
    async def run():
        parts = [asyncio.ensure_future(world.publisher.part("recording", payload)) for payload in (b"1", b"2")]
        await asyncio.sleep(0)
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


def test_a_part_that_no_one_waits_for_is_not_sent(world):
    async def run():
        part = asyncio.ensure_future(world.publisher.part("recording", b"1"))
        await asyncio.sleep(0)
        part.cancel()
        await asyncio.sleep(0)
        world.connect()
        assert world.connection.sent == []

    asyncio.run(run())
