"""Motion files in formats of other programs, with packages that are imported when they are needed."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from .enums import MotionEnd
from .motion import MotionSettings, Session
from .whole_file import WholeFile

COLUMNS = ("ticks", "ax_g", "ay_g", "az_g", "gx_dps", "gy_dps", "gz_dps")
# The unit of a tick is not documented. Recordings of real tags fit 32 microseconds within 1 %.
PRESUMED_TICK = 32_000
TICKS = 1 << 32

MCAP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "integer"},
        "ticks": {"type": "integer"},
        **{
            name: {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
            for name in ("acceleration_g", "rotation_dps")
        },
    },
}


class Recording(Protocol):
    """A MotionFile, whose module imports this one."""

    @property
    def session(self) -> Session: ...

    @property
    def settings(self) -> MotionSettings: ...

    @property
    def actions(self) -> Sequence[Any]: ...

    @property
    def end(self) -> MotionEnd: ...


def package(name: str, extra: str) -> Any:
    """A package that few programs need. ImportError: says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = name.split(".")[0]
        raise ImportError(
            f"{missing} cannot be imported ({error}). Install it with: pip install 'jacquard[{extra}]'", name=missing
        ) from error


def rows(file: Recording) -> Iterator[tuple[int, int, float, float, float, float, float, float]]:
    """The action of each sample, and the values of COLUMNS."""
    gravities, degrees = file.settings.accelerometer_range / 32768, file.settings.gyroscope_range / 32768
    for action in file.actions:
        for sample in action.samples:
            (ax, ay, az), (gx, gy, gz) = sample.acceleration, sample.rotation
            yield (
                *(action.id, sample.ticks),
                *(ax * gravities, ay * gravities, az * gravities, gx * degrees, gy * degrees, gz * degrees),
            )


def about(file: Recording) -> dict[str, str]:
    """The header of the file."""
    session, settings = file.session, file.settings
    return {
        **{name: getattr(session, name) for name in ("name", "campaign", "group", "subject", "product")},
        "accelerometer_rate_hz": f"{settings.accelerometer_rate:g}",
        "gyroscope_rate_hz": f"{settings.gyroscope_rate:g}",
        "accelerometer_range_g": f"{settings.accelerometer_range:g}",
        "gyroscope_range_dps": f"{settings.gyroscope_range:g}",
        "ending": str(file.end.name).lower(),
    }


def table(file: Recording) -> Any:
    """A pyarrow.Table."""
    arrow = package("pyarrow", "arrow")
    types = (arrow.int64(), arrow.uint32(), *[arrow.float32()] * 6)
    columns = list(zip(*rows(file))) or [()] * len(types)
    fields = [arrow.field(name, type) for name, type in zip(("action", *COLUMNS), types)]
    arrays = [arrow.array(values, type) for values, type in zip(columns, types)]
    return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields, metadata=about(file)))


def write_parquet(file: Recording, path: str | os.PathLike[str]) -> None:
    parquet = package("pyarrow.parquet", "arrow")
    contents = table(file)
    with WholeFile(path) as output:
        parquet.write_table(contents, output)


def write_arrow(file: Recording, path: str | os.PathLike[str]) -> None:
    ipc = package("pyarrow.ipc", "arrow")
    contents = table(file)
    with WholeFile(path) as output, ipc.new_file(output, contents.schema) as writer:
        writer.write_table(contents)


def write_mcap(file: Recording, path: str | os.PathLike[str]) -> None:
    """Times count from the first sample."""
    mcap = package("mcap.writer", "mcap")
    with WholeFile(path) as output:
        writer = mcap.Writer(output)
        writer.start(library="libjacquard")
        writer.add_metadata("jacquard", {**about(file), "presumed_tick_ns": str(PRESUMED_TICK)})
        schema = writer.register_schema("jacquard.MotionSample", "jsonschema", json.dumps(MCAP_SCHEMA).encode())
        channel = writer.register_channel("motion", "json", schema)
        time, before = 0, -1
        for sequence, (action, ticks, *axes) in enumerate(rows(file)):
            time += (ticks - before) % TICKS * PRESUMED_TICK if sequence else 0
            before = ticks
            message = {
                "action": action,
                "ticks": ticks,
                "acceleration_g": dict(zip("xyz", axes[:3])),
                "rotation_dps": dict(zip("xyz", axes[3:])),
            }
            writer.add_message(channel, time, json.dumps(message).encode(), time, sequence)
        writer.finish()
