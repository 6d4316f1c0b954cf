"""All requests to a tag and its gear, and all events that they send."""

from __future__ import annotations

import os

import jacquard
import pytest
from jacquard import Led, TouchMode, blocking
from running import next_of, with_tag
from simulator import SERIAL, Simulator

JACKET = "gear attach levis-trucker"
BACKPACK = "gear attach saint-laurent-backpack"


async def heard(tag: jacquard.Tag) -> None:
    """Returns when the library has processed all earlier calls."""
    await tag.battery()


async def gear_of(connection: jacquard.Connection) -> jacquard.Component:
    async with connection.events(jacquard.Gear) as events:
        async for event in events:
            component: jacquard.Component | None = event.component
            if component is not None:
                return component
    raise AssertionError("no gear")


def test_the_load_of_a_module_is_an_event(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        async with connection.events(jacquard.ModuleLoad) as loads:
            await heard(tag)
            # As if another program had requested it: the motion module runs; then it fails.
            simulator.tell("send notification c0 13 08 00 10 12 18 00 82 4b 0a 08 00 12 06 20 d3 ce af e8 03")
            load = await loads.next()
            assert load is not None
            assert (load.module.module_id, load.status) == (0x3D0BE753, jacquard.TagStatus.OK)
            simulator.tell("send notification c0 13 08 00 10 12 18 00 82 4b 0a 08 04 12 06 20 d3 ce af e8 03")
            load = await loads.next()
            assert load is not None
            assert load.status is jacquard.TagStatus.HARDWARE_FAILURE

    with_tag(simulator, body)


def test_the_status_of_a_response_has_a_name(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell("on request battery once: status 10")
        with pytest.raises(jacquard.TagStatusError) as refused:
            await tag.battery()
        assert refused.value.details.tag_status is jacquard.TagStatus.BUSY

    with_tag(simulator, body)


def test_gestures(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell(JACKET)
        await gear_of(connection)
        async with connection.events(jacquard.Gesture) as gestures:
            await heard(tag)
            for word, number in (("double-tap", 1), ("brush-in", 2), ("brush-out", 3), ("cover", 7)):
                simulator.tell(f"gesture {word}")
                gesture = await next_of(gestures)
                assert (gesture.type, gesture.name) == (number, word)
            simulator.tell("gesture 200")
            assert await gestures.next() == jacquard.Gesture(jacquard.GestureType(200), "")

    with_tag(simulator, body)


def test_touch(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell(JACKET)
        gear = await gear_of(connection)
        await gear.set_touch_mode(TouchMode.CONTINUOUS)
        async with connection.events(jacquard.Touch) as touches:
            await heard(tag)
            simulator.tell("touch 9 1 2 3 4 5 6 7 8 9 10 11 128")
            touch = await next_of(touches)
        assert touch.proximity == 9
        assert touch.lines == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 128)
        async with connection.events(jacquard.TouchModeReport) as modes:
            assert await modes.next() == jacquard.TouchModeReport(TouchMode.CONTINUOUS, os.getpid())
            await gear.set_touch_mode(TouchMode.GESTURE)
            assert await modes.next() == jacquard.TouchModeReport(TouchMode.GESTURE, os.getpid())

    with_tag(simulator, body)


def test_renaming(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        async with connection.events(jacquard.Name) as names:
            assert await names.next() == jacquard.Name(f"Jacquard-{SERIAL}")
            await tag.rename("Ärmel")
            async for name in names:
                if name == jacquard.Name("Ärmel"):
                    break
        for wrong in ("", "x" * 22, "é" * 11, "a\0b"):
            with pytest.raises(ValueError):
                await tag.rename(wrong)
        again = await connection.tag()
        while again == tag:
            again = await connection.tag()
        with pytest.raises(jacquard.UnchangedError):
            await again.rename("Ärmel")

    with_tag(simulator, body)


@pytest.mark.parametrize(
    "value", [True, False, 0, 7, (1 << 32) - 1, 1 << 32, (1 << 64) - 1, -1, -(1 << 31), -(1 << 63), 0.5, "", "grün"]
)
def test_stored_values(simulator_for_module: Simulator, value: bool | int | float | str) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.write_value("py.key", value)
        stored = await tag.read_value("py.key")
        assert (stored, type(stored)) == (value, type(value))
        assert await tag.read_value("py.nothing") is None
        await tag.write_value("py.key", 1.5, type=jacquard.ValueType.FLOAT, vendor_id=1, product_id=2)
        assert await tag.read_value("py.key", vendor_id=1, product_id=2) == 1.5

    with_tag(simulator_for_module, body)


def test_values_that_cannot_be_stored(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        for wrong in (1 << 64, -(1 << 63) - 1, "a\0b"):
            with pytest.raises(ValueError):
                await tag.write_value("key", wrong)
        with pytest.raises(ValueError):
            await tag.write_value("", 1)
        with pytest.raises(ValueError):
            await tag.write_value("key", 1 << 40, type=jacquard.ValueType.UINT32)
        with pytest.raises(TypeError):
            await tag.write_value("key", "text", type=jacquard.ValueType.BOOL)
        with pytest.raises(TypeError):
            await tag.write_value("key", 0.5, type=jacquard.ValueType.INT32)

    with_tag(simulator, body)


def test_configuration(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        before = await tag.configuration()
        after = await tag.configure(jacquard.Configuration(tx_power=-8, motion_enabled=True))
        assert (after.tx_power, after.motion_enabled) == (-8, True)
        assert after.name == before.name
        assert await tag.configuration() == after
        with pytest.raises(ValueError):
            await tag.configure(jacquard.Configuration(fast_duration_s=1 << 32))

    with_tag(simulator, body)


def test_modules(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        (module,) = await tag.modules()
        assert (module.name, module.version, module.enabled) == ("IMU", (0, 17, 0), False)
        await tag.load_module(module)
        assert [loaded.enabled for loaded in await tag.modules()] == [True]
        await tag.unload_module(module)
        assert [loaded.enabled for loaded in await tag.modules()] == [False]
        await tag.delete_module(module)
        assert await tag.modules() == []
        with pytest.raises(jacquard.TagStatusError) as caught:
            await tag.load_module(module)
        assert caught.value.details.tag_status and caught.value.details.tag_status_name

    with_tag(simulator, body)


def test_raw_requests(simulator: Simulator) -> None:
    """A Request for the battery: domain 0, opcode 23, with both fields."""
    battery = bytes.fromhex("0800 1017 1801 ca07 04 0801 1001")

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell("battery 9 charging")
        response = await tag.send_request(battery)
        assert bytes.fromhex("ca07 04 0809 1001") in response
        for wrong in (b"", b"\xff", bytes(2000)):
            with pytest.raises(ValueError):
                await tag.send_request(wrong)
        with pytest.raises(ValueError):
            await tag.send_raw_data(b"")

    with_tag(simulator, body)


def test_the_raw_data_channel(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        async with connection.events(jacquard.RawValue) as values:
            await heard(tag)
            simulator.tell("send raw 80 09 05 07")  # the beginning of a packet
            assert await values.next() == jacquard.RawValue(bytes.fromhex("80090507"))
        with pytest.raises(jacquard.JacquardError):
            await tag.send_raw_data(b"", timeout=1)

    with_tag(simulator, body)


def test_the_blocking_api_has_every_feature(simulator: Simulator) -> None:
    simulator.tell(BACKPACK)
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        with connection.events(jacquard.Gear) as events:
            gear = next(event.component for event in events if event.component is not None)
        assert isinstance(gear, blocking.Component) and gear.info.id != 0
        gear.led(Led.blink("red", 0.5))
        gear.set_touch_mode(TouchMode.GESTURE)
        assert gear.read_info().product_id == gear.info.product_id
        tag = connection.tag()
        tag.led(Led.off())
        tag.write_value("key", "value")
        assert tag.read_value("key") == "value"
        assert tag.configure(jacquard.Configuration(tx_power=-4)).tx_power == -4
        assert tag.configuration().tx_power == -4
        (module,) = tag.modules()
        tag.load_module(module)
        tag.unload_module(module)
        assert tag.component.info.id == 0 and connection.counters.links == 1
        tag.rename("Sleeve")
        with connection.states() as states:
            next(state for state in states if state.tag not in (None, tag))


def test_both_apis_have_the_same_members() -> None:
    def offered(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    for name in ("Manager", "Connection", "Tag", "Component"):
        assert offered(getattr(jacquard, name)) == offered(getattr(blocking, name))


def test_received_data_is_counted(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        before = connection.counters
        await tag.battery()
        after = connection.counters
        assert (before.links, after.links) == (1, 1)
        assert after.responses == before.responses + 1
        async with connection.events(jacquard.Notification) as notifications:
            await heard(tag)
            simulator.tell("battery 9 charging")
            assert (await next_of(notifications)).data
        assert connection.counters.notifications == after.notifications + 1
        assert connection.counters.dropped_notifications == 0

    with_tag(simulator, body)


def test_the_signal_strength_of_the_last_advertisement(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        assert connection.rssi is not None and -100 < connection.rssi < 0

    with_tag(simulator, body)


def test_the_blocking_api_has_the_signal_strength(simulator: Simulator) -> None:
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        assert connection.tag() and connection.rssi


def test_a_tag_can_be_asked_to_drop_the_link(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        async with connection.states() as states:
            await states.next()
            await tag.request_disconnect()
            assert (await next_of(states)).phase is jacquard.Phase.PREPARING
            async for state in states:
                if state.tag is not None:
                    break

    with_tag(simulator, body)
