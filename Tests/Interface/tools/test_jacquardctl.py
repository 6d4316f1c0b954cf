"""The command-line tool, used by users and scripts."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import ctl
import pytest
from ctl import objects, run as jacquardctl
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator


def test_scan_lists_the_tags(simulator: Simulator) -> None:
    ran = jacquardctl(simulator, "scan", "--timeout", "1")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert ran.stdout.endswith("\n")
    heading, tag = ran.stdout.splitlines()
    assert heading.split() == ["SERIAL", "NAME", "RSSI", "IDENTIFIER"]
    assert tag.split()[:2] == [SERIAL, f"Jacquard-{SERIAL}"]


def test_scan_for_programs(simulator: Simulator) -> None:
    ran = jacquardctl(simulator, "scan", "--timeout", "1", "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    (tag,) = objects(ran.stdout)
    assert (tag["serial"], tag["connected"]) == (SERIAL, False)


def test_scan_without_a_tag_in_range(simulator: Simulator) -> None:
    ran = jacquardctl(simulator, "scan", "--timeout", "0.2", "--serial", "ZZZZ", "--json")
    assert (ran.returncode, ran.stdout) == (exits.NOT_FOUND, "")
    assert objects(ran.stderr)[0]["error"]["message"].startswith("No tag was found in 0.2 s. Move one")


def test_scan_says_that_the_controller_refuses_to_scan(simulator: Simulator) -> None:
    simulator.tell("discovery refused")
    ran = jacquardctl(simulator, "scan", "--timeout", "0.5")
    assert (ran.returncode, ran.stdout) == (exits.NO_BLUETOOTH, "")
    assert ran.stderr.startswith("jacquardctl: The Bluetooth adapter currently refuses the operation. Stop other")


def test_scan_shows_what_it_has_found_before_it_fails(simulator: Simulator) -> None:
    # bluetoothd knows the tag from then on.
    assert jacquardctl(simulator, "battery", SERIAL).returncode == exits.OK
    simulator.tell("foreign connect")
    simulator.tell("discovery refused")
    ran = jacquardctl(simulator, "scan", "--timeout", "1")
    assert ran.returncode == exits.NO_BLUETOOTH and "refuses the operation" in ran.stderr
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["SERIAL", SERIAL]


def test_battery_by_serial_and_by_identifier(simulator: Simulator) -> None:
    simulator.tell("battery 33 charging")
    simulator.tell("disconnect takes 10ms")
    ran = jacquardctl(simulator, "battery", SERIAL)
    assert (ran.returncode, ran.stdout, ran.stderr) == (exits.OK, "33%, charging\n", "")
    (tag,) = objects(jacquardctl(simulator, "scan", "--timeout", "1", "--json").stdout)
    ran = jacquardctl(simulator, "battery", str(tag["identifier"]), "--json")
    assert (ran.returncode, objects(ran.stdout)) == (exits.OK, [{"percent": 33, "charging": True}])


def test_battery_of_an_absent_tag(simulator: Simulator) -> None:
    ran = jacquardctl(simulator, "battery", "ZZZZ", "--timeout", "2")
    assert (ran.returncode, ran.stdout) == (exits.NOT_FOUND, "")
    assert ran.stderr.startswith("jacquardctl: Tag ZZZZ was not found")
    assert f"seconds; found: {SERIAL}." in ran.stderr


@pytest.mark.parametrize("words", [["battery", SERIAL], ["watch", SERIAL], ["scan"], ["doctor"]])
def test_without_an_adapter_there_is_advice(simulator: Simulator, words: list[str]) -> None:
    simulator.tell("adapter off")
    ran = jacquardctl(simulator, *words, "--timeout", "10")
    assert ran.returncode == exits.NO_BLUETOOTH
    assert "powered off" in ran.stdout + ran.stderr


def test_without_a_command_it_prints_the_help(simulator: Simulator) -> None:
    ran = jacquardctl(simulator)
    assert (ran.returncode, ran.stderr) == (exits.USAGE, "")
    assert ran.stdout == jacquardctl(simulator, "--help").stdout


@pytest.mark.parametrize("words", [["levitate"], ["battery"], ["scan", "--timeout", "-1"], ["scan", "--adapter", "usb0"]])
def test_wrong_usage(simulator: Simulator, words: list[str]) -> None:
    ran = jacquardctl(simulator, *words)
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "")
    assert ran.stderr


def test_doctor_finds_no_problem(simulator: Simulator) -> None:
    ran = jacquardctl(simulator, "doctor", "--timeout", "1", "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    findings = {finding["about"]: finding for finding in objects(ran.stdout)}
    assert {about for about, finding in findings.items() if finding["good"]} >= {"library", "adapter", "tags"}
    assert SERIAL in str(findings["tags"]["text"])


def test_watch_shows_states_and_events_until_ctrl_c(simulator: Simulator) -> None:
    with ctl.watch(simulator) as watch:
        seen = watch.until(event="state", phase="connected")
        simulator.tell("battery 3 discharging")
        seen += watch.until(event="battery", percent=3)
        assert {moment["event"] for moment in seen} == {"state", "battery", "name"}
        simulator.tell("gear attach saint-laurent-backpack")
        (*_, gear) = watch.until(event="gear")
        assert set(gear["component"]["capabilities"]) == {"led", "gesture", "touch", "haptic"}
        watch.process.send_signal(signal.SIGINT)
        _, complaints = watch.process.communicate(timeout=20)
        assert (watch.process.returncode, complaints) == (exits.INTERRUPTED, "")


def test_watch_ends_when_its_reader_closes(simulator: Simulator) -> None:
    with ctl.watch(simulator) as watch:
        watch.until(event="state", phase="connected")
        assert watch.process.stdout and watch.process.stderr
        watch.process.stdout.close()
        simulator.tell("battery 3 discharging")
        assert watch.process.wait(20) == exits.OK
        assert watch.process.stderr.read() == ""


def test_watch_runs_commands_at_gestures(simulator: Simulator, tmp_path: Path) -> None:
    command = f'echo "$JACQUARD_GESTURE $JACQUARD_SERIAL $JACQUARD_TAG" >> {tmp_path}/done; exit 5'
    with ctl.watch(simulator, "--on", "brush-in", command, "--on", "7", command) as watch:
        simulator.tell("gear attach levis-trucker")
        (*_, gear) = watch.until(event="gear")
        tag = f"{gear['serial']} {gear['identifier']}"
        for word in ("double-tap", "brush-in", "cover"):
            simulator.tell(f"gesture {word}")
        assert watch.process.stderr
        assert [watch.process.stderr.readline() for _ in range(2)] == [
            f"jacquardctl: ‘{command}’: ended with status 5\n"
        ] * 2
    assert tag.startswith(f"{SERIAL} ") and len(tag) == len(SERIAL) + 37
    assert sorted((tmp_path / "done").read_text().splitlines()) == [f"brush-in {tag}", f"cover {tag}"]


def test_a_machine_without_a_bus(tmp_path: Path) -> None:
    ran = subprocess.run(
        ctl.program("doctor"),
        env=ctl.environment(f"unix:path={tmp_path}/missing"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == exits.NO_BLUETOOTH
    assert "✗ adapter" in ran.stdout


def test_an_adapter_is_selected_by_address_or_name(simulator: Simulator) -> None:
    for adapter in ("hci0", "00:1a:7d:da:71:13"):
        assert jacquardctl(simulator, "battery", SERIAL, "--adapter", adapter).stdout == "80%\n"
    ran = jacquardctl(simulator, "battery", SERIAL, "--adapter", "hci7")
    assert (ran.returncode, ran.stdout) == (exits.NO_BLUETOOTH, "")
    assert ran.stderr == "jacquardctl: There is no adapter hci7. Available: hci0 00:1A:7D:DA:71:13.\n"
    ran = jacquardctl(simulator, "scan", "--adapter", "usb0")
    assert "a name such as hci0; bluetoothctl list shows addresses" in ran.stderr
    simulator.tell("bluetoothd kill")
    assert jacquardctl(simulator, "battery", SERIAL, "--adapter", "hci0").returncode == exits.NO_BLUETOOTH
