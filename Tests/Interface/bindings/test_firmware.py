"""Firmware: images and updates."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import jacquard
import pytest
from jacquard import Firmware, UpdateMode, UpdateOutcome, UpdatePhase, UpdateProgress, blocking
from running import with_tag
from simulator import SERIAL, Simulator

VENDOR, TAG = 0x117830C8, 0x283BE7A0
DATA = bytes(number % 255 for number in range(1000))


def image(version: tuple[int, int, int] = (1, 97, 0), product: int = TAG, module: int = 0) -> Firmware:
    return Firmware(DATA, vendor_id=VENDOR, product_id=product, module_id=module, version=version)


def test_an_image_describes_itself_and_its_manifest_reads_back(tmp_path: Path) -> None:
    one = image()
    assert (one.size, one.checksum, one.sha256) == (1000, 0xD5B9, hashlib.sha256(DATA).hexdigest())
    path = tmp_path / "image"
    path.write_bytes(DATA)
    with pytest.raises(ValueError, match="manifest"):
        Firmware.read(path)
    (tmp_path / "image.json").write_text(one.manifest)
    again = Firmware.read(path)
    assert (again.version, again.vendor_id, again.product_id) == ((1, 97, 0), VENDOR, TAG)
    assert "11-78-30-c8" in repr(again)
    assert Firmware(DATA, manifest=one.manifest).sha256 == one.sha256


@pytest.mark.parametrize(
    "change",
    [
        {"vendor_id": "00-00-00-01"},
        {"product_id": 7},
        {"module_id": "00-00-00-01"},
        {"version": "1.97"},
        {"version": "2.0.0"},
        {"size": 999},
        {"size": -1},
        {"sha256": "0" * 64},
        {"sha256": "0"},
        {"crc16": 1},
        {"size": None},
    ],
)
def test_a_manifest_that_contradicts_the_image_is_refused(change: dict[str, object]) -> None:
    members = {**json.loads(image().manifest), **change}
    with pytest.raises(jacquard.FirmwareManifestError):
        Firmware(DATA, vendor_id=VENDOR, product_id=TAG, version=(1, 97, 0), manifest=json.dumps(members))


def test_files_that_are_no_image_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for path in (empty, tmp_path, tmp_path / "missing", Path("/dev/zero")):
        with pytest.raises(jacquard.FirmwareImageError):
            Firmware.read(path, vendor_id=VENDOR, product_id=TAG, version=(1, 97, 0))


def test_an_update_from_check_to_verification(simulator: Simulator) -> None:
    simulator.tell("flash-time 100ms")

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        (checked,) = await connection.update_firmware([image()], UpdateMode.CHECK)
        assert (checked.outcome, checked.before, checked.stored) == (UpdateOutcome.PENDING, (1, 96, 0), 0)
        states: list[UpdateProgress] = []
        (result,) = await connection.update_firmware([image()], progress=states.append)
        assert (result.outcome, result.after) == (UpdateOutcome.INSTALLED, (1, 97, 0))
        assert {state.phase for state in states} >= {UpdatePhase.TRANSFERRING, UpdatePhase.RESTARTING}
        assert any(state.rate for state in states)
        (again,) = await connection.update_firmware([image()])
        assert again.outcome is UpdateOutcome.ALREADY_INSTALLED
        with pytest.raises(jacquard.DowngradeError):
            await connection.update_firmware([image((1, 0, 0))])

    with_tag(simulator, body)


def test_a_cancelled_transfer_is_continued(simulator: Simulator) -> None:
    simulator.tell("flash-time 100ms")

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        def stop(state: UpdateProgress) -> None:
            if state.done > 500:
                task.cancel()

        task = asyncio.ensure_future(connection.update_firmware([image()], progress=stop))
        with pytest.raises(asyncio.CancelledError):
            await task
        (checked,) = await connection.update_firmware([image()], UpdateMode.CHECK)
        assert 500 < checked.stored <= 1000
        (result,) = await connection.update_firmware([image()])
        assert result.outcome is UpdateOutcome.INSTALLED

    with_tag(simulator, body)


def test_without_asyncio(simulator: Simulator) -> None:
    simulator.tell("flash-time 100ms")
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag(timeout=30)
        (result,) = connection.update_firmware([image()], timeout=60)
        assert result.outcome is UpdateOutcome.INSTALLED


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError):
        Firmware(DATA, vendor_id=1)
    with pytest.raises(ValueError):
        Firmware(DATA, vendor_id=-1, product_id=1, version=(1, 0, 0))
