"""Everything is released inside each kind of callback: nothing is called afterwards, and nothing remains."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import itertools
from collections.abc import Iterator
from typing import Any, Callable

import jacquard
import pytest
import raw
from jacquard import Phase, TouchMode, blocking
from jacquard._native import callbacks, handles, structs
from jacquard._native.library import library
from simulator import SERIAL, Simulator

SEQUENCES = itertools.cycle(range(1, 256))


def raw_packet() -> str:
    """The link stays between two tests, and a packet with the number of the previous one is a repeated packet."""
    return f"raw-packet {next(SEQUENCES)} 01 02 03"


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator("--time-scale", "50") as running:
        running.tell("sleep-after 10000min")  # of the simulator's time
        running.tell("gear attach saint-laurent-backpack")
        running.tell("every 500ms touch sweep")
        running.tell("every 500ms gesture cover")
        running.tell("every 500ms battery 50")
        yield running


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    gc.collect()
    before = raw.descriptors(), raw.threads()
    yield
    assert (raw.descriptors(), raw.threads()) == before


class World:
    """A manager with a connection, and one callback that releases both when it is called for the first time."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.manager = raw.new_manager(simulator.bus_address)
        self.connection = handles.Connection()
        self.tag = handles.Tag()
        self.over = False
        self.destroyed = raw.Destroyed()
        self.kept: list[Any] = []

    def connect(self) -> None:
        """Waits until the tag is connected."""
        found: list[bytes] = []
        seen = self.callback(
            callbacks.AdvertisementCallback, lambda advertisement: found.append(advertisement.contents.identifier)
        )
        options = structs.ScanOptions(ctypes.sizeof(structs.ScanOptions), 0, SERIAL.encode())
        none = callbacks.ScanEndCallback(), None, raw.NO_DESTROY, ctypes.POINTER(handles.Scan)()
        assert library().jacquard_manager_scan(self.manager, ctypes.byref(options), seen, *none) == 0
        raw.dispatch_until(self.manager, lambda: bool(found))

        def state(address: int) -> None:
            state = structs.ConnectionState.from_address(address)
            if state.phase == Phase.CONNECTED and not self.tag:
                self.tag = library().jacquard_tag_ref(state.tag)

        on_state = self.callback(callbacks.ConnectionCallback, state)
        assert (
            library().jacquard_manager_connect(
                self.manager, found[0], None, on_state, None, raw.NO_DESTROY, ctypes.byref(self.connection)
            )
            == 0
        )

    def connected(self) -> None:
        self.connect()
        raw.dispatch_until(self.manager, lambda: bool(self.tag))

    def callback(self, type: Any, action: Callable[..., None]) -> Any:
        made = type(lambda *arguments: action(*arguments[:-1]))
        self.kept.append(made)
        return made

    def ending(self, type: Any) -> Any:
        """A callback that ends everything; no other callback may follow."""

        def end(*arguments: Any) -> None:
            assert not self.over, "called after the end"
            self.over = True
            library().jacquard_tag_unref(self.tag)
            library().jacquard_connection_unref(self.connection)
            library().jacquard_manager_unref(self.manager)

        return self.callback(type, end)


def on_connection(function: str, type: Any) -> Callable[[World], None]:
    def subscribe(world: World) -> None:
        world.connected()
        registered = getattr(library(), function)(
            world.connection, world.ending(type), None, world.destroyed.callback, ctypes.POINTER(handles.Subscription)()
        )
        assert registered == 0

    return subscribe


def on_manager(function: str, type: Any, *more: Any) -> Callable[[World], None]:
    def subscribe(world: World) -> None:
        registered = getattr(library(), function)(
            world.manager,
            *more,
            world.ending(type),
            None,
            world.destroyed.callback,
            ctypes.POINTER(handles.Subscription)(),
        )
        assert registered == 0

    return subscribe


def on_raw_packet(function: str) -> Callable[[World], None]:
    def subscribe(world: World) -> None:
        on_connection(function, callbacks.BytesCallback)(world)
        # Registrations take effect when the loop runs; a response shows that it has run.
        answer = raw.Calls(callbacks.BatteryCallback)
        none = ctypes.POINTER(handles.Request)()
        assert library().jacquard_tag_read_battery(world.tag, None, answer.callback, None, raw.NO_DESTROY, none) == 0
        raw.dispatch_until(world.manager, lambda: answer.count == 1)
        world.simulator.tell(raw_packet())

    return subscribe


def touched(world: World) -> None:
    """Touch data is sent only in continuous mode."""
    world.connected()
    done = raw.Calls(callbacks.DoneCallback)
    world.kept.append(done)

    def gear(address: int) -> None:
        component = structs.Gear.from_address(address).component
        if component and not done.count:
            library().jacquard_component_set_touch_mode(
                component,
                TouchMode.CONTINUOUS,
                None,
                done.callback,
                None,
                raw.NO_DESTROY,
                ctypes.POINTER(handles.Request)(),
            )

    nothing = ctypes.POINTER(handles.Subscription)()
    on_gear = world.callback(callbacks.GearCallback, gear)
    assert library().jacquard_connection_on_gear(world.connection, on_gear, None, raw.NO_DESTROY, nothing) == 0
    ending = world.ending(callbacks.TouchCallback)
    destroy = world.destroyed.callback
    assert library().jacquard_connection_on_touch(world.connection, ending, None, destroy, nothing) == 0


def answered(world: World) -> None:
    world.connected()
    ending = world.ending(callbacks.BatteryCallback)
    none = ctypes.POINTER(handles.Request)()
    assert library().jacquard_tag_read_battery(world.tag, None, ending, None, world.destroyed.callback, none) == 0


def seen(world: World) -> None:
    ending = world.ending(callbacks.AdvertisementCallback)
    rest = callbacks.ScanEndCallback(), None, world.destroyed.callback, ctypes.POINTER(handles.Scan)()
    assert library().jacquard_manager_scan(world.manager, None, ending, *rest) == 0


def scanned(world: World) -> None:
    options = structs.ScanOptions(ctypes.sizeof(structs.ScanOptions), 50, b"ZZZZ")
    ignored = raw.a_callback(callbacks.AdvertisementCallback)
    rest = world.ending(callbacks.ScanEndCallback), None, world.destroyed.callback, ctypes.POINTER(handles.Scan)()
    assert library().jacquard_manager_scan(world.manager, ctypes.byref(options), ignored, *rest) == 0


def all_connections(world: World) -> None:
    nothing = ctypes.POINTER(handles.Subscription)()
    ending = world.ending(callbacks.ConnectionCallback)
    destroy = world.destroyed.callback
    assert library().jacquard_manager_on_connection(world.manager, ending, None, destroy, nothing) == 0
    world.connect()


KINDS: dict[str, Callable[[World], None]] = {
    "adapter": on_manager("jacquard_manager_on_adapter", callbacks.AdapterCallback),
    "scanning": on_manager("jacquard_manager_on_scanning", callbacks.ScanningCallback),
    "log": on_manager("jacquard_manager_on_log", callbacks.LogCallback, 3),
    "advertisement": seen,
    "scan end": scanned,
    "connections": all_connections,
    "state": on_connection("jacquard_connection_on_state", callbacks.ConnectionCallback),
    "battery": on_connection("jacquard_connection_on_battery", callbacks.BatteryEventCallback),
    "gear": on_connection("jacquard_connection_on_gear", callbacks.GearCallback),
    "gesture": on_connection("jacquard_connection_on_gesture", callbacks.GestureCallback),
    "name": on_connection("jacquard_connection_on_name", callbacks.NameCallback),
    "notification": on_connection("jacquard_connection_on_notification", callbacks.BytesCallback),
    "raw data": on_raw_packet("jacquard_connection_on_raw_data"),
    "raw value": on_raw_packet("jacquard_connection_on_raw_value"),
    "touch": touched,
    "answer": answered,
}


@pytest.mark.parametrize("kind", KINDS)
def test_closing_inside_a_callback(simulator: Simulator, kind: str) -> None:
    world = World(simulator)
    KINDS[kind](world)
    raw.dispatch_until(world.manager, lambda: world.over)
    assert world.destroyed.count == 1


RAW = [jacquard.RawData, jacquard.RawValue]


@pytest.mark.parametrize("ended", ["connection", "manager"])
@pytest.mark.parametrize("kind", RAW)
def test_closing_while_the_raw_data_channel_is_active(simulator: Simulator, kind: type, ended: str) -> None:
    async def main() -> list[object]:
        async with jacquard.Manager(bus_address=simulator.bus_address) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                heard = []
                events: jacquard.Stream[object] = connection.events(kind)
                await (await connection.tag()).battery()
                simulator.tell(raw_packet())
                async for event in events:
                    heard.append(event)
                    (manager if ended == "manager" else connection).close()
                return heard

    heard = asyncio.run(main())
    assert heard and {type(event) for event in heard} == {kind}


@pytest.mark.parametrize("ended", ["connection", "manager"])
@pytest.mark.parametrize("kind", RAW)
def test_closing_while_the_raw_data_channel_is_active_without_a_loop(simulator: Simulator, kind: type, ended: str) -> None:
    with blocking.Manager(bus_address=simulator.bus_address) as manager:
        with manager.connect(serial=SERIAL) as connection:
            heard = []
            events: blocking.Stream[object] = connection.events(kind)
            connection.tag().battery()
            simulator.tell(raw_packet())
            for event in events:
                heard.append(event)
                (manager if ended == "manager" else connection).close()
    assert heard and {type(event) for event in heard} == {kind}
