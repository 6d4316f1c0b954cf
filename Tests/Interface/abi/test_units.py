"""The units for systemd, as `make install` installs them."""

import re
import subprocess
from pathlib import Path

import pytest
from conftest import UNPACKED, run
from test_install import make

UNITS = [
    (folder, f"{name}.{kind}")
    for folder in ("user", "system")
    for name, kind in [("jacquardd", "service"), ("jacquardd", "socket"), ("jacquard-mqtt", "service")]
]
UNITS.append(("user", "jacquard-automations.service"))
# The exposure that `systemd-analyze security` finds, times 10.
EXPOSURE = {"jacquardd": 12, "jacquard-mqtt": 16}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("prefix")
    make("install", "/", prefix)
    return prefix / "lib" / "systemd"


def settings(unit: Path) -> list[tuple[str, str]]:
    return re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.M)


def analyze(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs systemd-analyze, also if it is only unpacked."""
    libraries = next(UNPACKED.glob("usr/lib/*/systemd"), "")
    return run(["systemd-analyze", *words], env={"LD_LIBRARY_PATH": str(libraries), **environment})


@pytest.mark.parametrize("folder, unit", UNITS)
def test_systemd_understands_the_unit(installed: Path, folder: str, unit: str) -> None:
    # Debian 12 has the units of users in /usr, but not those of the system.
    path = f"{installed / folder}:{UNPACKED}/lib/systemd/{folder}:{UNPACKED}/usr/lib/systemd/{folder}:"
    ran = analyze("verify", f"--{folder}", "--man=no", installed / folder / unit, SYSTEMD_UNIT_PATH=path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize("name", EXPOSURE)
def test_the_system_unit_may_do_little(installed: Path, name: str) -> None:
    words = ["security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE[name]}"]
    ran = analyze(*words, installed / "system" / f"{name}.service")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("folder", ["user", "system"])
def test_failures_and_hangs_of_the_service_end_soon_and_close_no_socket(installed: Path, folder: str) -> None:
    service, socket = ([*settings(installed / folder / f"jacquardd.{kind}")] for kind in ("service", "socket"))
    for wanted in [
        ("Type", "notify"),
        ("Restart", "on-failure"),
        ("WatchdogSec", "60"),
        ("WatchdogSignal", "SIGKILL"),
        ("StartLimitIntervalSec", "0"),
    ]:
        assert wanted in service
    assert ("TriggerLimitIntervalSec", "0") in socket


def test_who_can_connect(installed: Path) -> None:
    user, system = (dict(settings(installed / folder / "jacquardd.socket")) for folder in ("user", "system"))
    assert user["ListenSequentialPacket"] == "%t/jacquard/socket"
    assert (user["SocketMode"], user["DirectoryMode"]) == ("0600", "0700")
    assert system["ListenSequentialPacket"] == "/run/jacquard/socket"
    assert (system["SocketMode"], system["SocketGroup"]) == ("0660", "jacquard")
    bridge = dict(settings(installed / "system" / "jacquard-mqtt.service"))
    assert "jacquard" in bridge["SupplementaryGroups"].split()
    assert "AF_UNIX" in bridge["RestrictAddressFamilies"].split()


def test_locks_and_credentials_reach_other_programs(installed: Path) -> None:
    """Names that lock tags belong to a network namespace, and users to a user namespace."""
    names = {name for name, _ in settings(installed / "system" / "jacquardd.service")}
    assert not names & {"PrivateNetwork", "PrivateUsers", "NetworkNamespacePath"}


def permitted(filters: list[str]) -> set[str]:
    """The system calls that SystemCallFilter= permits."""

    def members(name: str) -> set[str]:
        if not name.startswith("@"):
            return {name}
        lines = analyze("syscall-filter", name).stdout.splitlines()[1:]
        found = [line.strip() for line in lines if not line.strip().startswith("#")]
        return set().union(*(members(word) for word in found))

    first, second = filters
    assert second.startswith("~")
    allowed = set().union(*(members(name) for name in first.split())) | members("@default")
    return allowed - set().union(*(members(name) for name in second[1:].split())) | {"execve"}


@pytest.mark.parametrize("folder", ["user", "system"])
def test_the_service_makes_only_permitted_system_calls(installed: Path, folder: str, tmp_path: Path) -> None:
    filters = [value for name, value in settings(installed / folder / "jacquardd.service") if name == "SystemCallFilter"]
    script = """
      strace -f -qq -o "$1/calls" "$2/jacquardd" --socket "$1/socket" --bus "$DBUS_SYSTEM_BUS_ADDRESS" --idle 2 --linger 1 &
      while ! [ -e "$1/socket" ]; do sleep 0.05; done
      export JACQUARD_SERVICE="$1/socket"
      "$2/jacquardctl" battery 01ZK && "$2/jacquardctl" bind 01ZK && "$2/jacquardctl" led 01ZK teal
      wait
    """
    programs = installed.parents[1] / "bin"
    environment = {"LD_LIBRARY_PATH": str(programs.parent / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = run([programs / "jacquard-sim", "run", "--", "sh", "-euc", script, "sh", tmp_path, programs], env=environment)
    assert ran.returncode == 0, ran.stderr
    calls = set(re.findall(r"^\d+ +(\w+)\(", (tmp_path / "calls").read_text(), re.M))
    assert {"accept4", "sendmsg", "recvfrom"} <= calls
    assert calls - permitted(filters) == set()
