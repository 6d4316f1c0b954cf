"""Touches that are played as MIDI."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fingers import finger
from jacquard_apps.terminal import exits
from jacquard_automations.action import ActionError, Library
from jacquard_automations.playing import midi, osc
from jacquardctl.running import status_of
from receivers import (
    LONGEST,
    Lines,
    Player,
    tag_fixture,  # noqa: F401
)
from simulator import SERIAL, Simulator

# MIDI


@pytest.fixture(name="jack")
def jack_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A JACK server without sound and without real-time priority. A machine has room for eight, and those that were killed
    count until another one has the same name: so there is one name, for one test at a time."""
    name = "jacquard-test"
    monkeypatch.setenv("JACK_DEFAULT_SERVER", name)
    monkeypatch.setenv("JACK_NO_START_SERVER", "1")
    # Real-time priority would need privileges, and locked memory would be missing in other tests.
    words = ["jackd", "--no-mlock", "--name", name, "--no-realtime", "-d", "dummy", "--rate", "48000", "--period", "1024"]
    with open(Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Lines(*words) as server:
            wait = ["jack_wait", "--server", name, "--wait", "--timeout", str(LONGEST)]
            subprocess.run(wait, check=True, capture_output=True)
            assert server.process.poll() is None
            yield
            server.process.terminate()
            server.process.wait(LONGEST)


def test_midi_reaches_another_program_through_jack(tag: Simulator, jack: None) -> None:
    with Lines("jack_midi_dump") as receiver, Player(tag, "--midi", "--api", "jack") as player:
        subprocess.run(["jack_connect", "jacquard:jacquard", "midi-monitor:input"], check=True, capture_output=True)
        tag.tell(finger(4))
        # Bend by two semitones at most, the centre, and the note.
        found = receiver.until("90 32 ")
        assert [line.split(":")[1].strip() for line in found[-2:]][0] == "e0 00 40"
        assert any("b0 06 02" in line for line in found) and any("c0 19" in line for line in found)
        tag.tell(f"every 20ms {finger(5.2)}")
        receiver.until(": e0")
        assert player.end() == 128 + signal.SIGTERM
        # The last messages are not lost when the port is closed.
        receiver.until("80 32 00")


def test_a_machine_command_passes_through_jack(tag: Simulator, jack: None) -> None:
    with Lines("jack_midi_dump") as receiver, Player(tag, "--midi", "--api", "jack", "--map", "transport"):
        subprocess.run(["jack_connect", "jacquard:jacquard", "midi-monitor:input"], check=True, capture_output=True)
        tag.tell(finger(9.5))
        tag.tell("touch lift")
        receiver.until("f0 7f 7f 06 05 f7")


def test_without_a_server_the_error_says_so(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACK_DEFAULT_SERVER", "none")
    monkeypatch.setenv("JACK_NO_START_SERVER", "1")
    assert status_of(["play", SERIAL, "--midi", "--api", "jack"]) == exits.FAILED
    assert "jacquardctl: No JACK server is running, or not for this user. Start it first." in capfd.readouterr().err


@pytest.mark.skipif(os.path.exists("/dev/snd/seq"), reason="the ALSA sequencer is there")
def test_without_the_sequencer_the_error_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert status_of(["play", SERIAL, "--midi"]) == exits.FAILED
    assert "The ALSA sequencer cannot be used. Run: sudo modprobe snd-seq" in capfd.readouterr().err


@pytest.mark.parametrize(
    "module, name, words, package",
    [
        (midi, "LIBRARY", ["--midi"], "python3-rtmidi"),
        (midi, "FILE_LIBRARY", ["--midi", "x.mid"], "python3-mido"),
        (osc, "LIBRARY", ["--osc", "9000"], "python3-liblo"),
    ],
)
def test_a_missing_library_is_named(
    module: Any, name: str, words: list[str], package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, name, Library("no_such_module", package))
    assert status_of(["play", SERIAL, *words]) == exits.FAILED
    assert f"the package {package} is not installed. Run: sudo apt install {package}" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_library_may_have_another_name_in_a_newer_version() -> None:
    """python3-liblo contains the module liblo in Debian 12, and pyliblo3 in Debian 13, as on PyPI."""
    assert Library("no_such_module", "package", newer="json").load() is json
    with pytest.raises(ActionError, match="the package package is not installed"):
        Library("no_such_module", "package", newer="no_such_one").load()
    osc.LIBRARY.load().Address("127.0.0.1", 9000)
