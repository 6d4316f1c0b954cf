"""jacquardctl play with a software tag, and programs of others that receive what it sends.

What the figures of docs/instrument.md are: pytest -s -k delay prints them.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import queue
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, cast

import ctl
import numpy
import places
import pytest
from fingers import PERIOD, feel, finger
from jacquard_apps.terminal import exits
from jacquard_automations.action import ActionError, Library
from jacquard_automations.playing import midi, osc
from jacquardctl.running import status_of
from simulator import SERIAL, Simulator
from waiting import paced

# fluidsynth has a service, so it is only unpacked.
os.environ["PATH"] += f":{places.ROOT}/build/packages/usr/bin"

LONGEST = 30
SOUNDS = Path("/usr/share/sounds/sf2/TimGM6mb.sf2")
RATE = 22050
# Milliseconds, which are the ticks of these MIDI files.
SOUNDING = 600
ROOT = "/jacquard/0000AAAAA001ZK"


def free_port() -> int:
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Lines:
    """The output of a program, line by line, until the block ends."""

    def __init__(self, *words: str, **options: Any) -> None:
        command = ["stdbuf", "--output=L", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.strip())

    def until(self, pattern: str) -> list[str]:
        """The lines up to one that contains this."""
        found: list[str] = []
        while not (found and re.search(pattern, found[-1])):
            found.append(self._lines.get(timeout=LONGEST))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self._reading.join(LONGEST)
        self.process.communicate()


class Receiver(Lines):
    """oscdump of liblo-tools. Its lines begin with the time."""

    def __init__(self) -> None:
        self.port = free_port()
        super().__init__("oscdump", "-L", str(self.port))


class Player(Lines):
    """jacquardctl play, in touch mode."""

    def __init__(self, tag: Simulator, *words: str, program: tuple[str, ...] = ("-m", "jacquardctl")) -> None:
        command = [sys.executable, *program, "play", SERIAL, *words, "--json"]
        super().__init__(*command, env=ctl.environment(tag.bus_address))
        self.until("playing")
        tag.wait_for_touch_mode()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONGEST)

    def errors(self) -> str:
        assert self.process.stderr
        return str(self.process.stderr.read())


@pytest.fixture
def tag(simulator: Simulator) -> Simulator:
    simulator.tell("gear attach levis-trucker")
    return simulator


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


# MIDI


@pytest.fixture
def jack(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A JACK server without sound and without real-time priority. A machine has room for eight, and those that were killed
    count until another one has the same name: so there is one name, for one test at a time."""
    name = "jacquard-test"
    monkeypatch.setenv("JACK_DEFAULT_SERVER", name)
    monkeypatch.setenv("JACK_NO_START_SERVER", "1")
    # Real-time priority would need privileges, and other memory is needed by other tests.
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
        # What was sent last is not lost when the port is closed.
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


# Sound


def messages(path: Path) -> list[Any]:
    """The messages of a MIDI file, each with its time from the beginning in seconds."""
    import mido

    found, now = [], 0.0
    for message in mido.MidiFile(str(path)):
        now += message.time
        found.append(message.copy(time=now))
    return found


def slowly(path: Path) -> list[Any]:
    """Lets each note of a MIDI file, and its last bend, last for the same time, because a busy machine plays some too briefly.
    Its messages, as `messages` returns them."""
    import mido

    played = messages(path)
    track = mido.MidiTrack()
    for before, message in zip([None, *played], played):
        lasts = message.type == "note_off" or (before is not None and before.type == "note_on")
        track.append(message.copy(time=SOUNDING if lasts else 0))
    mido.MidiFile(type=0, ticks_per_beat=500, tracks=[track]).save(str(path))
    return messages(path)


def rendered(path: Path, folder: Path) -> numpy.ndarray[Any, Any]:
    """What fluidsynth makes of a MIDI file."""
    sound = folder / "played.wav"
    words = ["fluidsynth", "-n", "-i", "-q", "-R", "0", "-C", "0", "-g", "0.6", "-r", str(RATE), "-F", str(sound)]
    subprocess.run([*words, str(SOUNDS), str(path)], check=True, capture_output=True, timeout=LONGEST)
    with wave.open(str(sound)) as file:
        assert (file.getframerate(), file.getsampwidth()) == (RATE, 2)
        frames = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return cast("numpy.ndarray[Any, Any]", frames.reshape(-1, file.getnchannels()).mean(axis=1))


def pitch(sound: numpy.ndarray[Any, Any], start: float, seconds: float = 0.25) -> float:
    """In MIDI notes, by autocorrelation."""
    part = sound[int(start * RATE) : int((start + seconds) * RATE)]
    assert numpy.abs(part).max() > 100, "silence"
    part = part - part.mean()
    spectrum = numpy.abs(numpy.fft.rfft(part, 2 * len(part))) ** 2
    correlation = numpy.fft.irfft(spectrum)[: len(part)] / numpy.arange(len(part), 0, -1)
    shortest, longest = RATE // 1000, RATE // 60
    inside = correlation[shortest:longest]
    # The first of the high peaks: later ones are multiples of the period.
    peaks = [
        lag
        for lag in range(1, len(inside) - 1)
        if inside[lag - 1] < inside[lag] >= inside[lag + 1] and inside[lag] > 0.9 * inside.max()
    ]
    lag = peaks[0] + shortest
    before, here, after = correlation[lag - 1 : lag + 2]
    period = lag + 0.5 * (before - after) / (before - 2 * here + after)
    return float(69 + 12 * math.log2(RATE / period / 440))


def test_the_sound_of_what_is_played_has_its_pitches(tag: Simulator, tmp_path: Path) -> None:
    """Touch, map, MIDI file, synthesizer, sound: six strings, and a bend by one semitone on the last one."""
    path = tmp_path / "played.mid"
    notes = [40, 45, 50, 55, 59, 64]
    with Player(tag, "--midi", str(path)) as player:
        for string, note in enumerate(notes):
            tag.tell(finger(2 * string + 0.5))
            player.until(f'"string/{string + 1}/note", {note}')
            tag.tell("touch lift")
            player.until(f'"string/{string + 1}/gate", 0.0')
        is_bent = False
        while not is_bent:  # after a pause of the machine the touch has ended
            tag.tell(finger(8.5))
            player.until('"string/5/note", 59')
            for step in range(60):  # a finger that moves by more than one string, and stays
                feel(tag, finger(min(8.5 + 0.25 * step, 11)))
            tag.tell("touch lift")
            is_bent = any('"string/5/bend", 1.0' in line for line in player.until('"string/5/gate", 0.0'))
        assert player.end() == 128 + signal.SIGTERM
    played = slowly(path)
    sound = rendered(path, tmp_path)
    for note in notes:
        start = next(one.time for one in played if one.type == "note_on" and one.note == note)
        assert pitch(sound, start + 0.2) == pytest.approx(note, abs=0.2)
    bend = [one for one in played if one.type == "pitchwheel" and one.pitch != 0][-1]
    assert bend.pitch == 4096
    assert pitch(sound, bend.time + 0.1) == pytest.approx(60, abs=0.2)


# How long it takes

TIMED = """
import sys, time
from jacquard import event_sources
from jacquard_automations.playing import midi, osc
from jacquardctl.running import status_of

received, delays = [], []
touch, sends = event_sources.Touch, (midi.Port.send, osc.Addressed.send)

def receive(*values):
    received.append(time.perf_counter())
    return touch(*values)

def timed(send):
    def sent(output, messages):
        send(output, messages)
        # The end of a touch is noticed because there are no samples.
        if not any(one.osc and one.osc == ("all/touch", 0) for one in messages):
            delays.append(time.perf_counter() - received[-1])
    return sent

event_sources.Touch = receive
midi.Port.send, osc.Addressed.send = map(timed, sends)
status = status_of(sys.argv[1:])
print(*delays, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("output", ["OSC", "MIDI"])
def test_the_delay_between_sample_and_message(
    tag: Simulator, tmp_path: Path, output: str, request: pytest.FixtureRequest
) -> None:
    """Every sample of a moving finger becomes a message. There is no limit: the machine may have other work."""
    path = tmp_path / "map.toml"
    path.write_text('[[fader]]\nname = "all"\ncc = 1\nbits = 14\n')
    count = int(os.environ.get("JACQUARD_SAMPLES", "200"))
    if output == "MIDI":
        request.getfixturevalue("jack")
    words = ["--osc", str(free_port())] if output == "OSC" else ["--midi", "--api", "jack"]
    with Player(tag, "--map", str(path), *words, program=("-c", TIMED)) as player:
        for number in paced(count, PERIOD):
            place = number * 0.06 % 18
            tag.tell(finger(1 + min(place, 18 - place)))
        tag.tell("touch lift")
        player.until('"all/touch", 0')
        assert player.end() == 128 + signal.SIGTERM
        delays = sorted(float(word) for word in player.errors().split() if re.fullmatch(r"[0-9.e-]+", word))
    # The finger stands still where it turns back.
    assert len(delays) > 0.8 * count
    part = statistics.quantiles(delays, n=100)
    shown = ", ".join(f"{name} {1000 * value:.2f} ms" for name, value in (("median", part[49]), ("p99", part[98]), ("most", delays[-1])))
    print(f"\n{len(delays)} messages of {output}: {shown}")


# What the tests need: see Tests/Support/install-dependencies.


@pytest.mark.parametrize("program", ["oscdump", "jackd", "jack_midi_dump", "fluidsynth"])
def test_receivers_are_installed(program: str) -> None:
    assert shutil.which(program) and SOUNDS.exists()
