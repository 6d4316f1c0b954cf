"""In a fresh Debian without Swift the packages install, work for an ordinary user, and purge cleanly."""

import re
import shlex
import time
from collections.abc import Callable, Iterator

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
    assert "libjacquard.so.1 " in machine.does("ldconfig", "--print-cache")
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
    installed: tuple[Machine, float], record_property: Callable[[str, object], None]
) -> None:
    """The report of the tests has both."""
    _, seconds = installed
    for name in NAMES:
        size, unpacked = package(name).stat().st_size / 1e6, int(field(name, "Installed-Size")) / 1e3
        record_property(name, f"{size:.2f} MB, installed {unpacked:.1f} MB")
    record_property("from `apt install` to the first gesture", f"{seconds:.1f} s")


# A player of MPRIS with three long songs, which plays without a sound card.
PLAYER = r"""
export TERM=xterm
mkdir -p ~/.config/cmus
printf 'set output_plugin=ao\nset dsp.ao.driver=null\n' >~/.config/cmus/rc
for number in 1 2 3; do
  printf 'RIFF\0\0\0\100WAVEfmt \20\0\0\0\1\0\1\0\100\37\0\0\200\76\0\0\2\0\20\0data\0\0\0\40' >~/$number.wav
  truncate --size=512M ~/$number.wav
done
script --quiet --flush --return --command 'cmus --listen ~/socket' /dev/null </dev/null >/dev/null 2>&1 &
remote() { cmus-remote --server ~/socket "$@" 2>/dev/null; }
song() { remote --query | sed -n 's/^file .*\///p'; }
until remote --library ~/*.wav; do sleep 0.1; done
until remote --next --play && [ -n "$(song)" ]; do sleep 0.1; done
"""
TAG = r"""printf 'gear attach levis-trucker\nevery 10s gesture brush-in\n' >brush.scenario
jacquard-sim run --scenario brush.scenario -- sh"""


def test_a_brush_skips_the_song_of_a_player_of_another_author(
    installed: tuple[Machine, float], record_property: Callable[[str, object], None]
) -> None:
    """Uses a software tag, and the commands of docs/automations.md for a person who makes the rule."""
    machine, seconds = installed
    start = time.monotonic()
    machine.does("apt-get", "-qq", "install", "--yes", "--no-install-recommends", "cmus", "python3-dbus-fast")
    section = (ROOT / "docs" / "automations.md").read_text().partition("## In three minutes\n")[2]
    setup, rules, *_ = re.findall(r"^```console\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert setup == "$ jacquardctl setup\n" and rules.endswith("$ jacquardctl run\n")
    script = f"{PLAYER}echo $(song)\n{TAG} >said 2>&1 <<'END' &\n" + re.sub("^[$] ", "", rules, flags=re.MULTILINE) + "END\n"
    script += "until [ \"$(song)\" = 2.wav ] || ! jobs %2 >/dev/null; do sleep 0.1; done; cat said; echo $(song)\n"
    ran = machine.as_person(f"dbus-run-session -- bash -c {shlex.quote(script)}")
    first, *said, last = ran.stdout.splitlines() or ["", ""]
    assert (first, last) == ("1.wav", "2.wav"), ran.stdout + ran.stderr
    assert any(line.endswith('0000AAAAA001ZK brush-in: media = "next" (cmus)') for line in said), ran.stdout
    record_property("from `apt install` to the next song", f"{seconds + time.monotonic() - start:.1f} s")
    machine.does("apt-get", "-qq", "purge", "--yes", "cmus", "python3-dbus-fast")


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
