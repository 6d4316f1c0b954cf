"""What jacquardctl doctor says about bluetoothd, the adapter and its switches."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from pathlib import Path

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquardctl.commands import doctor
from jacquardctl.doctor import bluez, rfkill
from jacquardctl.doctor.diagnosis import Machine, diagnosis
from jacquardctl.doctor.finding import Finding
from simulator import SERIAL, SERVICE, Simulator
from test_doctor import (
    forbidding_bus_fixture,  # noqa: F401
    verdict,
)


def test_a_program_without_a_network_needs_none(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a network namespace of its own, as with PrivateNetwork of systemd; the sockets are found by their paths."""
    outside = ctl.program
    monkeypatch.setattr(ctl, "program", lambda *words: ["unshare", "--map-root-user", "--net", *outside(*words)])
    assert verdict(simulator.bus_address, exits.OK)["good"]
    battery = ctl.program("battery", "01ZK")
    ran = subprocess.run(battery, env=ctl.environment(simulator.bus_address), capture_output=True, text=True, timeout=ctl.LONGEST)
    assert (ran.returncode, ran.stdout) == (exits.OK, "80%\n"), ran.stderr


def test_no_bluetoothd(simulator: Simulator) -> None:
    simulator.tell("bluetoothd kill")
    finding = verdict(simulator.bus_address, exits.NO_BLUETOOTH)
    assert finding["cause"] == "no-bluetoothd"
    assert "is not running" in str(finding["text"])


def test_no_adapter(simulator: Simulator) -> None:
    simulator.tell("adapter removed")
    assert verdict(simulator.bus_address, exits.NO_BLUETOOTH)["cause"] == "no-adapter"


def test_powered_off(simulator: Simulator) -> None:
    simulator.tell("adapter off")
    finding = verdict(simulator.bus_address, exits.NO_BLUETOOTH)
    assert finding["cause"] == "powered-off"
    assert "bluetoothctl power on" in str(finding["advice"])


def test_blocked_according_to_bluetoothd(simulator: Simulator) -> None:
    simulator.tell("adapter blocked")
    finding = verdict(simulator.bus_address, exits.NO_BLUETOOTH)
    assert finding["cause"] == "blocked"
    assert "rfkill unblock bluetooth" in str(finding["advice"])


@pytest.mark.parametrize("word", ["other", "sandbox"])
def test_permission_denied(forbidding_bus: str, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """The message of the bus has the command, with any word."""
    monkeypatch.setattr(ctl, "program", lambda *words: [sys.executable, "-X", word, "-m", "jacquardctl", *words])
    with Simulator("--bus-address", forbidding_bus):
        finding = verdict(forbidding_bus, exits.NO_BLUETOOTH)
    assert finding["cause"] == "permission-denied"
    assert "group" in str(finding["advice"])


def switch(sys: Path, name: str, kind: str, soft: int, hard: int) -> None:
    folder = sys / "class" / "rfkill" / name
    folder.mkdir(parents=True)
    for file, value in (("type", kind), ("soft", soft), ("hard", hard)):
        (folder / file).write_text(f"{value}\n")


@pytest.mark.parametrize(
    "soft, hard, cause, advice",
    [
        (1, 0, "blocked", "rfkill unblock bluetooth"),
        (0, 1, "blocked-hard", "switch or key"),
        (1, 1, "blocked-hard", "switch or key"),
        (0, 0, "powered-off", "bluetoothctl power on"),
    ],
)
def test_blocked_according_to_the_kernel(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, soft: int, hard: int, cause: str, advice: str
) -> None:
    simulator.tell("adapter off")
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", simulator.bus_address)
    switch(tmp_path, "rfkill0", "wlan", 1, 1)
    switch(tmp_path, "rfkill3", "bluetooth", soft, hard)
    arguments = argparse.Namespace(adapter=None, timeout=1, sleeve=None, json=True)
    findings = asyncio.run(doctor.examine(arguments, sys=tmp_path))
    (finding,) = [finding for finding in findings if finding.about == "adapter"]
    assert finding.cause == cause
    assert advice in finding.advice
    assert "rfkill0" not in finding.text
    assert ("rfkill3" in finding.text) == bool(soft or hard)


def test_an_unreadable_switch_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "class" / "rfkill" / "rfkill0").mkdir(parents=True)
    switch(tmp_path, "rfkill1", "bluetooth", 1, 0)
    assert rfkill.switches(tmp_path) == [rfkill.Switch("rfkill1", hard=False, soft=True)]
    assert rfkill.switches(tmp_path / "nowhere") == []


def missing(controllers: list[str], observation: bluez.Observation | None) -> Finding:
    import jacquard

    details = jacquard.ErrorDetails(jacquard.Status.NO_ADAPTER, "The machine has no Bluetooth adapter.")
    error = jacquard.NoAdapterError(details)
    adapter = jacquard.Adapter(jacquard.AdapterState.UNSUPPORTED, "", "", error)
    return diagnosis(adapter, Machine([], controllers, "5.66", observation))


def test_an_adapter_known_only_to_the_kernel(tmp_path: Path) -> None:
    for name in ("hci0", "hci0:12"):
        (tmp_path / "class" / "bluetooth" / name).mkdir(parents=True)
    controllers = rfkill.controllers(tmp_path)
    assert controllers == ["hci0"]
    assert "The kernel has hci0" in missing(controllers, None).text
    assert "no Bluetooth adapter" in missing([], None).text


def test_the_requested_adapter_is_missing(simulator: Simulator) -> None:
    ran = ctl.run(simulator, "doctor", "--adapter", "00:00:00:00:00:01", "--json", "--timeout", "1")
    assert ran.returncode == exits.NO_BLUETOOTH
    (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "adapter"]
    assert finding["cause"] == "no-adapter"
    assert finding["advice"] == "Available adapters: 00:1A:7D:DA:71:13"


def test_features_of_bluetoothd_are_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", simulator.bus_address)
    observation = bluez.observe()
    assert observation is not None
    assert [adapter["Address"] for adapter in observation.adapters.values()] == ["00:1A:7D:DA:71:13"]
    assert observation.features == bluez.Features(None, None, False, False, None, None)
    assert ctl.run(simulator, "battery", SERIAL).returncode == exits.OK
    observation = bluez.observe()
    assert observation is not None
    assert observation.devices == 1
    assert observation.features.mtu and observation.features.bonded
    assert observation.features.at_least == "5.65"
    simulator.tell("adapter blocked")
    observation = bluez.observe()
    assert observation is not None and observation.features.power_state
    assert observation.features.at_least == "5.66"
    simulator.tell("bluez 5.71")
    observation = bluez.observe()
    assert observation is not None and observation.features.takes_batteries
    assert "panels show a tag's battery: yes" in ctl.run(simulator, "doctor").stdout
    simulator.tell("bluetoothd kill")
    assert bluez.observe() is None


def test_without_a_bus_nothing_is_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("unix:path=/nonexistent", "nonsense", "unix:", ";"):
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        assert bluez.observe() is None


def test_features_of_newer_releases() -> None:
    objects: bluez.Objects = {
        "/org/bluez/hci0": {"org.bluez.Adapter1": {"Address": "00:00:00:00:00:01", "PowerState": "on"}},
        "/org/bluez/hci0/dev_1": {"org.bluez.Device1": {"Bonded": False}, "org.bluez.Bearer.LE1": {}},
    }
    observation = bluez.interpret(objects, lambda path: '<signal name="Disconnected">', "0" * 32)
    assert observation.features == bluez.Features(None, True, True, False, True, True)
    assert observation.features.at_least == "5.84"


def test_a_controller_that_refuses_to_scan(simulator: Simulator) -> None:
    def found() -> list[tuple[object, object]]:
        ran = ctl.run(simulator, "doctor", "--timeout", "1", "--json")
        assert ran.returncode == exits.NO_BLUETOOTH
        return [(finding["cause"], finding["text"]) for finding in ctl.objects(ran.stdout) if finding["about"] == "tags"]

    simulator.tell("disconnect takes 10ms")
    # bluetoothd knows the tag from then on.
    assert ctl.run(simulator, "battery", SERIAL, env={SERVICE: "off"}).returncode == exits.OK
    simulator.tell("discovery refused")
    assert found() == [("scan-failed", "The Bluetooth adapter currently refuses the operation.")]
    simulator.tell("foreign connect")
    assert found() == [("", SERIAL), ("scan-failed", "The Bluetooth adapter currently refuses the operation.")]
