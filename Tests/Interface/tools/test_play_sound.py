"""Touches that are played as sound, and how long that takes."""

from __future__ import annotations

import math
import os
import re
import signal
import statistics
import subprocess
import wave
from pathlib import Path
from typing import Any, cast

import numpy
import pytest
from fingers import PERIOD, feel, finger
from receivers import (
    LONGEST,
    SOUNDING,
    Player,
    free_port,
    messages,
    tag_fixture,  # noqa: F401
)
from simulator import Simulator
from test_play import RATE, SOUNDS
from test_play_midi import jack_fixture  # noqa: F401
from waiting import paced

# Sound


def slowly(path: Path) -> list[Any]:
    """Lets each note of a MIDI file, and its last bend, last for the same time, because a busy machine plays some too briefly.
    Returns its messages, like `messages`."""
    import mido

    played = messages(path)
    track = mido.MidiTrack()
    for before, message in zip([None, *played], played):
        lasts = message.type == "note_off" or (before is not None and before.type == "note_on")
        track.append(message.copy(time=SOUNDING if lasts else 0))
    mido.MidiFile(type=0, ticks_per_beat=500, tracks=[track]).save(str(path))
    return messages(path)


def rendered(path: Path, folder: Path) -> numpy.ndarray[Any, Any]:
    """The sound that fluidsynth makes of a MIDI file."""
    sound = folder / "played.wav"
    words = ["fluidsynth", "-n", "-i", "-q", "-R", "0", "-C", "0", "-g", "0.6", "-r", str(RATE), "-F", str(sound)]
    subprocess.run([*words, str(SOUNDS), str(path)], check=True, capture_output=True, timeout=LONGEST)
    with wave.open(str(sound)) as file:
        assert (file.getframerate(), file.getsampwidth()) == (RATE, 2)
        frames = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return cast("numpy.ndarray[Any, Any]", frames.reshape(-1, file.getnchannels()).mean(axis=1))


def pitch(sound: numpy.ndarray[Any, Any], start: float, seconds: float = 0.25) -> float:
    """The pitch in MIDI notes, by autocorrelation."""
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
            # A finger that moves by more than one string, and stays.
            feel(tag, *(finger(min(8.5 + 0.25 * step, 11)) for step in range(60)))
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
