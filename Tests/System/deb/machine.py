"""A fresh Debian for installing the packages: a copy of the one created by `base`, deleted afterwards.

It has the packages' architecture. Programs for another architecture run in QEMU: see `emulate`."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run
from packages import ARCHITECTURE, FOREIGN

HERE = ROOT / "Tests" / "System" / "deb"
PERSON = "tester"


class Machine:
    def __init__(self) -> None:
        if FOREIGN:
            emulated = run([HERE / "as-root", HERE / "emulate", ARCHITECTURE])
            if emulated.returncode == 77:
                pytest.skip(emulated.stderr.strip())
            assert emulated.returncode == 0, emulated.stderr
        made = subprocess.run([HERE / "base", ARCHITECTURE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
        for left in (ROOT / "build").glob("machine.*"):  # left by a run that was killed
            if not Path("/proc", left.name.split(".")[1]).exists():
                self._as_root("rm", "-rf", "--one-file-system", left)
        self.folder = Path(tempfile.mkdtemp(prefix=f"machine.{os.getpid()}.", dir=ROOT / "build"))
        self.root = self.folder / "root"
        self.root.mkdir()
        try:
            self._as_root("tar", "-C", self.root, "-xf", made.stdout.strip())
            for name in ["resolv.conf", "hosts"]:
                self._as_root("cp", "--remove-destination", f"/etc/{name}", self.root / "etc" / name)
            self.does("apt-get", "-qq", "update")
            self.does("useradd", "--create-home", "--shell", "/bin/sh", PERSON)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._as_root("rm", "-rf", "--one-file-system", self.folder)

    def run(self, *command: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return run([HERE / "enter", self.root, *command], **({"timeout": 1200 if FOREIGN else 300} | options))

    def does(self, *command: object) -> str:
        """The output of the command, which must succeed."""
        ran = self.run(*command)
        assert ran.returncode == 0, f"{command}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def as_person(self, script: str) -> subprocess.CompletedProcess[str]:
        """Runs a shell script as an ordinary user who has logged in."""
        return self.run("runuser", "--login", PERSON, "--command", script)

    def put(self, source: Path, folder: str) -> None:
        """Copies a file or directory, readable for all users."""
        self._as_root("mkdir", "-p", f"{self.root}{folder}")
        self._as_root("cp", "-r", "--no-preserve=ownership", source, f"{self.root}{folder}/")

    def files(self) -> set[str]:
        """All files except the records of apt and dpkg and home directories."""
        kept = ["/home", "/tmp", "/var/lib/apt", "/var/lib/dpkg", "/var/cache", "/var/log"]
        prune = [word for folder in kept for word in ["-path", folder, "-prune", "-o"]]
        return set(self.does("find", "/", "-xdev", *prune, "-print").splitlines())

    def _as_root(self, *command: object) -> None:
        done = run([HERE / "as-root", *command], timeout=300)
        assert done.returncode == 0, done.stderr
