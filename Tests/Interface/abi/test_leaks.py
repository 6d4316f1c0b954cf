"""Released handles leave nothing behind: neither memory nor descriptors grow with use."""

import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SIMULATOR, build, run

WITHOUT_A_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
# Free memory in these caches of glibc counts as used.
WITHOUT_CACHES = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0"}
# BlueZ and the tag respond immediately, so that links are established and dropped many times per second.
PROMPT = "connect takes 0ms\nresolve takes 0ms\nlatency 0ms\ndisconnect takes 0ms\nadvertise every 20ms\n"
# A round of churn.c: the bytes that it leaves, and all descriptors.
Churn = Callable[..., tuple[float, int]]


@pytest.fixture(scope="module")
def churn(tmp_path_factory: pytest.TempPathFactory) -> Churn:
    folder = tmp_path_factory.mktemp("churn")
    program = build(ROOT / "Tests" / "Interface" / "abi" / "churn.c", folder / "churn", "-D_GNU_SOURCE", "-pthread")

    def left(what: str, times: int, *world: object, **settings: Any) -> tuple[float, int]:
        """Bytes of the heap per round, and descriptors after all rounds."""
        env = WITHOUT_CACHES | settings.pop("env", {})
        ran = run([*world, program, what, times], timeout=120, env=env, **settings)
        assert (ran.returncode, ran.stderr, ran.stdout.count("\n")) == (0, "", 1), ran.stdout + ran.stderr
        bytes, descriptors = ran.stdout.split()
        return float(bytes), int(descriptors)

    return left


@pytest.fixture
def prompt(tmp_path: Path) -> list[object]:
    """The start of the command for a program that runs with a tag of PROMPT."""
    (tmp_path / "prompt").write_text(PROMPT)
    return [SIMULATOR, "run", "--scenario", tmp_path / "prompt", "--"]


def test_managers_leave_nothing_behind(churn: Churn) -> None:
    bytes, descriptors = churn("managers", 300, env=WITHOUT_A_BUS)
    assert descriptors == 0 and bytes < 16


class Silent(socketserver.StreamRequestHandler):
    """A bus that accepts connections and never responds."""

    def handle(self) -> None:
        self.rfile.read()


@pytest.fixture
def silent_bus(tmp_path: Path) -> Iterator[dict[str, str]]:
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "bus"), Silent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/bus"}
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("what", ["watched", "late"])
def test_managers_with_pending_requests_leave_nothing_behind(churn: Churn, what: str) -> None:
    """The first thousand fill the tables; the second thousand must not leave memory behind. The smallest leak has 16 bytes in
    each round."""
    bytes, descriptors = churn(what, 1000, env=WITHOUT_A_BUS)
    assert descriptors == 0 and bytes < 8


def test_managers_with_a_command_in_flight_leave_nothing_behind(churn: Churn, silent_bus: dict[str, str]) -> None:
    """A buffer that grows once has 1 kB; the smallest block that each round could leave has 16 bytes."""
    bytes, descriptors = churn("unbinding", 1000, env=silent_bus)
    assert descriptors == 0 and bytes < 8


def test_links_leave_nothing_behind(churn: Churn, prompt: list[object]) -> None:
    """Tables that grow once add about 20 kB in total, which is much less per round than the smallest leak."""
    bytes, descriptors = churn("links", 100, *prompt)
    assert descriptors == 0 and bytes < 400


def test_a_leak_is_detected(churn: Churn) -> None:
    bytes, descriptors = churn("forgotten", 50, env=WITHOUT_A_BUS)
    assert descriptors >= 50 and bytes > 1000
