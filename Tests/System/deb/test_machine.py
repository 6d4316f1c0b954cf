"""In a fresh Debian without Swift the packages install, work for an ordinary user, and purge cleanly."""

import re
import time
from collections.abc import Iterator

import pytest
from conftest import ROOT
from machine import Machine
from packages import ARCHITECTURE, FOREIGN, NAMES, field, package, version

CONTROL = (ROOT / "debian" / "tests" / "control").read_text()
TESTS = " ".join(re.findall(r"^Tests: (.*)$", CONTROL, re.MULTILINE)).split()
FEATURES = sorted(path.stem for path in (ROOT / "Tests" / "Interface" / "features").glob("*.c") if path.stem != "feature")
GESTURE = "jacquard-sim run --scenario gestures -- jacquardctl watch 01ZK | grep -m 1 'gesture double-tap'"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    fresh = Machine()
    yield fresh
    fresh.close()


@pytest.fixture(scope="module")
def before(machine: Machine) -> set[str]:
    return machine.files()


@pytest.fixture(scope="module")
def installed(machine: Machine, before: set[str]) -> tuple[Machine, float]:
    """The machine with the packages, and the time from the start of the installation to the first gesture."""
    for name in NAMES:
        machine.put(package(name), "/tmp/packages")
    for each in ["README.md", "debian"]:
        machine.put(ROOT / each, "/tmp/source")
    start = time.monotonic()
    machine.does("sh", "-c", "apt-get -qq install --yes --no-install-recommends /tmp/packages/*.deb")
    ran = machine.as_person(GESTURE)
    assert (ran.returncode, ran.stderr) == (0, "")
    return machine, time.monotonic() - start


def test_the_machine_is_of_the_architecture(installed: tuple[Machine, float]) -> None:
    machine, _ = installed
    assert machine.does("dpkg", "--print-architecture").strip() == ARCHITECTURE


def test_there_is_no_swift(installed: tuple[Machine, float]) -> None:
    machine, _ = installed
    assert machine.run("which", "swift").returncode != 0
    assert machine.does("find", "/usr/lib", "/opt", "-name", "libswift*") == ""


def test_the_user_is_not_root(installed: tuple[Machine, float]) -> None:
    machine, _ = installed
    assert machine.as_person("id -un").stdout == "tester\n"


def test_the_loader_and_pkg_config_find_the_library(installed: tuple[Machine, float]) -> None:
    machine, _ = installed
    assert "libjacquard.so.0 " in machine.does("ldconfig", "--print-cache")
    assert machine.as_person("pkg-config --modversion jacquard").stdout == f"{version()}\n"
    assert machine.as_person("pkg-config --cflags --libs jacquard").stdout.split() == ["-ljacquard"]


@pytest.mark.parametrize("name", TESTS)
def test_works(installed: tuple[Machine, float], name: str) -> None:
    """The result of debian/tests, run like autopkgtest."""
    machine, _ = installed
    script = f"export AUTOPKGTEST_TMP=$(mktemp -d) && cd /tmp/source && debian/tests/{name}"
    ran = machine.as_person(script)
    assert (ran.returncode, ran.stderr) == (0, "")


if FOREIGN:  # here `make check` runs them

    @pytest.mark.parametrize("program", FEATURES)
    def test_every_feature_works(installed: tuple[Machine, float], program: str) -> None:
        machine, _ = installed
        for source in ("commands.h", "features"):
            machine.put(ROOT / "Tests" / "Interface" / source, "/tmp/source")
        script = f"""set -eu
            cd $(mktemp -d)
            cc -std=c99 -O1 -Wall -Wextra -Werror -pedantic -I/tmp/source/features /tmp/source/features/{program}.c \\
              /tmp/source/features/feature.c -o program $(pkg-config --cflags --libs jacquard)
            export JACQUARD_CONTROL=$PWD/control
            jacquard-sim run --control "$JACQUARD_CONTROL" -- ./program"""
        ran = machine.as_person(script)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
        assert re.fullmatch(r"[1-9]\d* passed, 0 failed", ran.stdout.splitlines()[-1])


def test_python_finds_the_installed_packages(installed: tuple[Machine, float]) -> None:
    machine, _ = installed
    ask = "from importlib.metadata import version; print(version('jacquard'))"
    assert machine.as_person(f'python3 -c "{ask}"').stdout == f"{version()}\n"


def test_the_installed_size_and_the_time_to_the_first_gesture(
    installed: tuple[Machine, float], capsys: pytest.CaptureFixture[str]
) -> None:
    _, seconds = installed
    with capsys.disabled():
        print()
        for name in NAMES:
            size, unpacked = package(name).stat().st_size / 1e6, int(field(name, "Installed-Size")) / 1e3
            print(f"  {name:18} {size:5.2f} MB, installed {unpacked:5.1f} MB")
        print(f"  {seconds:.1f} s from `apt install` to the first gesture")


def test_nothing_is_left_after_purging(installed: tuple[Machine, float], before: set[str]) -> None:
    machine, _ = installed
    machine.does("apt-get", "-qq", "purge", "--yes", *NAMES)
    assert machine.run("sh", "-c", "dpkg-query --show '*jacquard*'").stdout == ""
    elsewhere = ["-not", "-path", "/tmp/*", "-not", "-path", "/home/*"]
    assert machine.does("find", "/", "-xdev", "-iname", "*jacquard*", *elsewhere) == ""
    machine.does("apt-get", "-qq", "purge", "--yes", "--autoremove")
    assert machine.files() - before == set()


def test_nothing_stays_mounted(machine: Machine) -> None:
    machine.does("true")
    with open("/proc/mounts") as mounts:
        assert [line for line in mounts if str(machine.folder) in line] == []
