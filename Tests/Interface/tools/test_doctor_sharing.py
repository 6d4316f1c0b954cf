"""What jacquardctl doctor says about the service, its programs and touch mode."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.system import processes
from jacquard_apps.terminal import exits
from jacquardctl.doctor import sharing
from simulator import SERIAL, SERVICE, Simulator

# Sharing


def about_sharing(simulator: Simulator, status: int = exits.OK, **env: str) -> dict[str, Any]:
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (status, "")
    (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "sharing"]
    return finding


def connections(count: int) -> str:
    """What doctor says about the service's limits."""
    return f"{count} of 2048 connections, {count} of 1536 by this user, at most 128 by one program"


def test_the_service_its_programs_and_links_are_named(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    finding = about_sharing(simulator)
    service = finding["details"]["process"]
    start = f"jacquardd ({service}) shares tags at {simulator.service}"
    assert finding["text"] == f"{start}; no program uses it; {connections(0)}"
    most = {"most_connections": 2048, "most_connections_of_user": 1536, "most_connections_of_process": 128}
    assert finding["details"]["limits"] == {"connections": 1, "connections_of_user": 1, **most}
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    finding = about_sharing(simulator)
    assert finding["text"] == f"{start}; no program uses it; warm links: 0000AAAAA0{SERIAL}; {connections(0)}"
    with ctl.watch(simulator) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        assert state["service_process"] == service
        finding = about_sharing(simulator)
        program = processes.described(watch.process.pid)
        assert finding["text"] == f"{start}; programs: {program}; links: 0000AAAAA0{SERIAL}; {connections(1)}"
        assert (finding["good"], finding["caveat"], finding["advice"], finding["cause"]) == (True, False, "", "")
        assert finding["details"].items() >= {
            "process": service,
            "socket": simulator.service,
            "programs": [watch.process.pid],
            "links": [state["identifier"]],
        }.items()


# Touch mode


def about_touch_mode(simulator: Simulator, **env: str) -> list[dict[str, Any]]:
    ran = ctl.run(simulator, "doctor", "--timeout", "0.2", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "touch mode"]


def test_the_program_that_has_set_touch_mode_is_named_until_it_ends(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    simulator.tell("gear attach levis-trucker")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    with ctl.watch(simulator) as watch:
        watch.until(event="gear")
        assert about_touch_mode(simulator) == []
        with ctl.Running(simulator, "touch", SERIAL) as touch:
            wait_for_touches(simulator, touch)
            (finding,) = about_touch_mode(simulator)
            name = f"0000AAAAA0{SERIAL}"
            text = f"{name} reports touches instead of gestures, as set by {processes.described(touch.process.pid)}"
            assert (finding["text"], finding["advice"]) == (text, "To have its gestures again, end that program.")
            assert (finding["good"], finding["caveat"]) == (True, True)
            assert finding["details"]["process"] == touch.process.pid
            # It has no time to set gesture mode.
            touch.process.kill()
            touch.process.wait()
        (finding,) = about_touch_mode(simulator)
        assert finding["text"].endswith("as set by a program that no longer uses the tag, or is not known")
        assert finding["advice"] == "To have its gestures again, detach the gear from the tag, and attach it again."
        assert finding["details"]["process"] is None
        simulator.tell("gear attach levis-trucker")
        watch.until(event="gear")
        assert about_touch_mode(simulator) == []


def wait_for_touches(simulator: Simulator, touch: ctl.Running) -> None:
    """Waits until the program has set touch mode."""
    over = threading.Event()

    def touch_often() -> None:
        while not over.wait(0.1):
            simulator.tell("touch sweep")

    thread = threading.Thread(target=touch_often)
    thread.start()
    try:
        assert touch.process.stdout and touch.process.stdout.readline()
    finally:
        over.set()
        thread.join()


def test_without_a_service_only_the_program_with_the_link_can_have_set_touch_mode(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, env={SERVICE: "off"}) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        (finding,) = about_touch_mode(simulator, **{SERVICE: "off"})
        program = processes.described(watch.process.pid)
        text = f"cannot be checked for {state['identifier']}: only {program}, which uses it without a service, can have set it"
        assert (finding["text"], finding["caveat"]) == (text, True)
        assert finding["details"] == {"tag": state["identifier"], "process": watch.process.pid}


def test_no_service(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SERVICE)
    finding = about_sharing(simulator)
    assert (finding["good"], finding["caveat"], finding["cause"]) == (True, True, "")
    assert finding["details"] == {"problem": "no-service"}
    assert "systemctl --user start jacquardd.socket" in finding["advice"]
    assert finding["advice"].endswith(sharing.CONSEQUENCE)


def test_no_service_and_no_login_session(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE)
    finding = about_sharing(simulator, XDG_RUNTIME_DIR=str(tmp_path / "none"), HOME=str(tmp_path))
    place = f"{tmp_path}/.jacquard/socket"
    assert f"jacquardd --socket {place}, and set JACQUARD_SERVICE={place}" in finding["advice"]
    assert "systemctl" not in finding["advice"]


def test_the_service_of_the_user_is_found(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE)
    (tmp_path / "jacquard").mkdir()
    (tmp_path / "jacquard" / "socket").symlink_to(simulator.service)
    finding = about_sharing(simulator, XDG_RUNTIME_DIR=str(tmp_path))
    assert f"shares tags at {tmp_path}/jacquard/socket" in finding["text"]


def test_no_service_is_wanted(simulator: Simulator) -> None:
    finding = about_sharing(simulator, exits.OK, **{SERVICE: "off"})
    assert (finding["caveat"], finding["details"]) == (True, {"problem": "off"})


def test_a_named_service_does_not_run(simulator: Simulator, tmp_path: Path) -> None:
    finding = about_sharing(simulator, exits.NO_BLUETOOTH, **{SERVICE: f"{tmp_path}/none"})
    assert (finding["good"], finding["cause"]) == (False, "no-service")
    assert f"jacquardd --socket {tmp_path}/none" in finding["advice"]
    # Other commands say the same.
    ran = ctl.run(simulator, "battery", SERIAL, "--timeout", "1", env={SERVICE: f"{tmp_path}/none"})
    assert ran.returncode == exits.NO_BLUETOOTH
    assert f"No Jacquard service listens at {tmp_path}/none" in ran.stderr and "button" not in ran.stderr


def test_a_service_on_another_bus(simulator: Simulator) -> None:
    with Simulator() as other:
        finding = about_sharing(simulator, exits.OK, **{SERVICE: other.service})
    assert (finding["good"], finding["caveat"], finding["details"]) == (True, True, {"problem": "other-bus"})
    assert "uses another bus" in finding["text"]


@contextlib.contextmanager
def listening(path: Path, answer: bytes | None) -> Iterator[None]:
    """A service that answers the first message with these bytes, or not at all."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            channel, _ = listener.accept()
            with channel:
                channel.recv(8192)
                if answer is not None:
                    channel.send(answer)
                while channel.recv(8192):
                    pass

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_service_that_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(SERVICE, f"{tmp_path}/socket")
    monkeypatch.setattr(sharing, "TIMEOUT", 0.2)
    with listening(tmp_path / "socket", None):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.good, finding.cause) == (False, "service-hangs")
    assert processes.described(os.getpid()) in finding.text and str(os.getpid()) not in finding.advice


@pytest.mark.parametrize(
    "answer, text, advice",
    [
        # refused, "full", a failure whose texts are "No." and "Wait."
        (b"\x02\x05\x02\x03\0\0\0" + bytes(16) + b"\x03\0No.\x05\0Wait.", "No.", "Wait."),
        (b"\x01\x01\0\x02\0\0\0", "The service uses another version of its protocol.", "Restart it: "),
        (b"", "The service uses another version of its protocol.", "Restart it: "),
    ],
    ids=["refused", "welcome of another version", "nothing"],
)
def test_a_service_that_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes, text: str, advice: str) -> None:
    monkeypatch.setenv(SERVICE, f"{tmp_path}/socket")
    with listening(tmp_path / "socket", answer):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.good, finding.cause, finding.text) == (False, "service", text)
    assert finding.advice.startswith(advice)


def test_a_service_in_a_place_where_others_can_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(SERVICE, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "jacquard"
    folder.mkdir()
    folder.chmod(0o777)
    with listening(folder / "socket", b"\x02\x05\x02\x05\0\0\0" + bytes(16) + bytes(4)):
        finding = sharing.sharing("0" * 32, {})
    assert (finding.caveat, finding.details) == (True, {"problem": "distrusted"})
    assert finding.text == f"the service at {folder}/socket is not used, because other users can change its directory"


def test_a_service_that_this_user_may_not_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(path: Path, bus: str | None) -> sharing.Answer:
        raise PermissionError if path == sharing.SYSTEM else FileNotFoundError

    monkeypatch.delenv(SERVICE, raising=False)
    monkeypatch.setattr(sharing, "ask", refused)
    finding = sharing.sharing("0" * 32, {})
    assert (finding.caveat, finding.details) == (True, {"problem": "permission-denied"})
    assert "jacquard" in finding.advice and "sudo adduser" in finding.advice
