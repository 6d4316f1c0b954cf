"""Packages are upgraded while a program, the service, the bridge and automations use a tag: nothing is lost, except
while each of them is restarted, and the files of the earlier version are read.

The packages replace themselves, and with JACQUARD_EARLIER the packages in that folder, of a build before there were
jacquardd and `jacquardctl run`: `Tests/Support/long upgrade`. Without systemd, the test restarts the programs that the
packages would restart.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT, run
from machine import HERE, PERSON, Machine
from packages import FOREIGN, NAMES, package, version

sys.path += [str(ROOT / "Tests" / "System" / "mqtt"), str(ROOT / "Tests" / "Interface" / "bindings")]
from broker import Broker, program  # noqa: E402
from waiting import until  # noqa: E402

pytestmark = pytest.mark.skipif(FOREIGN, reason="files of all architectures are replaced in the same way")
EARLIER = os.environ.get("JACQUARD_EARLIER", "")
LONGEST_WAIT = 120
# Runs as user in the machine, on the bus of the software tag. Lines of its input: start NAME COMMAND, restart NAME,
# gesture NUMBER.
SUPERVISOR = """
import os, shlex, socket, subprocess, sys, threading
running = {}
def supervise(name, command):
    while True:
        with open(name, "a") as log:
            running[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            status = running[name].wait()
            log.write(f"ended with {status}\\n")
os.environ["JACQUARD_SERVICE"] = os.path.abspath("socket")
# Where programs met before there was a service.
os.environ["XDG_RUNTIME_DIR"] = os.path.abspath("runtime")
os.mkdir("runtime", 0o700)
control = socket.socket(socket.AF_UNIX)
control.connect("control")
for line in sys.stdin:
    word, name, *command = shlex.split(line)
    if word == "start":
        threading.Thread(target=supervise, args=(name, command), daemon=True).start()
    elif word == "restart":
        running[name].terminate()
    else:
        control.sendall(line.encode())
for process in running.values():
    process.kill()
os._exit(0)
"""
# Before and after the upgrade: a recording and a configuration of the bridge.
WRITE = """cd /tmp/upgrade && cp /etc/jacquard-mqtt.toml earlier.toml
jacquard-sim run --scenario gestures -- timeout --signal=INT 5 jacquardctl record 01ZK recording
grep '"gesture"' recording"""
READ = "cd /tmp/upgrade && jacquardctl replay recording --scenario && jacquard-mqtt --check --config earlier.toml"
RULES = '[[on]]\ngesture = "any"\ndo = { shell = "true" }\n'
COMMANDS = {
    "service": "jacquardd --socket /tmp/upgrade/socket",
    "program": "jacquardctl watch 01ZK",
    "bridge": "jacquard-mqtt --config bridge.toml",
    "automations": "jacquardctl run rules.toml",
}


def repacked(path: Path, release: str, folder: Path) -> Path:
    """The package with another version, also where it depends on others of the same build."""
    tree = folder / "tree"
    assert run(["dpkg-deb", "--raw-extract", path, tree]).returncode == 0
    control = tree / "DEBIAN" / "control"
    (built,) = re.findall(r"^Version: (.*)", control.read_text(), re.MULTILINE)
    control.write_text(re.sub(rf"(?<=[ (]){re.escape(built)}(?=\)|$)", release, control.read_text(), flags=re.MULTILINE))
    made = folder / f"{path.name.split('_')[0]}_{release}.deb"
    assert run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, made]).returncode == 0
    assert run(["rm", "-r", tree]).returncode == 0
    return made


class Running:
    """The programs that use the tag, during a `with` block. Gestures have increasing numbers."""

    def __init__(self, machine: Machine, broker: Broker, *options: str) -> None:
        self.folder = machine.root / "tmp" / "upgrade"
        self.last = 100
        files = {"supervisor.py": SUPERVISOR, "rules.toml": RULES, "scenario": "gear attach levis-trucker\n"}
        files["bridge.toml"] = f'bridge = "test"\n[mqtt]\nport = {broker.port}\n[[tag]]\nserial = "01ZK"\ntopic = "sleeve"\n'
        for name, text in files.items():
            (broker.folder / name).write_text(text)
            machine.put(broker.folder / name, "/tmp/upgrade")
        machine.does("chown", "-R", PERSON, "/tmp/upgrade")
        self.published = broker.folder / "published"
        words = [program("mosquitto_sub"), "-p", str(broker.port), "-t", "jacquard/v1/tags/sleeve/gesture"]
        with self.published.open("w") as file:
            self.subscriber = subprocess.Popen(words, stdout=file)
        script = f"cd /tmp/upgrade && jacquard-sim run {' '.join(options)} --state state --scenario scenario --control control"
        command = [HERE / "enter", machine.root, "runuser", "--login", PERSON, "--command", f"{script} -- python3 -u supervisor.py"]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, text=True)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.subscriber.terminate()
        self.subscriber.wait()
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(LONGEST_WAIT)

    def tell(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def start(self, *names: str) -> None:
        for name in names:
            self.tell(f"start {name} {COMMANDS[name]}")

    def restart(self, name: str) -> None:
        ends = self.log(name).count("ended with")
        self.tell(f"restart {name}")
        self.wait(lambda: self.log(name).count("ended with") > ends, f"{name} does not end")

    def log(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def received(self, name: str) -> list[int]:
        """The numbers of the gestures, in order."""
        text = self.published.read_text() if name == "bridge" else self.log(name)
        return [int(number) for number in re.findall(r'gesture (?:number )?(\d+)|"number": ?(\d+)', text) for number in number if number]

    def gesture(self) -> int:
        self.last += 1
        self.tell(f"gesture {self.last}")
        return self.last

    def wait(self, condition: Callable[[], bool], problem: str) -> None:
        def logs() -> str:
            return problem + "".join(f"\n== {name}\n{self.log(name)}" for name in ["bound", *COMMANDS])

        def holds() -> bool:
            assert self.process.poll() is None, logs()
            return condition()

        until(holds, LONGEST_WAIT, problem=logs, period=0.05)

    def wait_for(self, number: int, names: list[str]) -> None:
        """All have received this gesture, or a later one."""
        for name in names:
            self.wait(lambda: max(self.received(name), default=0) >= number, f"{name} has not received {number}")

    def connect(self, names: list[str]) -> int:
        """Makes gestures until all have received one. Returns the number of the last one, which all have received."""
        first = self.last + 1
        for name in names:
            while max(self.received(name), default=0) < first:
                number = self.gesture()
                try_until = time.monotonic() + 1
                self.wait(lambda: number in self.received(name) or time.monotonic() > try_until, "")
                assert number - first < LONGEST_WAIT, f"{name} does not receive: {self.log(name)}"
        number = self.gesture()
        self.wait_for(number, names)
        return number


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    fresh = Machine()
    yield fresh
    fresh.close()


def upgrade(machine: Machine, earlier: list[Path], later: list[Path], folder: Path) -> None:
    release = run(["dpkg-deb", "--field", later[0], "Version"]).stdout.strip()
    before = machine.files()
    for place, paths in [("/tmp/earlier", earlier), ("/tmp/later", later)]:
        for path in paths:
            machine.put(path, place)
    machine.does("sh", "-c", "apt-get -qq install --yes --no-install-recommends /tmp/earlier/*.deb")
    has_service = machine.run("which", "jacquardd").returncode == 0
    names = ["program", "bridge", *(["automations"] if has_service else [])]
    with Broker(folder) as broker, Running(machine, broker, *(["--no-service"] if has_service else [])) as running:
        running.start(*(["service"] if has_service else []))
        running.tell("start bound sh -c 'jacquardctl bind 01ZK && jacquardctl list && sleep infinity'")
        running.wait(lambda: running.log("bound").count("01ZK") >= 2, "the tag is not bound")
        running.start(*names)
        first = running.connect(names)
        written = machine.as_person(WRITE)
        assert written.returncode == 0, written.stderr

        words = "apt-get -qq install --yes --no-install-recommends -o Dpkg::Use-Pty=0 /tmp/later/*.deb"
        upgrading = subprocess.Popen(
            [HERE / "enter", machine.root, "sh", "-c", words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        until(lambda: upgrading.poll() is not None, 600, meanwhile=running.gesture, period=0.2)
        assert upgrading.stdout and upgrading.returncode == 0, upgrading.stdout and upgrading.stdout.read()
        last = running.gesture()
        running.wait_for(last, names)
        for name in names:
            assert [number for number in running.received(name) if number >= first] == list(range(first, last + 1)), name
        assert last > first + 2  # some were sent during the upgrade

        if has_service:
            running.restart("service")
            running.connect(names)
        else:
            running.start("service", "automations")
            names.append("automations")
        for name in names:
            running.restart(name)
        running.connect(names)
        running.tell("start known jacquardctl list")
        running.wait(lambda: "01ZK" in running.log("known"), "the bound tag is unknown")
        for name in names:
            received = running.received(name)
            assert received == sorted(set(received)), name
            assert "Traceback" not in running.log(name)
    assert machine.does("dpkg-query", "--show", "--showformat", "${Version}\n", *NAMES).split() == [release] * len(NAMES)
    read = machine.as_person(READ)
    assert read.returncode == 0, read.stderr
    assert "packet notification" in read.stdout and read.stdout.endswith("earlier.toml: valid\n")
    machine.does("apt-get", "-qq", "purge", "--yes", *NAMES)
    machine.does("apt-get", "-qq", "purge", "--yes", "--autoremove")
    assert machine.files() - before == set()


@pytest.mark.skipif(bool(EARLIER), reason="JACQUARD_EARLIER is set")
def test_over_themselves(machine: Machine, tmp_path: Path) -> None:
    paths = [package(name) for name in NAMES]
    upgrade(machine, paths, [repacked(path, f"{version()}-2", tmp_path) for path in paths], tmp_path)


@pytest.mark.skipif(not EARLIER, reason="JACQUARD_EARLIER is not set")
def test_over_an_earlier_build(machine: Machine, tmp_path: Path) -> None:
    """The earlier build may have the same version."""
    paths = [path for path in sorted(Path(EARLIER).glob("*.deb")) if "-dbgsym_" not in path.name]
    upgrade(machine, [repacked(path, f"{version()}~early-1", tmp_path) for path in paths], [package(name) for name in NAMES], tmp_path)
