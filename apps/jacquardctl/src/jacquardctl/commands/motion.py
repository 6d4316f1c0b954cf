"""jacquardctl motion"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import jacquard
from jacquard import (
    MotionActivity,
    MotionEnd,
    MotionEvent,
    MotionFile,
    MotionGap,
    MotionSample,
    MotionSettings,
    MotionWriter,
    Session,
    Tag,
    lsl,
)
from jacquard.whole_file import WholeFile
from jacquard_apps.system.together import together, within
from jacquard_apps.tags import target
from jacquard_apps.terminal import asking, exits, options, output

HEADINGS = ("NAME", "SIZE", "CAMPAIGN", "GROUP", "SUBJECT", "PRODUCT")
CSV_HEADINGS = "time,ticks,ax_g,ay_g,az_g,gx_dps,gy_dps,gz_dps"
# Progress is shown at most this often, in seconds.
INTERVAL = 0.2
PLOT_WIDTH = 76
# Losses that deserve advice: at least this number of gaps, and one lost sample for this number of received ones.
MANY_GAPS, MANY_LOSSES = 5, 20
BARS = "▁▂▃▄▅▆▇█"


def add(commands: Any) -> None:
    parser = commands.add_parser("motion", help="record, download and stream motion (not tried with a real tag yet)")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_capture(actions)
    add_sessions(actions)
    add_stream(actions)
    add_files(actions)


def add_capture(actions: Any) -> None:
    record = actions.add_parser(
        "record", parents=[options.with_tag(), settings()], help="start a recording on the tag; motion stop ends it"
    )
    record.add_argument("--name", type=options.word, help="name of the recording, at most 30 bytes (date and time)")
    record.set_defaults(run=run_record)

    stop = actions.add_parser("stop", parents=[options.with_tag()], help="stop a recording or a stream")
    stop.set_defaults(run=run_stop)

    status = actions.add_parser(
        "status", parents=[options.with_tag()], help="show what the tag's motion capture is doing"
    )
    status.set_defaults(run=run_status)


def add_sessions(actions: Any) -> None:
    sessions = actions.add_parser("sessions", parents=[options.with_tag()], help="list the recordings on the tag")
    sessions.set_defaults(run=run_sessions)

    download = actions.add_parser(
        "download", parents=[options.with_tag()], help="download recordings, continuing incomplete files"
    )
    about_names = "recordings, as shown by sessions (all)"
    download.add_argument("names", nargs="*", default=[], type=options.word, metavar="NAME", help=about_names)
    download.add_argument(
        "--directory",
        type=options.path,
        default=Path(),
        metavar="DIRECTORY",
        help="directory for SERIAL-NAME.bin (the current one)",
    )
    download.set_defaults(run=run_download)

    erase = actions.add_parser("erase", parents=[options.with_tag()], help="erase recordings on the tag")
    about_names = "recordings, as shown by sessions"
    erase.add_argument("names", nargs="*", default=[], type=options.word, metavar="NAME", help=about_names)
    erase.add_argument("--all", action="store_true", help="all recordings")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    erase.set_defaults(run=run_erase)


def add_stream(actions: Any) -> None:
    stream = actions.add_parser(
        "stream", parents=[options.with_tag(goes_on=True), settings()], help="print samples, until Ctrl-C"
    )
    about_csv = "print comma-separated values; gaps are reported on standard error"
    stream.add_argument("--csv", action="store_true", help=about_csv)
    about_output = "write the samples to a new file in the format of recordings, instead of printing them"
    stream.add_argument("--output", type=options.path, metavar="FILE", help=about_output)
    about_lsl = "send the samples to the Lab Streaming Layer under this name, instead of printing them; requires pylsl"
    stream.add_argument("--lsl", metavar="NAME", type=options.word, help=about_lsl)
    options.add_duration(stream)
    stream.set_defaults(run=run_stream)


def add_files(actions: Any) -> None:
    show = actions.add_parser("show", parents=[options.shared()], help="describe and draw a downloaded recording")
    show.add_argument("file", type=options.path, metavar="FILE", help="the recording")
    show.set_defaults(run=run_show)

    about_convert = "convert a recording to CSV, Parquet, Arrow or MCAP"
    convert = actions.add_parser("convert", parents=[options.shared()], help=about_convert)
    convert.add_argument("file", type=options.path, metavar="FILE", help="the recording")
    about_target = "the new file, ending with .csv, .parquet, .arrow, .feather or .mcap; - for CSV on standard output"
    convert.add_argument("target", type=options.path, metavar="TARGET", help=about_target)
    convert.set_defaults(run=run_convert)


def settings() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    rate = "rate of the accelerometer, 0.78 to 1600 (25)"
    parser.add_argument("--rate", type=options.factor, default=25, metavar="HZ", help=rate)
    rate = "rate of the gyroscope, 25 to 3200 (that of the accelerometer, at least 25)"
    parser.add_argument("--gyroscope-rate", type=options.factor, metavar="HZ", help=rate)
    reach = "range of the accelerometer: 2, 4, 8 or 16 g (16)"
    parser.add_argument("--range", type=options.factor, default=16, metavar="G", help=reach)
    reach = "range of the gyroscope, 125 to 2000 degrees per second (2000)"
    parser.add_argument("--gyroscope-range", type=options.factor, default=2000, metavar="DPS", help=reach)
    return parser


def settings_of(arguments: Namespace) -> MotionSettings:
    return MotionSettings(
        accelerometer_rate=arguments.rate,
        gyroscope_rate=max(25, arguments.rate) if arguments.gyroscope_rate is None else arguments.gyroscope_rate,
        accelerometer_range=arguments.range,
        gyroscope_range=arguments.gyroscope_range,
    )


@contextlib.asynccontextmanager
async def prepared(arguments: Namespace) -> AsyncIterator[tuple[jacquard.Connection, Tag]]:
    """A tag whose motion module is loaded. It is unloaded again unless the tag records: it drains the battery."""
    async with target.connected(arguments) as (connection, tag):
        await tag.prepare_motion()
        try:
            yield connection, tag
        finally:
            with contextlib.suppress(jacquard.JacquardError):
                await connection.stop_streams()
                current = await within(5, connection.tag())
                await current.release_motion()


async def run_record(arguments: Namespace) -> int:
    name = arguments.name or time.strftime("%Y-%m-%d-%H%M%S")
    async with prepared(arguments) as (_, tag):
        await tag.start_recording(name, settings_of(arguments))
    if arguments.json:
        output.say_json(recording=name)
    else:
        output.say(f"The tag is recording {name}; jacquardctl motion stop ends the recording.")
    return exits.OK


async def run_stop(arguments: Namespace) -> int:
    async with prepared(arguments) as (_, tag):
        await tag.stop_motion()
    return exits.OK


async def run_status(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        try:
            status = await tag.motion_status()
        except jacquard.TagStatusError:
            loaded = any(module.enabled for module in await tag.modules())
            if loaded:
                raise
            status = jacquard.MotionStatus(MotionActivity.IDLE, 0, "motion module not loaded")
    if arguments.json:
        output.say_json(**output.members_of(status))
    else:
        activity = str(status.activity.name).lower()
        output.say(activity if status.text == activity else f"{activity} ({output.printable(status.text)})")
    return exits.OK


async def run_sessions(arguments: Namespace) -> int:
    async with prepared(arguments) as (_, tag):
        sessions = await tag.sessions()
    if arguments.json:
        for session in sessions:
            output.say_json(**output.members_of(session))
    elif sessions:
        output.show_table(
            HEADINGS,
            [(one.name, str(one.size), one.campaign, one.group, one.subject, one.product) for one in sessions],
        )
    return exits.OK


def chosen(sessions: list[Session], names: list[str]) -> list[Session]:
    """The sessions with these names; all sessions if there are no names."""
    for name in names:
        count = sum(session.name == name for session in sessions)
        if count != 1:
            said = "no recording" if count == 0 else f"{count} recordings"
            raise exits.Failure(f"The tag has {said} ‘{name}’: see jacquardctl motion sessions.", exits.USAGE)
    return [session for session in sessions if not names or session.name in names]


async def complete(arguments: Namespace) -> None:
    """Moves the name of a recording from TAG, which was omitted, to the other names."""
    if await target.is_name(arguments):
        arguments.names = [arguments.tag, *arguments.names]
        arguments.tag = None


def file_name(serial: str, session: Session) -> str:
    """Unique for each session, because all other characters are written as numbers."""
    texts = [session.name]
    if any(text != "jacquard" for text in (session.campaign, session.group, session.subject, session.product)):
        texts += [session.campaign, session.group, session.subject, session.product]
    escaped = [re.sub(r"[^A-Za-z0-9_.]", lambda found: f"%{ord(found[0]):02x}", text) for text in [serial, *texts]]
    return "-".join(escaped) + ".bin"


async def run_download(arguments: Namespace) -> int:
    await complete(arguments)
    async with prepared(arguments) as (connection, tag):
        for session in chosen(await tag.sessions(), arguments.names):
            path = arguments.directory / file_name(tag.info.serial or tag.info.address, session)
            await download(connection, session, path, arguments)
    return exits.OK


async def download(connection: jacquard.Connection, session: Session, path: Path, arguments: Namespace) -> None:
    began, first, shown = time.monotonic(), path.stat().st_size if path.exists() else 0, 0.0
    with output.progress(f"{path.name}", arguments.json) as say:

        def report(received: int, total: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown < INTERVAL:
                return
            shown = now
            rate = (received - first) / max(now - began, 0.001)
            left = (total - received) / rate if rate > 0 else 0
            say(f"{path.name}  {100 * received // total} %  {rate / 1000:.1f} kB/s  {left:.0f} s left")

        seed = await connection.download(session, path, progress=report)
    if arguments.json:
        output.say_json(path=str(path), size=session.size, verified=seed is not None)
    else:
        output.say(f"{path}  {session.size} bytes{'' if seed is not None else ', without a checksum'}")


async def run_erase(arguments: Namespace) -> int:
    await complete(arguments)
    if bool(arguments.names) == arguments.all:
        raise exits.Failure("Either NAME or --all is required.", exits.USAGE)
    async with prepared(arguments) as (_, tag):
        sessions = chosen(await tag.sessions(), arguments.names)
        if not sessions or not await confirmed(sessions, arguments):
            return exits.OK
        for session in sessions:
            with output.progress(f"erasing {session.name}", arguments.json):
                await tag.erase_session(session)
    return exits.OK


async def confirmed(sessions: list[Session], arguments: Namespace) -> bool:
    if arguments.yes:
        return True
    if not asking.is_possible():
        raise exits.Failure("Standard input is not a terminal; use --yes to erase without confirmation.", exits.USAGE)
    names = ", ".join(output.printable(session.name) for session in sessions)
    return await asking.confirmed(f"Erase {names} on the tag?")


def read(path: Path) -> MotionFile:
    """The library's advice is for files that it has downloaded."""
    try:
        return MotionFile.read(path)
    except jacquard.DamagedSessionError as error:
        advice = "Choose a file written by motion download or motion stream --output; if it is one, it is damaged."
        details = dataclasses.replace(error.details, message=f"{path} is not a motion file: {error.message}", advice=advice)
        raise jacquard.DamagedSessionError(details) from None


async def run_show(arguments: Namespace) -> int:
    file = read(arguments.file)
    samples = [sample for action in file.actions for sample in action.samples]
    settings = file.settings
    if arguments.json:
        output.say_json(
            session=file.session.name,
            **output.members_of(settings),
            samples=len(samples),
            first_ticks=samples[0].ticks if samples else None,
            last_ticks=samples[-1].ticks if samples else None,
            ending=file.end,
        )
        return exits.OK
    members = {
        "session": file.session.name,
        "rates": f"{settings.accelerometer_rate:g} and {settings.gyroscope_rate:g} Hz",
        "ranges": f"{settings.accelerometer_range:g} g and {settings.gyroscope_range:g} degrees per second",
        "samples": str(len(samples)),
        "ticks": f"{samples[0].ticks} to {samples[-1].ticks}" if samples else "",
        "ending": str(file.end.name).lower(),
    }
    output.show_members(members)
    scale = settings.accelerometer_range / 32768
    strengths = [scale * sum(axis * axis for axis in sample.acceleration) ** 0.5 for sample in samples]
    if strengths:
        output.say(f"|a| {min(strengths):.2f} to {max(strengths):.2f} g")
        output.say(drawn(strengths))
    return exits.OK


def drawn(values: list[float]) -> str:
    """One character for the largest of each group of values."""
    lowest, highest = min(values), max(values)
    step = max(1, -(-len(values) // PLOT_WIDTH))
    largest = [max(values[place : place + step]) for place in range(0, len(values), step)]
    span = (highest - lowest) or 1
    return "".join(BARS[round((value - lowest) / span * (len(BARS) - 1))] for value in largest)


async def run_convert(arguments: Namespace) -> int:
    if str(arguments.target) == "-":
        if arguments.json:
            raise exits.Failure("--json and CSV on standard output exclude each other.", exits.USAGE)
        file = read(arguments.file)
        file.write_csv(sys.stdout)
        return ending(arguments, file)
    write = WRITERS.get(arguments.target.suffix.lower())
    if write is None:
        raise exits.Failure(f"{arguments.target} does not end with one of {', '.join(WRITERS)}.", exits.USAGE)
    file = read(arguments.file)
    try:
        write(file, arguments.target)
    except ImportError as error:
        raise exits.Failure(str(error), exits.USAGE) from None
    return ending(arguments, file)


def ending(arguments: Namespace, file: MotionFile) -> int:
    """The exit status, after the readable samples have been converted."""
    if file.end is MotionEnd.COMPLETE:
        return exits.OK
    samples = sum(len(action.samples) for action in file.actions)
    what = "its end is missing" if file.end is MotionEnd.INCOMPLETE else "it is damaged"
    raise exits.Failure(f"{arguments.file}: {what}. Its {samples} readable samples were converted.")


WRITERS = {
    ".csv": MotionFile.write_csv,
    ".parquet": MotionFile.write_parquet,
    ".arrow": MotionFile.write_arrow,
    ".feather": MotionFile.write_arrow,
    ".mcap": MotionFile.write_mcap,
}


async def run_stream(arguments: Namespace) -> int:
    if arguments.csv and arguments.json:
        raise exits.Failure("--csv and --json exclude each other.", exits.USAGE)
    if arguments.lsl is not None:
        load_lsl()
    with contextlib.ExitStack() as ends:
        takers: list[Callable[[MotionEvent], object]] = []
        if arguments.output is not None:
            takers.append(ends.enter_context(OutputFile(arguments.output, settings_of(arguments))).add)
        async with prepared(arguments) as (connection, tag):
            if arguments.lsl is not None:
                source = tag.info.serial or tag.info.address
                takers.append(lsl.Outlet(arguments.lsl, settings_of(arguments), source).push)
            if not takers or arguments.json or arguments.csv:
                takers.append(printer(arguments))
            if not arguments.json:
                losses = ends.enter_context(Losses())
                takers.append(losses.report)
            await together(pass_on(connection, arguments, takers), seconds=arguments.duration)
    return exits.OK


class OutputFile:
    """A motion file that appears with its first sample."""

    def __init__(self, path: Path, settings: MotionSettings) -> None:
        self._path = path
        self._whole = WholeFile(path)
        try:
            self._writer = MotionWriter(self._whole.file, time.strftime("%Y-%m-%d %H:%M:%S"), settings)
        except BaseException:
            self._whole.discard()
            raise
        self._is_empty = True

    def add(self, event: MotionEvent) -> None:
        self._writer.add(event)
        if self._is_empty and isinstance(event, MotionSample):
            self._is_empty = False
            self._whole.appear()

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, type: type[BaseException] | None, *_: object) -> None:
        try:
            self._writer.end()
            self._writer.close()
        finally:
            self._whole.discard()
        if self._is_empty and type is None:
            output.complain(f"No samples arrived; {self._path} was not written.")


def load_lsl() -> None:
    try:
        lsl.pylsl()
    except (ImportError, RuntimeError) as error:
        raise exits.Failure(str(error), exits.USAGE) from None


async def pass_on(
    connection: jacquard.Connection, arguments: Namespace, takers: list[Callable[[MotionEvent], object]]
) -> None:
    async for event in connection.motion(settings_of(arguments)):
        for take in takers:
            take(event)


def printer(arguments: Namespace) -> Callable[[MotionEvent], None]:
    if arguments.json:
        return show_json
    if arguments.csv:
        output.say(CSV_HEADINGS)
        return show_csv
    return show


def show_json(event: MotionEvent) -> None:
    output.say_json(type=type(event).__name__.removeprefix("Motion").lower(), **output.members_of(event))


def show_csv(event: MotionEvent) -> None:
    if isinstance(event, MotionSample):
        axes = (*event.acceleration, *event.rotation)
        output.say(f"{event.time:.6f},{event.ticks}," + ",".join(f"{axis:.5f}" for axis in axes))


def show(event: MotionEvent) -> None:
    if isinstance(event, MotionSample):
        axes = (*event.acceleration, *event.rotation)
        output.say(f"{event.time:12.3f}  " + " ".join(f"{axis:9.3f}" for axis in axes))


class Losses:
    """Reports lost samples. At the end it says what helps if there were many losses: one gap may be a lost link."""

    def __init__(self) -> None:
        self.gaps = self.missing = self.samples = 0

    def report(self, event: MotionEvent) -> None:
        if isinstance(event, MotionSample):
            self.samples += 1
        elif isinstance(event, MotionGap):
            self.gaps += 1
            self.missing += event.missing
            about = f" ± {event.uncertainty}" if event.uncertainty else ""
            output.complain(f"{event.missing}{about} samples are missing.")
        else:
            output.complain("The tag has restarted.")

    def __enter__(self) -> Losses:
        return self

    def __exit__(self, *_: object) -> None:
        if self.gaps < MANY_GAPS or self.missing * MANY_LOSSES < self.samples:
            return
        share = 100 * self.missing / (self.missing + self.samples)
        output.complain(
            f"{share:.0f} % of the samples are missing, in {self.gaps} gaps. Bring the tag closer. If that does not help, "
            "its connection interval may be too long: jacquardctl config write connection-interval=fast"
        )
