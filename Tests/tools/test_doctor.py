"""jacquardctl doctor names the cause in every state of a machine."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ctl
import pytest
from jacquardctl import exits, processes
from jacquardctl.commands import doctor
from jacquardctl.doctor import bluez, rfkill, sharing, subscribers
from jacquardctl.doctor.diagnosis import Machine, diagnosis
from jacquardctl.doctor.finding import Finding
from simulator import SERIAL, Simulator

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


def test_permission_denied(forbidding_bus: str) -> None:
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

    assert ctl.run(simulator, "battery", SERIAL).returncode == exits.OK
    # Long enough for the previous command's link to be down.
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
        watch.until(event="state", phase="connected")
        simulator.tell("foreign subscribe notification")
        ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json")
        assert ran.returncode == exits.OK
        (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "subscribers"]
        assert (finding["good"], finding["caveat"], finding["cause"]) == (True, True, "")
        assert f"C0:1A:DA:00:00:00 ({processes.described(watch.process.pid)})" in finding["text"]
        assert "JACQUARD_LOG=warning" in finding["advice"]
        assert finding["details"] == {"addresses": ["C0:1A:DA:00:00:00"]}


def test_a_subscription_of_the_library_is_not_reported(tmp_path: Path) -> None:
    service, device = "/org/bluez/hci0/dev_1/service0001", "/org/bluez/hci0/dev_1"
    objects = {
        device: {"org.bluez.Device1": {"Address": "C0:FF:EE:00:00:01"}},
        service: {"org.bluez.GattService1": {"UUID": subscribers.SERVICE, "Device": device}},
        service + "/char0002": {"org.bluez.GattCharacteristic1": {"Notifying": True, "Service": service}},
        "/other": {"org.bluez.GattCharacteristic1": {"Notifying": True, "Service": "/gone"}},
    }
    sockets = tmp_path / "unix"
    bus, other_bus = "0" * 32, "1" * 32
    foreign, hidden = (subscribers.Subscribed(*lists) for lists in ((["C0:FF:EE:00:00:01"], []), ([], ["C0:FF:EE:00:00:01"])))
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
    objects = {
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
    assert ctl.run(simulator, "battery", SERIAL).returncode == exits.OK
    simulator.tell("discovery refused")
    assert found() == [("scan-failed", "The Bluetooth adapter currently refuses the operation.")]
    simulator.tell("foreign connect")
    assert found() == [("", SERIAL), ("scan-failed", "The Bluetooth adapter currently refuses the operation.")]


# Sharing


def about_sharing(simulator: Simulator, directory: str) -> dict[str, object]:
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json", env={"XDG_RUNTIME_DIR": directory})
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "sharing"]
    assert finding["cause"] == ""
    return finding


def test_programs_can_share_tags(simulator: Simulator, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir(0o700)
    for path in (directory, f"{directory}/"):
        finding = about_sharing(simulator, str(path))
        assert (finding["good"], finding["details"]) == (True, {"directory": f"{directory}/jacquard"})


def prepare(directory: Path, problem: str) -> str:
    """Makes a directory unsuitable in this way, and returns the value of the variable."""
    directory.mkdir(0o700)
    own = directory / "jacquard"
    if problem == "relative":
        return "run"
    if problem == "missing":
        directory.rmdir()
    elif problem == "mode":
        directory.chmod(0o755)
    elif problem == "mode of its own":
        own.mkdir(0o755)
    elif problem == "not-a-directory":
        directory.rmdir()
        directory.symlink_to("/")
    elif problem == "not-a-directory, its own":
        own.touch()
    elif problem == "owner":
        os.chown(directory, 12345, -1)
    elif problem == "owner of its own":
        own.mkdir(0o700)
        os.chown(own, 12345, -1)
    return str(directory)


ADVICE = {
    "relative": "Set it to /run/user/",
    "missing": "Create it with the mode 0700, or unset XDG_RUNTIME_DIR.",
    "mode": "Run: chmod 700 {directory} ",
    "mode of its own": "Run: chmod 700 {directory}/jacquard ",
    "not-a-directory": "Create it with the mode 0700, or unset XDG_RUNTIME_DIR.",
    "not-a-directory, its own": "Remove it: sudo rm -r {directory}/jacquard ",
    "owner": "sudo and su can keep the XDG_RUNTIME_DIR of another user: ",
    "owner of its own": "Remove it: sudo rm -r {directory}/jacquard ",
}


@pytest.mark.parametrize("problem", ADVICE)
def test_why_programs_cannot_share_tags(simulator: Simulator, tmp_path: Path, problem: str) -> None:
    """With the reason that the library has in its log."""
    if "owner" in problem and os.geteuid() != 0:
        pytest.skip("only root can change the owner")
    directory = tmp_path / "run"
    value = prepare(directory, problem)
    finding = about_sharing(simulator, value)
    assert not finding["good"]
    assert finding["details"] == {"problem": problem.split(" of ")[0].split(",")[0]}
    assert str(finding["advice"]).startswith(ADVICE[problem].format(directory=directory))
    assert str(finding["advice"]).endswith(sharing.CONSEQUENCE)
    ran = ctl.run(simulator, "battery", SERIAL, "--debug", env={"XDG_RUNTIME_DIR": value})
    reason = str(finding["text"]).removeprefix("Programs cannot share tags. ")
    assert f"is not shared with other programs: {reason}" in ran.stderr


def test_a_user_without_a_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    finding = sharing.sharing(tmp_path)
    assert (finding.good, finding.details) == (False, {"problem": "missing"})
    assert finding.text == f"Programs cannot share tags. {tmp_path}/{os.geteuid()} does not exist."
    assert "loginctl enable-linger" in finding.advice and "not in containers" in finding.advice
    (tmp_path / str(os.geteuid())).mkdir(0o700)
    assert sharing.sharing(tmp_path).good


def test_a_runtime_directory_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert sharing.sharing().details == {"problem": "not-writable"}


def test_a_caveat_has_its_own_mark(simulator: Simulator) -> None:
    shown = ctl.run(simulator, "doctor", "--timeout", "0.2").stdout
    assert "! firmware   updates have run with software tags only" in shown
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json")
    assert [finding["about"] for finding in ctl.objects(ran.stdout) if finding["caveat"]] == ["firmware"]
