"""MIDI to a virtual port, or into a file."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jacquard.whole_file import WholeFile

from ..action import ActionError, Library
from .message import Message

LIBRARY = Library("rtmidi", "python3-rtmidi")
FILE_LIBRARY = Library("mido", "python3-mido")
APIS = ("alsa", "jack")
CLIENT = PORT = "jacquard"
WHY = {
    "alsa": "The ALSA sequencer cannot be used. Run: sudo modprobe snd-seq, and see ls -l /dev/snd/seq; or use JACK",
    "jack": "No JACK server is running, or not for this user. Start it first",
}
# Seconds. RtMidi 4.0 crashes if it closes a port of JACK while messages wait for the next period of the server (usually
# 0.1 s or less), and these messages would be lost.
DRAINED = 0.25
# Ticks of a millisecond.
BEAT = 500
TEMPO = 500_000


class Port:
    """Other programs connect to it: it is listed by aconnect -l, or jack_lsp."""

    def __init__(self, api: str = "alsa") -> None:
        """Raises ActionError."""
        if LIBRARY.is_missing:
            raise ActionError(str(LIBRARY))
        import rtmidi

        self._is_jack = api == "jack"
        self._last = -math.inf
        kind = rtmidi.API_UNIX_JACK if api == "jack" else rtmidi.API_LINUX_ALSA
        if kind not in rtmidi.get_compiled_api():
            raise ActionError(f"this python3-rtmidi was built without {api}")
        try:
            self._port: Any = rtmidi.MidiOut(rtapi=kind, name=CLIENT)
            self._port.open_virtual_port(PORT)
        except OSError as error:  # RtMidiError is one
            raise ActionError(f"{WHY[api]}. ({error})") from None

    def send(self, messages: Iterable[Message]) -> None:
        """Raises ActionError."""
        try:
            for one in messages:
                if one.midi:
                    self._last = time.monotonic()
                    self._port.send_message(one.midi)
        except OSError as error:  # RtMidiError is one
            raise ActionError(f"MIDI cannot be sent: {error}") from None

    def undrained(self) -> float:
        """Seconds until the port may be closed."""
        return max(0.0, self._last + DRAINED - time.monotonic()) if self._is_jack else 0.0

    def close(self) -> None:
        time.sleep(self.undrained())
        self._port.close_port()
        self._port.delete()


class File:
    """A standard MIDI file, which is written at the end if anything was played. It begins with the first message."""

    def __init__(self, path: Path, overwrite: bool = False) -> None:
        """Raises ActionError if the library is missing, and OSError if the file exists or cannot be written."""
        if FILE_LIBRARY.is_missing:
            raise ActionError(str(FILE_LIBRARY))
        # Errors are better found before anything is played.
        self._file = WholeFile(path, overwrite=overwrite)
        self._played: list[tuple[float, tuple[int, ...]]] = []

    @property
    def is_empty(self) -> bool:
        return not self._played

    def send(self, messages: Iterable[Message]) -> None:
        now = time.monotonic()
        self._played += [(now, one.midi) for one in messages if one.midi]

    def close(self) -> None:
        if self.is_empty:
            return self._file.discard()
        import mido

        track = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=TEMPO)])
        first = self._played[0][0]
        last = 0
        for when, data in self._played:
            tick = round((when - first) * 1000)
            track.append(mido.Message.from_bytes(data, time=tick - last))
            last = tick
        with self._file as file:
            mido.MidiFile(type=0, ticks_per_beat=BEAT, tracks=[track]).save(file=file)
