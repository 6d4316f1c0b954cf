"""A service that is started by hand."""

from __future__ import annotations

import re
import resource
import subprocess
from pathlib import Path
from typing import Any

from members import IDENTIFIER
from raw_program import BUS_UNAVAILABLE, RawProgram, bus_id, first_program
from sharing_fixtures import program, simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator
from supervisor import Supervisor
from test_limits import JACQUARDD, descriptors
from waiting import until


def test_a_service_without_a_bus_refuses_programs_until_there_is_one(simulator: Simulator, tmp_path: Path) -> None:
    place = tmp_path / "bus"
    with Supervisor(tmp_path, [JACQUARDD, "--bus", f"unix:path={place}"]) as service:
        bus = bus_id(simulator.bus_address)
        with RawProgram(service.path).hello(bus, IDENTIFIER) as early:
            refusal = early.refusal()
            assert refusal and refusal[1:] == (BUS_UNAVAILABLE, "The service has no bus yet.")
        place.symlink_to(simulator.bus_address.removeprefix("unix:path=").split(",")[0])
        until(lambda: RawProgram(service.path).hello(bus, IDENTIFIER).refusal() is None, 60)


def run_by_hand(simulator: Simulator, path: Path, **options: Any) -> subprocess.Popen[str]:
    command: list[str | Path] = [JACQUARDD, "--bus", simulator.bus_address, "--socket", path]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def test_a_second_service_at_the_same_socket_ends(simulator: Simulator, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    first = run_by_hand(simulator, path)
    bus = bus_id(simulator.bus_address)
    assert first_program(first, path).hello(bus, IDENTIFIER).refusal() is None
    second = run_by_hand(simulator, path)
    assert second.wait(20) == 1
    assert second.stderr and str(path) in second.stderr.read()
    assert RawProgram(path).hello(bus, IDENTIFIER).refusal() is None
    # The socket of a killed service does not prevent the next one.
    first.kill()
    first.wait(20)
    third = run_by_hand(simulator, path)
    assert first_program(third, path).hello(bus, IDENTIFIER).refusal() is None
    third.terminate()
    assert third.wait(20) == 0 and not path.exists()
    for each in (first, second, third):
        assert each.stderr
        each.stderr.close()


def test_by_hand_it_raises_the_limit_of_descriptors(simulator: Simulator, tmp_path: Path) -> None:
    path = tmp_path / "socket"

    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2 * descriptors()))

    service = run_by_hand(simulator, path, preexec_fn=lower)
    first_program(service, path).close()
    limits = Path(f"/proc/{service.pid}/limits").read_text()
    assert re.search(rf"^Max open files +{descriptors()} ", limits, re.M), limits
    service.terminate()
    assert service.wait(20) == 0 and service.stderr
    service.stderr.close()
