"""jacquardctl firmware, and the modules of module install."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import ctl
import pytest
from ctl import objects
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator

DATA = bytes(number % 251 for number in range(5000))
TAG = ("--vendor", "11-78-30-c8", "--product", "28-3b-e7-a0")
MODULE = ("--vendor", "11-78-30-c8", "--product", "ef-3e-5b-88", "--module", "3d-0b-e7-53")


@pytest.fixture
def tag(simulator: Simulator) -> Simulator:
    simulator.tell("disconnect takes 100ms")
    simulator.tell("flash-time 200ms")
    return simulator


def image(tag: Simulator, folder: Path, name: str, *words: str) -> str:
    path = folder / name
    path.write_bytes(DATA)
    ran = ctl.run(tag, "firmware", "manifest", str(path), *words)
    assert (ran.returncode, ran.stdout) == (exits.OK, f"{path}.json\n"), ran
    return str(path)


def test_an_update_from_manifest_to_verification(tag: Simulator, tmp_path: Path) -> None:
    path = image(tag, tmp_path, "tag-1.97.0", *TAG, "--version", "1.97.0")
    ran = ctl.run(tag, "firmware", "info", path)
    assert "11-78-30-c8/28-3b-e7-a0" in ran.stdout and "1.97.0" in ran.stdout
    ran = ctl.run(tag, "firmware", "check", SERIAL, path)
    assert "not installed; 0 of 5000 bytes are on the tag" in ran.stdout
    ran = ctl.run(tag, "firmware", "install", SERIAL, path)
    assert ran.returncode == exits.USAGE and "--yes" in ran.stderr
    ran = ctl.run(tag, "firmware", "install", SERIAL, path, "--yes", "--json")
    assert ran.returncode == exits.OK, ran
    *states, result = objects(ran.stdout)
    assert (result["outcome"], result["after"]) == ("installed", [1, 97, 0])
    assert any(state["progress"]["done"] == 5000 for state in states)
    ran = ctl.run(tag, "firmware", "install", SERIAL, path, "--yes")
    assert "never with a real tag" in ran.stderr and "already installed" in ran.stdout


def test_refusals_have_their_own_status(tag: Simulator, tmp_path: Path) -> None:
    for name, words in {
        "older": (*TAG, "--version", "1.0.0"),
        "other": ("--vendor", "00-00-00-01", "--product", "00-00-00-02", "--version", "1.0.0"),
    }.items():
        path = image(tag, tmp_path, name, *words)
        for action in ("check", "install"):
            more = ["--yes"] if action == "install" else []
            assert ctl.run(tag, "firmware", action, SERIAL, path, *more).returncode == exits.REFUSED
    Path(path).write_bytes(b"")
    assert ctl.run(tag, "firmware", "info", path).returncode == exits.REFUSED
    assert "not a module" in ctl.run(tag, "module", "install", SERIAL, str(tmp_path / "older"), "--yes").stderr


@pytest.mark.parametrize("state", ["battery 19", "battery 9 charging"])
def test_a_low_battery_is_a_refusal(tag: Simulator, tmp_path: Path, state: str) -> None:
    tag.tell(state)
    path = image(tag, tmp_path, "image", *TAG, "--version", "1.97.0")
    for action in (["check"], ["install", "--yes"]):
        ran = ctl.run(tag, "firmware", *action, "--json", SERIAL, path)
        assert ran.returncode == exits.REFUSED, ran
        (error,) = objects(ran.stderr)
        assert error["error"]["code"] == "low_battery" and "Charge the tag" in error["error"]["advice"]


def test_a_recording_is_a_refusal(tag: Simulator, tmp_path: Path) -> None:
    path = image(tag, tmp_path, "image", *TAG, "--version", "1.97.0")
    assert ctl.run(tag, "motion", "record", SERIAL).returncode == exits.OK
    assert ctl.run(tag, "firmware", "check", SERIAL, path).returncode == exits.REFUSED


def test_an_update_is_reported_and_cancelled(tag: Simulator, tmp_path: Path) -> None:
    tag.tell("write-time 200ms")
    path = image(tag, tmp_path, "image", *TAG, "--version", "1.97.0")
    assert ctl.run(tag, "firmware", "cancel").returncode == exits.USAGE
    process = subprocess.Popen(
        ctl.program("firmware", "install", SERIAL, path, "--yes", "--json"),
        env=ctl.environment(tag.bus_address),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any('"transferring"' in line for line in process.stdout)
    (one,) = objects(ctl.run(tag, "firmware", "status", "--json").stdout)
    assert one["process"] == process.pid and one["total"] == 5000
    assert ctl.run(tag, "firmware", "cancel", SERIAL).returncode == exits.OK
    process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT
    assert ctl.run(tag, "firmware", "status").stdout == ""
    tag.tell("write-time 0s")
    ran = ctl.run(tag, "firmware", "install", SERIAL, path, "--yes")
    assert ran.returncode == exits.OK and "installed" in ran.stdout


def test_a_module_is_installed_and_deleted_after_asking(tag: Simulator, tmp_path: Path) -> None:
    ran = ctl.run(tag, "module", "delete", SERIAL, "IMU")
    assert ran.returncode == exits.USAGE and "--yes" in ran.stderr
    assert ctl.run(tag, "module", "delete", SERIAL, "IMU", "--yes").returncode == exits.OK
    path = image(tag, tmp_path, "module", *MODULE, "--version", "0.17.0")
    ran = ctl.run(tag, "module", "install", SERIAL, path, "--yes")
    assert ran.returncode == exits.OK, ran
    assert "0.17.0" in ctl.run(tag, "module", "list", SERIAL).stdout


def test_faulty_firmware_is_named(tag: Simulator) -> None:
    tag.tell("firmware 1.0.6")
    assert "faulty" in ctl.run(tag, "info", SERIAL).stdout
