"""Other threads run while one thread waits in any call of the blocking API."""

from __future__ import annotations

import ctypes
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jacquard
import pytest
from jacquard import Capability, Configuration, Haptic, Led, Module, TouchMode, blocking
from jacquard._native.library import library
from jacquard.blocking import Manager
from simulator import SERIAL, Simulator

# The tag's response time, and the number of times that another thread must run in the meantime.
LATENCY = "200ms"
TURNS = 5

IMU = Module(0x117830C8, 0xEF3E5B88, 0x3D0BE753, "DCLM")


class Turns:
    """A thread that counts how often it runs."""

    def __init__(self) -> None:
        self.count = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(0.005):
            self.count += 1

    def end(self) -> None:
        self._over.set()
        self._thread.join()


@contextmanager
def others_run() -> Iterator[None]:
    turns = Turns()
    try:
        yield
    finally:
        turns.end()
    assert turns.count >= TURNS


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator() as running:
        for line in ("module installed", "gear attach saint-laurent-backpack", "disconnect takes 200ms"):
            running.tell(line)
        yield running


@pytest.fixture
def connection(simulator: Simulator) -> Iterator[blocking.Connection]:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        simulator.tell(f"latency {LATENCY}")
        yield connection
        simulator.tell("latency 0s")
        connection.disconnect()


def gear(connection: blocking.Connection) -> blocking.Component:
    with connection.events(jacquard.Gear) as events:
        component: blocking.Component = next(event.component for event in events if event.component is not None)
        return component


WITH_A_TAG: dict[str, Callable[[blocking.Tag], Any]] = {
    "battery": lambda tag: tag.battery(),
    "led": lambda tag: tag.led(Led.solid("teal", 1)),
    "write_value": lambda tag: tag.write_value("key", 7),
    "read_value": lambda tag: tag.read_value("key"),
    "configuration": lambda tag: tag.configuration(),
    "configure": lambda tag: tag.configure(Configuration(motion_enabled=True)),
    "modules": lambda tag: tag.modules(),
    "load_module": lambda tag: tag.load_module(IMU),
    "unload_module": lambda tag: tag.unload_module(IMU),
    "prepare_motion": lambda tag: tag.prepare_motion(),
    "start_recording": lambda tag: tag.start_recording("one"),
    "motion_status": lambda tag: tag.motion_status(),
    "stop_motion": lambda tag: tag.stop_motion(),
    "sessions": lambda tag: tag.sessions(),
    "erase_session": lambda tag: tag.erase_session(tag.sessions()[0]),
    "erase_all_sessions": lambda tag: tag.erase_all_sessions(),
    "release_motion": lambda tag: tag.release_motion(),
    "send_request": lambda tag: tag.send_request(bytes.fromhex("08001014")),
    "request_disconnect": lambda tag: tag.request_disconnect(delay=60),
}
WITH_GEAR: dict[str, Callable[[blocking.Component], Any]] = {
    "read_info": lambda component: component.read_info(),
    "led": lambda component: component.led(Led.solid("teal", 1)),
    "haptic": lambda component: component.haptic(Haptic(on=0.1)),
    "set_touch_mode": lambda component: component.set_touch_mode(TouchMode.GESTURE),
}


@pytest.mark.parametrize("name", WITH_A_TAG)
def test_while_a_tag_responds(connection: blocking.Connection, name: str) -> None:
    tag = connection.tag()
    with others_run():
        WITH_A_TAG[name](tag)


@pytest.mark.parametrize("name", WITH_GEAR)
def test_while_gear_responds(connection: blocking.Connection, name: str) -> None:
    component = gear(connection)
    assert component.supports(Capability.HAPTIC)
    with others_run():
        WITH_GEAR[name](component)


def test_while_a_session_is_downloaded_and_motion_streamed(
    simulator: Simulator, connection: blocking.Connection, tmp_path: Path
) -> None:
    tag = connection.tag()
    tag.prepare_motion()
    simulator.tell("session two samples 10")
    (session,) = tag.sessions()
    with others_run():
        connection.download(session, tmp_path / "two.bin")
    stream = connection.motion()
    with others_run():
        assert stream.next(timeout=20) is not None
    with others_run():
        connection.stop_streams()
    tag.erase_all_sessions()
    tag.release_motion()


def test_while_firmware_is_updated(simulator: Simulator) -> None:
    image = jacquard.Firmware(bytes(300), vendor_id=0x117830C8, product_id=0x283BE7A0, version=(1, 97, 0))
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        with others_run():
            connection.update_firmware([image], timeout=60)


def test_while_a_tag_is_renamed_and_while_a_module_is_deleted(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        simulator.tell(f"latency {LATENCY}")
        with others_run():
            tag.delete_module(IMU)
        with others_run():
            tag.rename("Waiting")
        simulator.tell("latency 0s")


def test_while_a_tag_is_found_connected_used_and_disconnected(simulator: Simulator, tmp_path: Path) -> None:
    kept: dict[str, Any] = {"state_directory": tmp_path, "restore_id": "test"}
    with Manager(bus_address=simulator.bus_address, **kept) as manager:
        with others_run(), pytest.raises(jacquard.NotFoundError):
            manager.find(serial="ZZZZ", timeout=0.2)
        with others_run():
            assert list(manager.scan(serial="ZZZZ", timeout=0.2)) == []
        with manager.adapter_states() as adapters, others_run():
            assert adapters.next(timeout=20) is not None
            with pytest.raises(TimeoutError):
                while adapters.next(timeout=0.2):
                    pass
        with manager.connect(serial=SERIAL) as connection:
            with others_run():
                connection.tag()
            for stream in (
                connection.states(),
                connection.events(jacquard.Gesture),
                manager.connections(),
            ):
                with stream, others_run(), pytest.raises(TimeoutError):
                    while stream.next(timeout=0.2):
                        pass
            with others_run():
                connection.disconnect()


def test_while_a_connection_searches_for_its_tag(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager:
        connection = manager.connect(serial="ZZZZ", timeout=0.2)
        with others_run(), pytest.raises(jacquard.NotFoundError):
            connection.open()
        connection.close()


def test_while_a_tag_is_bound_and_unbound(simulator: Simulator, tmp_path: Path) -> None:
    with Manager(bus_address=simulator.bus_address, state_directory=tmp_path) as manager:
        with manager.connect(serial=SERIAL) as connection:
            serial = connection.tag().info.serial
            identifier = connection.tag().info.identifier
            connection.disconnect()
        with others_run(), manager.bind(identifier, code=serial) as connection:
            connection.tag()
            known = manager.known()
            manager.update_known(identifier, {"sleeve": "left"})
            assert [tag.identifier for tag in known] == [identifier]
            with others_run():
                manager.unbind(identifier)


# Not tested, because they return immediately or wait in another call.
AT_ONCE = {
    "Manager": {
        *("open", "close", "adapter_states", "scan", "connect", "connections", "restorations"),
        *("scanning", "scanning_changes", "connected", "connection"),
    },
    "Connection": {
        *("close", "on", "states", "events", "motion", "streaming"),
        *("rssi", "counters", "phase", "connected", "identifier"),
    },
    "Tag": {"info", "component", "components", "send_raw_data"},
    "Component": {"info", "supports"},
    "Stream": {"close"},
}
TRIED = {
    "Manager": {"find", "bind", "known", "update_known", "unbind"},
    "Connection": {"open", "tag", "disconnect", "download", "stop_streams", "update_firmware"},
    "Tag": {*WITH_A_TAG, "rename", "delete_module"},
    "Component": set(WITH_GEAR),
    "Stream": {"next"},
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_every_call_of_the_blocking_api_is_tested(name: str) -> None:
    public = {member for member, _ in inspect.getmembers(getattr(blocking, name)) if not member.startswith("_")}
    assert public == AT_ONCE[name] | TRIED[name]


def test_the_gil_is_released_during_library_calls() -> None:
    """ctypes releases it for CDLL and holds it for PyDLL."""
    assert type(library()) is ctypes.CDLL
    assert not library().jacquard_manager_dispatch._flags_ & 0x4  # FUNCFLAG_PYTHONAPI


def test_two_threads_with_separate_managers(simulator: Simulator) -> None:
    """Neither waits for the other."""
    begun = time.monotonic()

    def search() -> None:
        with Manager(bus_address=simulator.bus_address) as manager, pytest.raises(jacquard.NotFoundError):
            manager.find(serial="ZZZZ", timeout=0.5)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - begun < 8 * 0.5
