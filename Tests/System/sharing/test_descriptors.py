"""The descriptors that a service inherits from its supervisor."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from sharing_fixtures import simulator  # noqa: F401 (first: it finds the others)
from test_places import EXPECTED, JACQUARDD, NO_BUS, PASSING

# Descriptors from a supervisor


def inheriting(given: int, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A service that gets a descriptor as 3, and ends."""
    tmp_path.chmod(0o700)
    return subprocess.run(
        [sys.executable, "-c", PASSING, str(given), JACQUARDD, *NO_BUS, "--idle", "0.2"],
        env={**os.environ, "LISTEN_FDS": "1", "XDG_RUNTIME_DIR": str(tmp_path), **environment},
        pass_fds=[given],
        capture_output=True,
        text=True,
        timeout=20,
    )


GIVEN = {
    "is a Unix socket of type SOCK_STREAM": (socket.AF_UNIX, socket.SOCK_STREAM, True),
    "is a Unix socket of type SOCK_DGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, False),
    f"is a socket of the address family {socket.AF_INET.value}": (socket.AF_INET, socket.SOCK_STREAM, True),
    f"is a socket of the address family {socket.AF_INET6.value}": (socket.AF_INET6, socket.SOCK_DGRAM, False),
    "does not listen": (socket.AF_UNIX, socket.SOCK_SEQPACKET, False),
}


@pytest.mark.parametrize("found", GIVEN)
def test_an_inherited_socket_of_another_kind_is_refused(tmp_path: Path, found: str) -> None:
    family, kind, listens = GIVEN[found]
    with socket.socket(family, kind) as given:
        if family == socket.AF_UNIX:
            given.bind(str(tmp_path / "given"))
        if listens:
            given.listen()
        refused = inheriting(given.fileno(), tmp_path)
    assert refused.returncode == 1
    assert refused.stderr == f"jacquardd: The inherited descriptor 3 {found}; {EXPECTED}.\n"


def test_an_inherited_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as given:
        refused = inheriting(given.fileno(), tmp_path)
    assert refused.returncode == 1
    assert refused.stderr == f"jacquardd: The inherited descriptor 3 is not a socket; {EXPECTED}.\n"


@pytest.mark.parametrize("count", ["2", "-1", "one", "1x", "99999999999999999999"])
def test_another_number_of_descriptors_is_refused(tmp_path: Path, count: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as given:
        given.bind(str(tmp_path / "given"))
        given.listen()
        refused = inheriting(given.fileno(), tmp_path, LISTEN_FDS=count)
    assert refused.returncode == 2
    assert refused.stderr == f"jacquardd: LISTEN_FDS must be 1, for one socket: {count}\nTry: jacquardd --help\n"


def test_a_listening_socket_is_used(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as given:
        given.bind(str(tmp_path / "given"))
        given.listen()
        assert (it := inheriting(given.fileno(), tmp_path)).returncode == 0, it.stderr
