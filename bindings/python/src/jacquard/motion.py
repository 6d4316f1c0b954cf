"""Motion: recordings on the tag, and streams of samples."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from ctypes import sizeof, string_at
from typing import Any, Union

from ._core import arguments, convert
from ._core.checks import constructed
from ._core.driver import Driver
from ._core.queue import Queue
from ._dataclass import dataclass
from ._native import structs
from .enums import MotionActivity, MotionEventType, MotionFilter

NO_CHECKSUM = -1


@constructed
@dataclass(frozen=True)
class MotionSettings:
    """The settings of the motion sensor: rates in Hz, ranges in g and degrees per second. A sample always contains both
    sensors."""

    accelerometer_rate: float = 25
    gyroscope_rate: float = 25
    accelerometer_range: float = 16
    gyroscope_range: float = 2000
    filter: MotionFilter = MotionFilter.NORMAL

    def _struct(self) -> structs.MotionSettings:
        return structs.MotionSettings(
            struct_size=sizeof(structs.MotionSettings),
            filter=self.filter,
            accelerometer_rate=self.accelerometer_rate,
            gyroscope_rate=self.gyroscope_rate,
            accelerometer_range=self.accelerometer_range,
            gyroscope_range=self.gyroscope_range,
        )


@dataclass(frozen=True)
class MotionStatus:
    """The state of the tag's motion capture; `code` is the tag's own number, and `text` its meaning."""

    activity: MotionActivity
    code: int
    text: str


@constructed
@dataclass(frozen=True)
class Session:
    """A recording on the tag. Its five texts identify it. `checksum` is None if the tag reported none."""

    name: str
    campaign: str = "jacquard"
    group: str = "jacquard"
    subject: str = "jacquard"
    product: str = "jacquard"
    size: int = 0
    checksum: int | None = None

    def _struct(self) -> structs.Session:
        return structs.Session(
            struct_size=sizeof(structs.Session),
            name=arguments.text(self.name),
            campaign=arguments.text(self.campaign),
            group=arguments.text(self.group),
            subject=arguments.text(self.subject),
            product=arguments.text(self.product),
            size=arguments.number("size", self.size, 0, 0xFFFFFFFF),
            checksum=NO_CHECKSUM if self.checksum is None else arguments.number("checksum", self.checksum, 0, 0xFFFF),
        )


@dataclass(frozen=True)
class MotionSample:
    """One sample of a stream. Times are in seconds of the same clock as those of gestures and touches: `arrival` is when it
    arrived, `time` when it was taken, apart from the link's shortest delay. Ticks are readings of the tag's clock; their exact
    unit is unknown."""

    acceleration: tuple[float, float, float]
    rotation: tuple[float, float, float]
    raw_acceleration: tuple[int, int, int]
    raw_rotation: tuple[int, int, int]
    raw_ticks: int
    ticks: int
    arrival: float
    time: float


@dataclass(frozen=True)
class MotionGap:
    """Samples that were lost before the next one: their number, and its maximum error."""

    missing: int
    uncertainty: int = 0


@dataclass(frozen=True)
class MotionRestart:
    """The tag's clock restarted, so ticks are not comparable with earlier ones."""


MotionEvent = Union[MotionSample, MotionGap, MotionRestart]

# structs.MotionSample, whose layout does not change.
SAMPLE = struct.Struct("@6hI3q")


class MotionQueue(Queue[MotionEvent]):
    """Reports the samples that a slow reader has lost."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._lost = 0

    def put(self, item: MotionEvent) -> None:
        if len(self._items) == self._items.maxlen:
            oldest = self._items[0]
            self._lost += 1 if isinstance(oldest, MotionSample) else getattr(oldest, "missing", 0)
        super().put(item)

    async def next(self) -> MotionEvent:
        if self._lost:
            lost, self._lost = self._lost, 0
            return MotionGap(lost)
        return await super().next()


def reader(settings: MotionSettings, put: Callable[[MotionEvent], None]) -> Callable[[Any], None]:
    """Returns a function that adds the contents of an event to the queue."""
    gravities, degrees = settings.accelerometer_range / 32768, settings.gyroscope_range / 32768

    def samples(event: Any) -> Iterator[MotionSample]:
        if not event.count:
            return
        data = string_at(event.samples, event.count * SAMPLE.size)
        for ax, ay, az, gx, gy, gz, raw, ticks, arrival, time in SAMPLE.iter_unpack(data):
            yield MotionSample(
                (ax * gravities, ay * gravities, az * gravities),
                (gx * degrees, gy * degrees, gz * degrees),
                (ax, ay, az),
                (gx, gy, gz),
                raw,
                ticks,
                arrival * 1e-9,
                time * 1e-9,
            )

    def read(pointer: Any) -> None:
        event = pointer.contents
        if event.type == MotionEventType.GAP:
            put(MotionGap(event.missing, event.missing_uncertainty))
        elif event.type == MotionEventType.RESTART:
            put(MotionRestart())
        for sample in samples(event):
            put(sample)

    return read


def status(pointer: Any) -> MotionStatus:
    struct = pointer.contents
    return MotionStatus(MotionActivity(struct.activity), struct.code, convert.text(struct.text))


def sessions(pointers: Any, count: int) -> list[Session]:
    return [session(pointers[index].contents) for index in range(count)]


def session(struct: Any) -> Session:
    return Session(
        name=convert.text(struct.name),
        campaign=convert.text(struct.campaign),
        group=convert.text(struct.group),
        subject=convert.text(struct.subject),
        product=convert.text(struct.product),
        size=struct.size,
        checksum=None if struct.checksum == NO_CHECKSUM else struct.checksum,
    )
