"""Files and sockets of jacquardd: what it removes, and what it accepts."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from members import IDENTIFIER
from raw_program import RawProgram, bus_id, first_program
from sharing_fixtures import simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator

JACQUARDD = ROOT / "build" / "bin" / "jacquardd"


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []

    def start_one(*words: object, **environment: str) -> subprocess.Popen[str]:
        command = [JACQUARDD, *map(str, words)]
        processes.append(
            subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
        )
        return processes[-1]

    yield start_one
    for process in processes:
        process.kill()
        process.communicate()


# Lock files


def locks(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "jacquard").glob("*.lock"))


def test_invented_tags_leave_no_lock_files(
    simulator: Simulator, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    tmp_path.chmod(0o700)
    service = start("--socket", path, "--bus", simulator.bus_address, XDG_RUNTIME_DIR=str(tmp_path))
    first_program(service, path).close()
    bus = bus_id(simulator.bus_address)
    for _ in range(20):
        programs = [RawProgram(path).hello(bus, str(uuid.uuid4())) for _ in range(20)]
        assert [each.refusal() for each in programs] == [None] * len(programs)
        for each in programs:
            each.close()
    end = time.monotonic() + 30
    while locks(tmp_path):
        assert time.monotonic() < end, len(locks(tmp_path))
        time.sleep(0.05)


def test_a_service_removes_the_lock_files_of_the_one_that_was_killed(
    simulator: Simulator, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    tmp_path.chmod(0o700)
    words = ["--socket", path, "--bus", simulator.bus_address]
    killed = start(*words, XDG_RUNTIME_DIR=str(tmp_path))
    with first_program(killed, path).hello(bus_id(simulator.bus_address), IDENTIFIER) as program:
        program.wait_connected()
        held = locks(tmp_path)
        assert held
        killed.send_signal(signal.SIGKILL)
        killed.wait(20)
    folder = tmp_path / "jacquard"
    (folder / "notes.lock").write_text("not a lock of a tag")
    (folder / "a-directory.lock").mkdir()
    assert set(locks(tmp_path)) > set(held)
    second = start(*words, XDG_RUNTIME_DIR=str(tmp_path))
    first_program(second, path).close()
    assert locks(tmp_path) == ["a-directory.lock", "notes.lock"]
    assert stat.S_ISSOCK(path.stat().st_mode)
