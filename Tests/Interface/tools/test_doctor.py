"""jacquardctl doctor names the cause in every state of a machine."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ctl
import pytest
from jacquard_apps.system import processes
from jacquard_apps.terminal import exits
from jacquardctl.doctor import bluez, subscribers
from simulator import SERIAL, SERVICE, Simulator

POLICY = """
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <deny send_destination="org.bluez"/>
  </policy>
</busconfig>
"""


@pytest.fixture(name="forbidding_bus")
def forbidding_bus_fixture() -> Iterator[str]:
    """A real bus, whose policy denies access to bluetoothd."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "policy").write_text(POLICY.format(folder=folder).lstrip())
        daemon = subprocess.Popen(
            ["dbus-daemon", f"--config-file={folder}/policy", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert daemon.stdout
        yield daemon.stdout.readline().strip()
        daemon.terminate()
        daemon.communicate()


def verdict(bus_address: str, status: int) -> dict[str, object]:
    """The finding about the adapter as JSON, after checking that the text output has the same information."""
    words = ctl.program("doctor", "--timeout", "1")
    ran = subprocess.run(
        [*words, "--json"], env=ctl.environment(bus_address), capture_output=True, text=True, timeout=ctl.LONGEST
    )
    assert (ran.returncode, ran.stderr) == (status, "")
    (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "adapter"]
    shown = subprocess.run(words, env=ctl.environment(bus_address), capture_output=True, text=True, timeout=ctl.LONGEST)
    assert (shown.returncode, shown.stderr) == (status, "")
    assert f"{'✓' if finding['good'] else '✗'} adapter    {finding['text']}\n" in shown.stdout
    assert str(finding["advice"]) in shown.stdout
    assert finding["good"] or finding["advice"]
    return finding


def test_all_is_well(simulator: Simulator) -> None:
    finding = verdict(simulator.bus_address, exits.OK)
    assert (finding["good"], finding["cause"]) == (True, "")


def test_no_bus(tmp_path: Path) -> None:
    finding = verdict(f"unix:path={tmp_path}/missing", exits.NO_BLUETOOTH)
    assert finding["cause"] == "no-bus"
    assert "D-Bus" in str(finding["text"])


@pytest.mark.parametrize("visible", [[], ["--see=org.bluez"]], ids=["hidden", "visible"])
def test_the_filter_of_a_sandbox(simulator: Simulator, tmp_path: Path, visible: list[str]) -> None:
    """Flatpak puts xdg-dbus-proxy between a program and the bus."""
    with filtered(simulator.bus_address, tmp_path / "bus", *visible) as address:
        finding = verdict(address, exits.NO_BLUETOOTH)
        scan = subprocess.run(
            ctl.program("scan", "--timeout", "20"), env=ctl.environment(address), capture_output=True, text=True, timeout=ctl.LONGEST
        )
    assert finding["cause"] == "sandbox"
    assert "org.bluez" in str(finding["advice"])
    assert "--system-talk-name=org.bluez" in scan.stderr and "button" not in scan.stderr
    assert scan.returncode == exits.NO_BLUETOOTH


def test_the_permission_in_a_sandbox(simulator: Simulator, tmp_path: Path) -> None:
    with filtered(simulator.bus_address, tmp_path / "bus", "--talk=org.bluez") as address:
        assert verdict(address, exits.OK)["good"]


@contextlib.contextmanager
def filtered(bus_address: str, path: Path, *rules: str) -> Iterator[str]:
    reader, writer = os.pipe()
    command = ["xdg-dbus-proxy", f"--fd={writer}", bus_address, str(path), "--filter", *rules]
    proxy = subprocess.Popen(command, pass_fds=[writer])
    os.close(writer)
    try:
        # Written when the proxy listens.
        assert os.read(reader, 1)
        yield f"unix:path={path}"
    finally:
        os.close(reader)
        proxy.terminate()
        proxy.wait()


@pytest.mark.parametrize("neighbours", [0, 10])
def test_a_room_without_a_tag_is_told_apart_from_an_adapter_that_receives_nothing(simulator: Simulator, neighbours: int) -> None:
    simulator.tell("out-of-range")
    if neighbours:
        simulator.tell(f"neighbours {neighbours}")
    ran = subprocess.run(
        ctl.program("doctor", "--timeout", "0.5", "--json"), env=ctl.environment(simulator.bus_address), capture_output=True,
        text=True, timeout=ctl.LONGEST,
    )
    (tags,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "tags"]
    assert ("adapter may not receive" in tags["text"], "The adapter receives" in tags["text"]) == (not neighbours, bool(neighbours))
    assert (tags["details"]["others"] > 0) is bool(neighbours)


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT], ids=errno.errorcode.get)
def test_a_confined_program(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The program is confined as by seccomp profiles, AppArmor, and RestrictAddressFamilies of systemd."""
    profile = os.memfd_create("profile")
    os.write(profile, without_unix_sockets(number))
    outside = ctl.program

    def confined(*words: str) -> list[str]:
        # Each run reads the profile from its beginning.
        open_profile = f"exec 9</proc/{os.getpid()}/fd/{profile}; exec \"$@\""
        return ["sh", "-c", open_profile, "sh", "bwrap", "--dev-bind", "/", "/", "--seccomp", "9", *outside(*words)]

    monkeypatch.setattr(ctl, "program", confined)
    finding = verdict(simulator.bus_address, exits.NO_BLUETOOTH)
    assert finding["cause"] == "sandbox"
    assert os.strerror(number) in str(finding["text"])
    assert "AppArmor" in str(finding["advice"]) and "Start" not in str(finding["advice"])


def without_unix_sockets(number: int) -> bytes:
    """A program of the kernel's filter: `socket(AF_UNIX)` fails with this error."""
    call = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
    load, equal, leave = 0x20, 0x15, 0x06
    program = [
        (load, 0, 0, 0),
        (equal, 0, 3, call),
        (load, 0, 0, 16),
        (equal, 0, 1, socket.AF_UNIX),
        (leave, 0, 0, 0x50000 | number),
        (leave, 0, 0, 0x7FFF0000),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def test_a_container_without_the_bus(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = ctl.program
    monkeypatch.setattr(
        ctl, "program", lambda *words: ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/run", *outside(*words)]
    )
    finding = verdict("unix:path=/run/dbus/system_bus_socket", exits.NO_BLUETOOTH)
    assert finding["cause"] == "no-bus"
    assert "In a container, mount /run/dbus" in str(finding["advice"])


def test_faulty_firmware_of_a_bound_tag_is_named(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def firmware() -> list[str]:
        ran = ctl.run(simulator, "doctor", "--json", "--timeout", "1")
        assert ran.returncode == exits.OK, ran
        return [finding["text"] for finding in ctl.objects(ran.stdout) if not finding["good"]]

    simulator.tell("firmware 1.1.0")
    assert firmware() == [], "doctor does not connect to tags that are not bound"
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    assert firmware() == [f"{SERIAL} has firmware 1.1.0, which is known to be faulty."]
    assert ctl.run(simulator, "disconnect").returncode == exits.OK
    simulator.tell("firmware 1.96.0")
    assert firmware() == []


def test_a_subscriber_that_does_not_use_the_library_is_named(simulator: Simulator) -> None:
    def found(seconds: str = "0.5") -> list[dict[str, object]]:
        ran = ctl.run(simulator, "doctor", "--timeout", seconds, "--json")
        assert ran.returncode == exits.OK
        return [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "subscribers"]

    # The link of a program that does not use the service is soon down.
    assert ctl.run(simulator, "battery", SERIAL, env={SERVICE: "off"}).returncode == exits.OK
    assert found("3") == []
    for action in ("connect", "subscribe notification"):
        simulator.tell(f"foreign {action}")
    (finding,) = found()
    assert (finding["good"], finding["cause"]) == (False, "")
    assert "C0:1A:DA:00:00:00" in str(finding["text"])
    assert "twice" in str(finding["advice"])
    simulator.tell("foreign exit")
    assert found() == []


def test_a_program_that_uses_the_tag_hides_other_subscribers(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    with ctl.watch(simulator) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        simulator.tell("foreign subscribe notification")
        ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json")
        assert ran.returncode == exits.OK
        (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "subscribers"]
        assert (finding["good"], finding["caveat"], finding["cause"]) == (True, True, "")
        assert f"C0:1A:DA:00:00:00 ({processes.described(state['service_process'])})" in finding["text"]
        assert "JACQUARD_LOG=warning" in finding["advice"]
        assert finding["details"] == {"addresses": ["C0:1A:DA:00:00:00"]}


def test_a_subscription_of_the_library_is_not_reported(tmp_path: Path) -> None:
    service, device = "/org/bluez/hci0/dev_1/service0001", "/org/bluez/hci0/dev_1"
    objects: bluez.Objects = {
        device: {"org.bluez.Device1": {"Address": "C0:FF:EE:00:00:01"}},
        service: {"org.bluez.GattService1": {"UUID": subscribers.SERVICE, "Device": device}},
        service + "/char0002": {"org.bluez.GattCharacteristic1": {"Notifying": True, "Service": service}},
        "/other": {"org.bluez.GattCharacteristic1": {"Notifying": True, "Service": "/gone"}},
    }
    sockets = tmp_path / "unix"
    bus, other_bus = "0" * 32, "1" * 32
    addresses = ["C0:FF:EE:00:00:01"]
    foreign, hidden = subscribers.Subscribed(addresses, []), subscribers.Subscribed([], addresses)
    assert subscribers.observed(objects, bus, sockets) == foreign
    name = f"@jacquard/{bus}/{subscribers.identifier('C0:FF:EE:00:00:01')}"
    sockets.write_text(f"Num RefCount ...\n0000000000000000: 00000002 00000000 00000000 0002 01 33 {name}\n")
    assert subscribers.observed(objects, bus, sockets) == hidden
    assert subscribers.observed(objects, other_bus, sockets) == foreign


def test_tags_in_range_are_listed(simulator: Simulator) -> None:
    ran = ctl.run(simulator, "doctor", "--timeout", "1", "--json")
    findings = {finding["about"]: finding for finding in ctl.objects(ran.stdout)}
    assert findings["tags"]["text"] == SERIAL
    simulator.tell("out-of-range")
    ran = ctl.run(simulator, "doctor", "--timeout", "0.5", "--json")
    findings = {finding["about"]: finding for finding in ctl.objects(ran.stdout)}
    assert (ran.returncode, findings["tags"]["good"]) == (exits.OK, False)


def test_a_caveat_has_its_own_mark(simulator: Simulator) -> None:
    shown = ctl.run(simulator, "doctor", "--timeout", "0.2").stdout
    assert "! firmware   updates have run with software tags only" in shown
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json")
    assert [finding["about"] for finding in ctl.objects(ran.stdout) if finding["caveat"]] == ["firmware"]
