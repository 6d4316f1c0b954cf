"""The parts of an instrument. Each takes the touches that began on its lines, and makes messages of them."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Iterable, Sequence

from jacquard import TouchPhase, TouchPoint
from jacquard_apps.touch.fader import Fader, Follower

from . import message
from .message import Message
from .press import Press

# Lines that a finger moves on a string before the note bends.
STILL = 0.2
# Lines that a sliding finger must be within the next string.
ENTERED = 0.1
# Seconds after which the settings of a channel are sent again.
REPEATED = 10.0
# Steps of 127 by which the strength must change, because that of a resting finger varies.
LEAST_PRESSURE = 2
# Lines that a finger moves and still taps or holds.
STEADY = 1.0


class Part(abc.ABC):
    def __init__(self, lines: tuple[float, float]) -> None:
        self.lines = lines

    @abc.abstractmethod
    def take(self, point: TouchPoint) -> list[Message]:
        """Touches end or are cancelled when the finger is lifted, the link is lost, or the program ends: after that,
        the notes that a touch has switched on are off."""

    def covers(self, position: float) -> bool:
        return min(self.lines) - 0.5 <= position < max(self.lines) + 0.5


class Instrument:
    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    def take(self, points: Iterable[TouchPoint]) -> list[Message]:
        return [one for point in points for part in self.parts for one in part.take(point)]


# Strings


@dataclasses.dataclass
class Voice:
    """A note that sounds. string: from 0."""

    channel: int
    string: int
    follower: Follower
    origin: float
    bend: float = 0
    pressure: int = 0


class Strings(Part):
    """One note for each string. Each finger has a channel, because a bend changes all notes of its channel."""

    def __init__(
        self,
        lines: tuple[float, float],
        notes: Sequence[int],
        *,
        channel: int = 1,
        voices: int = 3,
        full: int = 110,
        bend: float = 1,
        bend_range: int = 2,
        pressure: bool = True,
        strum: bool = False,
        program: int | None = None,
    ) -> None:
        """full: the strength that is the greatest velocity. bend: semitones at a distance of one string. strum: a finger
        that slides to another string plays it, and does not bend."""
        super().__init__(lines)
        self._notes = notes
        self._channels = range(channel, channel + voices)
        self._full = full
        self._bend = bend
        self._bend_range = bend_range
        self._has_pressure = pressure
        self._strums = strum
        self._program = program
        self._width = (abs(lines[1] - lines[0]) + 1) / len(notes)
        self._voices: dict[int, Voice] = {}
        # When each channel was set up.
        self._set_up: dict[int, float] = {}

    def take(self, point: TouchPoint) -> list[Message]:
        voice = self._voices.get(point.id)
        if point.phase is TouchPhase.BEGAN and self.covers(point.position):
            taken = {one.channel for one in self._voices.values()}
            free = [channel for channel in self._channels if channel not in taken]
            if not free:
                return []
            voice = Voice(free[0], self._string(point.position), Follower(point), point.position)
            self._voices[point.id] = voice
            return self._on(voice, point)
        if voice is None:
            return []
        if point.phase is TouchPhase.MOVED:
            return self._moved(voice, point)
        del self._voices[point.id]
        return self._off(voice)

    def _on(self, voice: Voice, point: TouchPoint) -> list[Message]:
        part = min(point.strength / self._full, 1.0)
        name, number = self._name(voice), self._notes[voice.string]
        velocity = max(1, round(part * message.MOST))
        voice.pressure = 0
        settings = self._settings(voice.channel, point.time)
        # The last note of the channel may still sound, so it was not bent back when it ended.
        centred = [] if self._strums else [Message(message.bend(voice.channel, 0), (f"{name}/bend", 0.0))]
        on = Message(message.note(voice.channel, number, velocity), (f"{name}/gate", velocity / message.MOST))
        return [*settings, *centred, Message(osc=(f"{name}/note", number)), on]

    def _settings(self, channel: int, now: float) -> list[Message]:
        """The settings of a channel, before the first note and again from time to time: nothing reports when a receiver
        is connected to the port."""
        if now - self._set_up.get(channel, -math.inf) < REPEATED:
            return []
        self._set_up[channel] = now
        program = [] if self._program is None else [message.program(channel, self._program)]
        bends = [] if self._strums else message.bend_range(channel, self._bend_range)
        return [Message(one) for one in [*program, *bends]]

    def _moved(self, voice: Voice, point: TouchPoint) -> list[Message]:
        position = voice.follower.follow(point)
        found = []
        if self._strums and self._has_left(voice, position):
            found += self._off(voice)
            voice.string = self._string(position)
            return found + self._on(voice, point)
        name = self._name(voice)
        bend = 0.0 if self._strums else self._bend_at(position - voice.origin)
        if bend != voice.bend:
            voice.bend = bend
            found.append(Message(message.bend(voice.channel, bend / self._bend_range), (f"{name}/bend", bend)))
        pressure = min(round(point.strength / self._full * message.MOST), message.MOST)
        if self._has_pressure and abs(pressure - voice.pressure) >= LEAST_PRESSURE:
            voice.pressure = pressure
            osc = (f"{name}/pressure", pressure / message.MOST)
            found.append(Message(message.pressure(voice.channel, pressure), osc))
        return found

    def _off(self, voice: Voice) -> list[Message]:
        off = Message(message.note(voice.channel, self._notes[voice.string], 0), (f"{self._name(voice)}/gate", 0.0))
        return [off]

    def _bend_at(self, distance: float) -> float:
        """The bend in semitones."""
        amount = max(0.0, abs(distance) - STILL) / self._width
        sign = 1 if (distance > 0) == (self.lines[1] > self.lines[0]) else -1
        return sign * min(amount, 1.0) * self._bend if amount else 0.0

    def _string(self, position: float) -> int:
        low, high = self.lines
        distance = position - low + 0.5 if high > low else low - position + 0.5
        return min(max(int(distance / self._width), 0), len(self._notes) - 1)

    def _has_left(self, voice: Voice, position: float) -> bool:
        """Whether a finger has left the string, with a margin, so that a finger between two strings does not play both by turns."""
        margin = min(ENTERED, self._width / 4)
        return voice.string not in {self._string(position - margin), self._string(position + margin)}

    def _name(self, voice: Voice) -> str:
        return f"string/{voice.string + 1}"


# Faders


class FaderPart(Part):
    """A controller that has the value of a fader."""

    def __init__(
        self,
        lines: tuple[float, float],
        name: str,
        *,
        controller: int | None = None,
        fine: bool = False,
        channel: int = 1,
        touch_note: int | None = None,
        relative: bool = False,
    ) -> None:
        """fine: 14 bits. touch_note: sounds while the fader is touched, as motor faders report it."""
        super().__init__(lines)
        self._name = name
        self._controller = controller
        self._is_fine = fine
        self._channel = channel
        self._touch_note = touch_note
        self._fader = Fader(*lines, relative)
        self._sent: float | None = None
        self._step: int | None = None

    def take(self, point: TouchPoint) -> list[Message]:
        was_touched = self._fader.is_touched
        if not self._fader.take(point):
            return []
        found = [] if self._fader.is_touched == was_touched else [self._touch()]
        if self._fader.value != self._sent and self._fader.is_touched:
            self._sent = self._fader.value
            found += self._position()
        return found

    def _touch(self) -> Message:
        is_touched = self._fader.is_touched
        velocity = message.MOST if is_touched else 0
        midi = () if self._touch_note is None else message.note(self._channel, self._touch_note, velocity)
        return Message(midi, (f"{self._name}/touch", int(is_touched)))

    def _position(self) -> list[Message]:
        value = self._fader.value
        osc = (self._name, value)
        before, step = self._step, round(value * (message.MOST_14 if self._is_fine else message.MOST))
        self._step = step
        if self._controller is None or step == before:
            return [Message(osc=osc)]
        if not self._is_fine:
            return [Message(message.control(self._channel, self._controller, step), osc)]
        # The upper bits set the lower ones to 0, so they are sent first, and only when they change.
        upper, lower = divmod(step, message.MOST + 1)
        found = [Message(message.control(self._channel, self._controller + message.LOWER, lower), osc)]
        if before is None or before >> 7 != upper:
            found.insert(0, Message(message.control(self._channel, self._controller, upper)))
        return found


# Pads


class Pad(Part):
    """Taps and holds at a place. The samples of a touch are the clock: the end of a touch may be noticed late."""

    def __init__(
        self, lines: tuple[float, float], name: str, *, tap: Press | None, hold: Press | None, hold_time: float
    ) -> None:
        super().__init__(lines)
        self._name = name
        self._tap = tap
        self._hold = hold
        self._hold_time = hold_time
        self._began: TouchPoint | None = None
        self._is_held = False

    def take(self, point: TouchPoint) -> list[Message]:
        if point.phase is TouchPhase.BEGAN and self._began is None and self.covers(point.position):
            self._began, self._is_held = point, False
            return []
        began = self._began
        if began is None or point.id != began.id:
            return []
        if point.phase is TouchPhase.MOVED:
            if self._is_held:
                return []
            if abs(point.position - began.position) > STEADY:
                self._began = None
            elif point.time - began.time >= self._hold_time and self._hold is not None:
                self._is_held = True
                return [Message(self._hold.on, (f"{self._name}/hold", 1))]
            return []
        self._began = None
        if self._is_held and self._hold is not None:
            return [Message(self._hold.off, (f"{self._name}/hold", 0))]
        is_tap = point.phase is TouchPhase.ENDED and point.time - began.time < self._hold_time
        if self._tap is None or not is_tap:
            return []
        off = [Message(self._tap.off)] if self._tap.off else []
        return [Message(self._tap.on, (f"{self._name}/tap", 1)), *off]
