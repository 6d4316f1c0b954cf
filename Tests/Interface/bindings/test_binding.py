"""Binding a tag with both Python APIs: the stored tag, its owner, and the wanted tags at the next start."""

import asyncio
import datetime
from pathlib import Path
from typing import Any

import jacquard
import pytest
from jacquard import Phase, blocking
from simulator import SERIAL, Simulator

CODE = f"0000AAAAA0{SERIAL}"


def make(simulator: Simulator, state: Path, **options: Any) -> jacquard.Manager:
    return jacquard.Manager(bus_address=simulator.bus_address, state_directory=state, **options)


def make_blocking(simulator: Simulator, state: Path, **options: Any) -> blocking.Manager:
    return blocking.Manager(bus_address=simulator.bus_address, state_directory=state, **options)


def within(body: Any) -> Any:
    return asyncio.run(asyncio.wait_for(body, 60))


def test_binding_needs_the_code_and_later_connections_do_not(simulator: Simulator, tmp_path: Path) -> None:
    async def body() -> None:
        async with make(simulator, tmp_path) as manager:
            assert await manager.known() == []
            async with manager.bind(code=CODE, owner="me", profile={"colour": "blue"}) as connection:
                phases = []
                async for state in connection.states():
                    phases.append(state.phase)
                    if state.tag is not None:
                        break
                assert Phase.AUTHENTICATING in phases
                assert connection.identifier
                await connection.disconnect()
            [known] = await manager.known()
            assert known.identifier == connection.identifier
            assert (known.serial, known.owner, known.profile) == (CODE, "me", {"colour": "blue"})
            age = datetime.datetime.now(datetime.timezone.utc) - known.bound_at
            assert datetime.timedelta(seconds=-2) < age < datetime.timedelta(minutes=2)
            assert known.last_connected == known.bound_at
            assert not known.wanted
            async with manager.connect(known, owner="me") as connection:
                assert (await connection.tag()).info.serial == CODE
                await connection.disconnect()
            await manager.update_known(known, {})
            assert (await manager.known())[0].profile == {}
            await manager.unbind(known.identifier)
            assert await manager.known() == []
            with pytest.raises(jacquard.NotFoundError):
                await manager.unbind(known)

    within(body())


def test_binding_without_asyncio(simulator: Simulator, tmp_path: Path) -> None:
    with make_blocking(simulator, tmp_path) as manager:
        with manager.bind(code=SERIAL) as connection:
            assert connection.tag(timeout=20).info.serial == CODE
            connection.disconnect()
        [known] = manager.known()
        assert known.owner is None and known.profile == {}
        manager.update_known(known, {"a": "1", "b": ""})
        assert manager.known()[0].profile == {"a": "1", "b": ""}
        manager.unbind(known)
        assert manager.known() == []


def test_each_failure_has_its_own_exception(simulator: Simulator, tmp_path: Path) -> None:
    with make_blocking(simulator, tmp_path) as manager:
        found = manager.find(serial=SERIAL, timeout=20)
        with manager.bind(found, code="T001") as connection, pytest.raises(jacquard.WrongCodeError) as wrong:
            connection.tag(timeout=20)
        assert wrong.value.advice
        simulator.tell("bond refused")
        with manager.bind(found, code=SERIAL) as connection, pytest.raises(jacquard.PairingRefusedError):
            connection.tag(timeout=20)
        simulator.tell("bond accepted")
        simulator.tell("bond required")
        with manager.connect(found) as connection, pytest.raises(jacquard.NotBoundError):
            connection.tag(timeout=20)
        with manager.bind(found, code=SERIAL, owner="me") as connection:
            connection.tag(timeout=20)
            connection.disconnect()
        with manager.connect(found, owner="you") as connection, pytest.raises(jacquard.OtherOwnerError):
            connection.tag(timeout=20)
        with pytest.raises(jacquard.InvalidArgumentError):
            manager.bind(found, code="1ZK").open()
    (tmp_path / "state.json").unlink()
    (tmp_path / "state.json").mkdir()
    with make_blocking(simulator, tmp_path) as manager, pytest.raises(jacquard.StateFileError):
        manager.known()


def test_a_manager_that_does_not_share_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    async def body() -> None:
        async with make(simulator, tmp_path) as manager, make(simulator, tmp_path, exclusive=True) as other:
            async with manager.connect(serial=SERIAL) as connection:
                await connection.tag()
                async with other.connect(serial=SERIAL) as second:
                    with pytest.raises(jacquard.InUseError):
                        await second.tag()

    within(body())


def test_wanted_tags_are_reported_at_the_next_start(simulator: Simulator, tmp_path: Path) -> None:
    async def body() -> None:
        async with make(simulator, tmp_path, restore_id="test") as manager:
            async with manager.bind(code=CODE) as connection:
                await connection.tag()
        async with make(simulator, tmp_path, restore_id="test") as manager:
            async with manager.restorations() as restorations:
                restoration = await restorations.next()
            assert restoration is not None and restoration.known is not None
            assert restoration.identifier == restoration.known.identifier == connection.identifier
            assert restoration.known.wanted and restoration.connection is None
        async with make(simulator, tmp_path, restore_id="test", auto_connect=True) as manager:
            async with manager.restorations() as restorations:
                restoration = await restorations.next()
            assert restoration is not None and restoration.connection is not None
            assert (await restoration.connection.tag()).info.serial == CODE
            await restoration.connection.disconnect()
            assert not (await manager.known())[0].wanted
        async with make(simulator, tmp_path) as manager:
            with pytest.raises(jacquard.InvalidArgumentError):
                manager.restorations()

    within(body())


def test_a_restored_connection_without_asyncio(simulator: Simulator, tmp_path: Path) -> None:
    with make_blocking(simulator, tmp_path, restore_id="test") as manager:
        with manager.bind(code=CODE) as connection:
            connection.tag(timeout=20)
    with make_blocking(simulator, tmp_path, restore_id="test", auto_connect=True) as manager:
        with manager.restorations() as restorations:
            restoration = restorations.next(timeout=20)
        assert restoration is not None and restoration.connection is not None
        with restoration.connection as connection:
            assert connection.tag(timeout=20).battery().percent == 80
