"""jacquardctl play with a software tag, and programs of others that receive its messages.

pytest -s -k delay prints the figures of docs/instrument.md.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import ctl
import places
import pytest
from fingers import finger
from jacquard_apps.terminal import exits
from jacquardctl.running import status_of
from receivers import (
    LONGEST,
    Player,
    Receiver,
    free_port,
    messages,
    tag_fixture,  # noqa: F401
)
from simulator import SERIAL, Simulator

# fluidsynth has a service, so it is only unpacked.
os.environ["PATH"] += f":{places.ROOT}/build/packages/usr/bin"
SOUNDS = Path("/usr/share/sounds/sf2/TimGM6mb.sf2")
RATE = 22050
ROOT = "/jacquard/0000AAAAA001ZK"


# OSC


def test_osc_reaches_another_program(tag: Simulator, tmp_path: Path) -> None:
    with Receiver() as receiver, Player(tag, "--osc", str(receiver.port)):
        tag.tell(finger(4))
        (*_, note, gate) = receiver.until("gate")
        assert note.endswith(f"{ROOT}/string/3/note i 50")
        assert re.search(rf"{ROOT}/string/3/gate f 0\.7[0-9]+$", gate)
        tag.tell(finger(4, 43))
        (*_, pressure) = receiver.until("pressure")
        assert re.search("pressure f 0.3[0-9]+$", pressure)
        tag.tell("touch lift")
        assert receiver.until("gate")[-1].endswith(f"{ROOT}/string/3/gate f 0.000000")
        tag.tell(finger(9))
        assert f"{ROOT}/string/5/gate f 0.7" in receiver.until("gate")[-1]


@pytest.mark.parametrize("how", ["drop link", "gear detach", "SIGTERM", "SIGINT", "SIGHUP", "--for"])
def test_whatever_sounds_is_released(tag: Simulator, tmp_path: Path, how: str) -> None:
    with Receiver() as receiver:
        words = ["--for", "8"] if how == "--for" else []
        with Player(tag, "--osc", str(receiver.port), "--midi", str(tmp_path / "played.mid"), *words) as player:
            # As long as a finger rests on the lines, there are samples; without gear there are none.
            tag.tell(finger(4) if how == "gear detach" else f"every 20ms {finger(4)}")
            receiver.until("string/3/gate f 0.7")
            if " " in how:
                tag.tell(how)
            elif how.startswith("SIG"):
                assert player.end(signal.Signals[how]) == 128 + signal.Signals[how]
            receiver.until("string/3/gate f 0.0000")
            if how == "--for":
                assert player.process.wait(LONGEST) == exits.OK
            elif " " in how:
                player.end()
    # The file is complete as well.
    sounding = set()
    for message in messages(tmp_path / "played.mid"):
        if message.type == "note_on":
            sounding.add(message.note)
        elif message.type == "note_off":
            sounding.remove(message.note)
    assert not sounding


def test_a_port_without_a_receiver_is_not_an_error(tag: Simulator, tmp_path: Path) -> None:
    with Player(tag, "--osc", str(free_port())) as player:
        for _ in range(3):
            tag.tell(finger(4))
            player.until('"string/3/note", 50')
            tag.tell("touch lift")
            player.until('"string/3/gate", 0.0')
        assert player.end() == 128 + signal.SIGTERM
        assert player.errors() == ""


def test_the_name_in_addresses_can_be_chosen(tag: Simulator) -> None:
    with Receiver() as receiver, Player(tag, "--osc", f"localhost:{receiver.port}", "--name", "my sleeve/1", "--map", "faders"):
        tag.tell(finger(5.5))
        assert receiver.until("expression f")[-1].endswith("/jacquard/my_sleeve_1/expression f 0.500000")


def test_a_hold_is_reported_while_it_lasts(tag: Simulator) -> None:
    with Receiver() as receiver, Player(tag, "--osc", str(receiver.port), "--map", "transport"):
        tag.tell(finger(1))
        tag.tell("touch lift")
        receiver.until("play/tap i 1")
        tag.tell(f"every 20ms {finger(1)}")
        receiver.until("play/hold i 1")
        tag.tell("touch lift")
        receiver.until("play/hold i 0")


def test_a_host_that_does_not_exist_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert status_of(["play", SERIAL, "--osc", "no-such-host.invalid:9000"]) == exits.FAILED
    assert "no-such-host.invalid cannot be found" in capfd.readouterr().err


def test_a_file_that_cannot_be_written_is_found_before_anything_is_played(capfd: Any, tmp_path: Path) -> None:
    assert status_of(["play", SERIAL, "--midi", str(tmp_path / "none" / "x.mid")]) != exits.OK
    assert "x.mid: No such file or directory" in capfd.readouterr().err


def test_an_existing_file_is_kept_without_force(capfd: Any, tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    path.write_bytes(b"a song")
    assert status_of(["play", SERIAL, "--midi", str(path)]) == exits.USAGE
    assert f"{path} exists. Use --force to overwrite it." in capfd.readouterr().err
    assert path.read_bytes() == b"a song"


def test_nothing_is_written_if_nothing_was_played(tag: Simulator, tmp_path: Path) -> None:
    (tmp_path / "song.mid").write_bytes(b"a song")
    for words in (["--midi", str(tmp_path / "new.mid")], ["--midi", str(tmp_path / "song.mid"), "--force"]):
        command = [sys.executable, "-m", "jacquardctl", "play", SERIAL, *words, "--for", "0.2"]
        ran = subprocess.run(command, env=ctl.environment(tag.bus_address), capture_output=True, text=True, timeout=LONGEST)
        assert (ran.returncode, ran.stderr) == (exits.OK, f"jacquardctl: Nothing was played; {words[1]} was not written.\n")
    tag.tell("out-of-range")
    command = [sys.executable, "-m", "jacquardctl", "play", "ZZZZ", "--timeout", "0.2", *words]
    ran = subprocess.run(command, env=ctl.environment(tag.bus_address), capture_output=True, text=True, timeout=LONGEST)
    assert ran.returncode not in (exits.OK, exits.USAGE), ran.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"song.mid": b"a song"}


def test_force_replaces_a_file_when_something_was_played(tag: Simulator, tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    path.write_bytes(b"a song")
    with Player(tag, "--midi", str(path), "--force") as player:
        tag.tell(finger(4))
        player.until("gate")
        assert path.read_bytes() == b"a song"
        player.end()
    assert path.read_bytes().startswith(b"MThd") and os.listdir(tmp_path) == ["song.mid"]


# Programs that the tests need: see Tests/Support/install-dependencies.


@pytest.mark.parametrize("program", ["oscdump", "jackd", "jack_midi_dump", "fluidsynth"])
def test_receivers_are_installed(program: str) -> None:
    assert shutil.which(program) and SOUNDS.exists()
