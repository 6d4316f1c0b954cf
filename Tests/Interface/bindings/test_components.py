"""The components of a tag: the tag itself and gear."""

from __future__ import annotations

import jacquard
import pytest
from jacquard import Capability, Haptic, Led, LedFrame, blocking
from running import next_of, with_tag
from simulator import SERIAL, Simulator
from test_features import BACKPACK, JACKET, gear_of


def test_the_tag_is_a_component_with_a_light(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        component = tag.component
        assert (component.info.id, component.info.vendor_text) == (0, "11-78-30-c8")
        assert component.info.capabilities == Capability.LED
        assert component.supports(Capability.LED) and not component.supports(Capability.HAPTIC)
        assert (await component.read_info()).firmware == tag.info.firmware
        with pytest.raises(jacquard.UnsupportedError):
            await component.haptic(Haptic(on=0.2))

    with_tag(simulator, body)


@pytest.mark.parametrize(
    "pattern",
    [
        Led.solid("teal", duration=1),
        Led.blink("#0af080", duration=2, intensity=50),
        Led.breathe((1, 2, 3), duration=0.5),
        Led.breathe(0x010203, duration=0.5),
        Led.pulse("white", duration=0.5),
        Led([LedFrame("red", 0.1), LedFrame("blue", 0.1)] * 20, duration=60, toggle=True, resumable=True),
        Led.off(),
    ],
)
def test_light(simulator_for_module: Simulator, pattern: Led) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.led(pattern)

    with_tag(simulator_for_module, body)


def test_invalid_light_is_refused(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        for wrong in (
            Led.solid("greenish", 1),
            Led.solid("#12345", 1),
            Led.solid("0x1234567", 1),
            Led.solid("1,2,256", 1),
            Led.solid(0x1000000, 1),
            Led.solid((0, 0, 256), 1),
            Led.solid("red", 1, intensity=0),
            Led.solid("red", -1),
            Led([]),
            Led([LedFrame("red", 0.1)] * 500),
        ):
            with pytest.raises(ValueError):
                await tag.led(wrong)

    with_tag(simulator, body)


def test_gear_is_attached_and_detached(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell(BACKPACK)
        gear = await gear_of(connection)
        assert gear.info.product.startswith("Cit")
        assert gear.supports(Capability.HAPTIC) and gear.supports(Capability.TOUCH)
        assert gear != tag.component
        await gear.haptic(Haptic(on=0.17, off=0.03, repeats=1))
        await gear.haptic(Haptic.named("notification"))
        await gear.haptic(Haptic.halt())
        await gear.led(Led.solid("red", 1))
        for wrong in (Haptic(on=66), Haptic(on=1, amplitude=101), Haptic(on=1, repeats=256), Haptic(on=-1)):
            with pytest.raises(ValueError):
                await gear.haptic(wrong)
        with pytest.raises(ValueError, match="'tickle' is not one of insert, gesture, notification, error, alert, off"):
            Haptic.named("tickle")
        async with connection.events(jacquard.Gear) as events:
            assert (await next_of(events)).component == gear
            simulator.tell("gear detach")
            assert (await next_of(events)).component is None
        with pytest.raises(jacquard.StaleGearError):
            await gear.led(Led.solid("red", 1))

    with_tag(simulator, body)


def test_the_components_of_a_tag_are_listed(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        assert [component.info.id for component in tag.components] == [0]
        simulator.tell(JACKET)
        gear = await gear_of(connection)
        own, attached = tag.components
        assert own.info == tag.component.info
        assert attached.info == gear.info
        await attached.haptic(Haptic(on=0.1))

    with_tag(simulator, body)


def test_the_components_are_blocking_ones(simulator: Simulator) -> None:
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        [own] = connection.tag().components
        own.led(Led.solid("red", 1))
