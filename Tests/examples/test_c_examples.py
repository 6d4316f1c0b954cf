"""The C examples from end to end: program, library, D-Bus, scripted BlueZ, software tag."""

import pytest
from conftest import ROOT, SIMULATOR, run

EXAMPLES = ROOT / "build" / "examples"


def example(name, scenario="", tmp_path=None, tags=1):
    options = ["--tags", tags]
    if scenario:
        (tmp_path / "scenario").write_text(scenario + "\n")
        options += ["--scenario", tmp_path / "scenario"]
    return run([SIMULATOR, "run", *options, "--", EXAMPLES / name])


def test_every_example_is_built():
    sources = {path.stem for path in (ROOT / "bindings/c/examples").glob("*.c")}
    assert sources and sources <= {path.name for path in EXAMPLES.iterdir()}


def test_battery_tells_each_step_and_the_battery():
    ran = example("battery")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert [line for line in lines if line.startswith("adapter ") and "powered on" in line]
    assert [line for line in lines if line.startswith("found 01ZK Jacquard-01ZK ")]
    assert [line for line in lines if line.endswith("/14")][-1] == "connected 14/14"
    assert lines[-1] == "battery 80%"


@pytest.mark.parametrize(
    "scenario, last",
    [
        ("battery 12 charging", "battery 12%, charging"),
        ("battery 0 discharging", "battery 0%"),
        ("at 50ms bluetoothd restart after 500ms", "battery 80%"),
    ],
)
def test_battery_shows_what_the_tag_says(tmp_path, scenario, last):
    ran = example("battery", scenario, tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, last)


@pytest.mark.parametrize("scenario", ["adapter off", "adapter removed", "bluetoothd stop"])
def test_battery_says_what_is_missing(tmp_path, scenario):
    ran = example("battery", scenario, tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("scan: ") and len(ran.stderr.splitlines()) == 1


def test_battery_without_a_bus_says_so():
    ran = run([EXAMPLES / "battery"], env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    assert ran.returncode == 1
    assert ran.stderr.startswith("scan: ") and len(ran.stderr.splitlines()) == 1


def test_threaded_lists_all_tags():
    ran = example("threaded", tags=3)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert len(lines) == 3 == len({line.split()[-1] for line in lines})
