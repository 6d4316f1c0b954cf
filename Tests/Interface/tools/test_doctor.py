"""jacquardctl doctor names the cause in every state of a machine."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.system import processes
from jacquard_apps.terminal import exits
from jacquardctl.commands import doctor
from jacquardctl.doctor import bluez, rfkill, sharing, subscribers
from jacquardctl.doctor.diagnosis import Machine, diagnosis
from jacquardctl.doctor.finding import Finding
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


@pytest.fixture
def forbidding_bus() -> Iterator[str]:
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
    """As in seccomp profiles, AppArmor, and RestrictAddressFamilies of systemd."""
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
    arguments = argparse.Namespace(adapter=None, timeout=1, json=True)
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


def test_features_of_bluetoothd_are_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", simulator.bus_address)
    observation = bluez.observe()
    assert observation is not None
    assert [adapter["Address"] for adapter in observation.adapters.values()] == ["00:1A:7D:DA:71:13"]
    assert observation.features == bluez.Features(None, None, False, None, None)
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
    simulator.tell("bluetoothd kill")
    assert bluez.observe() is None


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
    assert observation.features == bluez.Features(None, True, True, True, True)
    assert observation.features.at_least == "5.84"


def test_tags_in_range_are_listed(simulator: Simulator) -> None:
    ran = ctl.run(simulator, "doctor", "--timeout", "1", "--json")
    findings = {finding["about"]: finding for finding in ctl.objects(ran.stdout)}
    assert findings["tags"]["text"] == SERIAL
    simulator.tell("out-of-range")
    ran = ctl.run(simulator, "doctor", "--timeout", "0.5", "--json")
    findings = {finding["about"]: finding for finding in ctl.objects(ran.stdout)}
    assert (ran.returncode, findings["tags"]["good"]) == (exits.OK, False)


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


# Sharing


def about_sharing(simulator: Simulator, status: int = exits.OK, **env: str) -> dict[str, Any]:
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (status, "")
    (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "sharing"]
    return finding


def connections(count: int) -> str:
    """What doctor says about the service's limits."""
    return f"{count} of 2048 connections, {count} of 1536 by this user, at most 128 by one program"


def test_the_service_its_programs_and_links_are_named(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    finding = about_sharing(simulator)
    service = finding["details"]["process"]
    start = f"jacquardd ({service}) shares tags at {simulator.service}"
    assert finding["text"] == f"{start}; no program uses it; {connections(0)}"
    most = {"most_connections": 2048, "most_connections_of_user": 1536, "most_connections_of_process": 128}
    assert finding["details"]["limits"] == {"connections": 1, "connections_of_user": 1, **most}
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    finding = about_sharing(simulator)
    assert finding["text"] == f"{start}; no program uses it; warm links: 0000AAAAA0{SERIAL}; {connections(0)}"
    with ctl.watch(simulator) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        assert state["service_process"] == service
        finding = about_sharing(simulator)
        program = processes.described(watch.process.pid)
        assert finding["text"] == f"{start}; programs: {program}; links: 0000AAAAA0{SERIAL}; {connections(1)}"
        assert (finding["good"], finding["caveat"], finding["advice"], finding["cause"]) == (True, False, "", "")
        assert finding["details"].items() >= {
            "process": service,
            "socket": simulator.service,
            "programs": [watch.process.pid],
            "links": [state["identifier"]],
        }.items()


# Touch mode


def about_touch_mode(simulator: Simulator, **env: str) -> list[dict[str, Any]]:
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "touch mode"]


def test_the_program_that_has_set_touch_mode_is_named_until_it_ends(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    simulator.tell("gear attach levis-trucker")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    with ctl.watch(simulator) as watch:
        watch.until(event="gear")
        assert about_touch_mode(simulator) == []
        with ctl.Running(simulator, "touch", SERIAL) as touch:
            wait_for_touches(simulator, touch)
            (finding,) = about_touch_mode(simulator)
            name = f"0000AAAAA0{SERIAL}"
            text = f"{name} reports touches instead of gestures, as set by {processes.described(touch.process.pid)}"
            assert (finding["text"], finding["advice"]) == (text, "To have its gestures again, end that program.")
            assert (finding["good"], finding["caveat"]) == (True, True)
            assert finding["details"]["process"] == touch.process.pid
            # It has no time to set gesture mode.
            touch.process.kill()
            touch.process.wait()
        (finding,) = about_touch_mode(simulator)
        assert finding["text"].endswith("as set by a program that no longer uses the tag, or is not known")
        assert finding["advice"] == "To have its gestures again, detach the gear from the tag, and attach it again."
        assert finding["details"]["process"] is None
        simulator.tell("gear attach levis-trucker")
        watch.until(event="gear")
        assert about_touch_mode(simulator) == []


def wait_for_touches(simulator: Simulator, touch: ctl.Running) -> None:
    """Until the program has set touch mode."""
    over = threading.Event()

    def touch_often() -> None:
        while not over.wait(0.1):
            simulator.tell("touch sweep")

    thread = threading.Thread(target=touch_often)
    thread.start()
    try:
        assert touch.process.stdout and touch.process.stdout.readline()
    finally:
        over.set()
        thread.join()


def test_without_a_service_only_the_program_with_the_link_can_have_set_touch_mode(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, env={SERVICE: "off"}) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        (finding,) = about_touch_mode(simulator, **{SERVICE: "off"})
        program = processes.described(watch.process.pid)
        text = f"cannot be checked for {state['identifier']}: only {program}, which uses it without a service, can have set it"
        assert (finding["text"], finding["caveat"]) == (text, True)
        assert finding["details"] == {"tag": state["identifier"], "process": watch.process.pid}


def test_no_service(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SERVICE)
    finding = about_sharing(simulator)
    assert (finding["good"], finding["caveat"], finding["cause"]) == (True, True, "")
    assert finding["details"] == {"problem": "no-service"}
    assert "systemctl --user start jacquardd.socket" in finding["advice"]
    assert finding["advice"].endswith(sharing.CONSEQUENCE)


def test_no_service_and_no_login_session(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE)
    finding = about_sharing(simulator, XDG_RUNTIME_DIR=str(tmp_path / "none"), HOME=str(tmp_path))
    place = f"{tmp_path}/.jacquard/socket"
    assert f"jacquardd --socket {place}, and set JACQUARD_SERVICE={place}" in finding["advice"]
    assert "systemctl" not in finding["advice"]


def test_the_service_of_the_user_is_found(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE)
    (tmp_path / "jacquard").mkdir()
    (tmp_path / "jacquard" / "socket").symlink_to(simulator.service)
    finding = about_sharing(simulator, XDG_RUNTIME_DIR=str(tmp_path))
    assert f"shares tags at {tmp_path}/jacquard/socket" in finding["text"]


def test_no_service_is_wanted(simulator: Simulator) -> None:
    finding = about_sharing(simulator, exits.OK, **{SERVICE: "off"})
    assert (finding["caveat"], finding["details"]) == (True, {"problem": "off"})


def test_a_named_service_does_not_run(simulator: Simulator, tmp_path: Path) -> None:
    finding = about_sharing(simulator, exits.NO_BLUETOOTH, **{SERVICE: f"{tmp_path}/none"})
    assert (finding["good"], finding["cause"]) == (False, "no-service")
    assert f"jacquardd --socket {tmp_path}/none" in finding["advice"]
    # That is also what other commands say.
    ran = ctl.run(simulator, "battery", SERIAL, "--timeout", "1", env={SERVICE: f"{tmp_path}/none"})
    assert ran.returncode == exits.NO_BLUETOOTH
    assert f"No Jacquard service listens at {tmp_path}/none" in ran.stderr and "button" not in ran.stderr


def test_a_service_on_another_bus(simulator: Simulator) -> None:
    with Simulator() as other:
        finding = about_sharing(simulator, exits.OK, **{SERVICE: other.service})
    assert (finding["good"], finding["caveat"], finding["details"]) == (True, True, {"problem": "other-bus"})
    assert "uses another bus" in finding["text"]


@contextlib.contextmanager
def listening(path: Path, answer: bytes | None) -> Iterator[None]:
    """A service that answers the first message with these bytes, or not at all."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            channel, _ = listener.accept()
            with channel:
                channel.recv(8192)
                if answer is not None:
                    channel.send(answer)
                while channel.recv(8192):
                    pass

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_service_that_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(SERVICE, f"{tmp_path}/socket")
    monkeypatch.setattr(sharing, "TIMEOUT", 0.2)
    with listening(tmp_path / "socket", None):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.good, finding.cause) == (False, "service-hangs")
    assert processes.described(os.getpid()) in finding.text and str(os.getpid()) not in finding.advice


@pytest.mark.parametrize(
    "answer, text, advice",
    [
        # refused, "full", a failure whose texts are "No." and "Wait."
        (b"\x02\x05\x02\x03\0\0\0" + bytes(16) + b"\x03\0No.\x05\0Wait.", "No.", "Wait."),
        (b"\x01\x01\0\x02\0\0\0", "The service uses another version of its protocol.", "Restart it: "),
        (b"", "The service uses another version of its protocol.", "Restart it: "),
    ],
    ids=["refused", "welcome of another version", "nothing"],
)
def test_a_service_that_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes, text: str, advice: str) -> None:
    monkeypatch.setenv(SERVICE, f"{tmp_path}/socket")
    with listening(tmp_path / "socket", answer):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.good, finding.cause, finding.text) == (False, "service", text)
    assert finding.advice.startswith(advice)


def test_a_service_in_a_place_where_others_can_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "jacquard"
    folder.mkdir()
    folder.chmod(0o777)
    with listening(folder / "socket", b"\x02\x05\x02\x05\0\0\0" + bytes(16) + bytes(4)):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.caveat, finding.details) == (True, {"problem": "distrusted"})
    assert finding.text == f"the service at {folder}/socket is not used, because other users can change its directory"


def test_a_service_that_this_user_may_not_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(path: Path, bus: str | None) -> sharing.Answer:
        raise PermissionError if path == sharing.SYSTEM else FileNotFoundError

    monkeypatch.delenv(SERVICE, raising=False)
    monkeypatch.setattr(sharing, "ask", refused)
    finding = sharing.sharing("0" * 32, {})
    assert (finding.caveat, finding.details) == (True, {"problem": "permission-denied"})
    assert "jacquard" in finding.advice and "sudo adduser" in finding.advice


def test_a_caveat_has_its_own_mark(simulator: Simulator) -> None:
    shown = ctl.run(simulator, "doctor", "--timeout", "0.2").stdout
    assert "! firmware   updates have run with software tags only" in shown
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json")
    assert [finding["about"] for finding in ctl.objects(ran.stdout) if finding["caveat"]] == ["firmware"]
