"""jacquardctl record"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, TextIO

import jacquard
from jacquard import Battery, Capability, ConnectionState, Gear, Gesture, Name, Notification, RawValue, Touch, TouchMode

from .. import exits, options, output, target
from ..recording.writer import Writer
from ..together import together

KINDS = (ConnectionState, Notification, RawValue, Battery, Gear, Gesture, Name, Touch)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "record",
        parents=[options.with_tag(goes_on=True)],
        help="record everything that a tag sends until Ctrl-C, in a file to attach to a bug report",
        description="Writes everything that the library delivers, with timestamps: states, notifications and raw values, "
        "both as bytes and decoded, and the library's log. jacquardctl.md in the documentation describes the file. It contains "
        "the tag's name, serial number and address.",
    )
    parser.add_argument("file", metavar="FILE", type=options.word, help="the new file; - for standard output")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--touch", action="store_true", help="request touch data instead of gestures")
    options.add_duration(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    with opened(arguments) as file:
        writer = Writer(file)
        writer.begin(jacquard.loaded_library().version)
        with logged(writer):
            await record(writer, arguments)
    return exits.OK


async def record(writer: Writer, arguments: Namespace) -> None:
    async with target.manager(arguments) as manager:
        try:
            found = await target.find(manager, arguments)
            writer.found(found)
            async with manager.connect(found.identifier, timeout=arguments.timeout) as connection:
                try:
                    await together(
                        follow_adapter(manager, writer),
                        follow(connection, writer, arguments.touch),
                        seconds=arguments.duration,
                    )
                finally:
                    writer.counters(connection.counters)
            writer.end("the duration has passed")
        except BaseException as error:
            told = "interrupted" if isinstance(error, asyncio.CancelledError) else str(error)
            with contextlib.suppress(ValueError, OSError):
                writer.end(told)
            raise


async def follow_adapter(manager: jacquard.Manager, writer: Writer) -> None:
    async for adapter in manager.adapter_states():
        writer.adapter(adapter)


async def follow(connection: jacquard.Connection, writer: Writer, touch: bool) -> None:
    async for event in connection.events(*KINDS):
        writer.event(event)
        if touch and isinstance(event, Gear) and event.component is not None:
            if event.component.supports(Capability.TOUCH):
                with contextlib.suppress(jacquard.LinkError):
                    await event.component.set_touch_mode(TouchMode.CONTINUOUS)


@contextlib.contextmanager
def opened(arguments: Namespace) -> Iterator[TextIO]:
    if arguments.file == "-":
        if arguments.force:
            raise exits.Failure("--force needs a FILE.", exits.USAGE)
        yield sys.stdout
        return
    try:
        file = open(arguments.file, "w" if arguments.force else "x", encoding="utf-8")
    except FileExistsError:
        if os.path.isdir(arguments.file):
            raise exits.Failure(f"{arguments.file} is a directory.", exits.USAGE) from None
        raise exits.Failure(f"{arguments.file} exists. Use --force to overwrite it.", exits.USAGE) from None
    with file:
        yield file


class Forward(logging.Handler):
    """Writes the library's log to the recording."""

    def __init__(self, writer: Writer) -> None:
        super().__init__(logging.INFO)
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        part = record.name.rpartition(".")[2]
        with contextlib.suppress(ValueError, OSError):
            self._writer.log(part, record.levelname.lower(), output.printable(record.getMessage()))


@contextlib.contextmanager
def logged(writer: Writer) -> Iterator[None]:
    logger = logging.getLogger("jacquard")
    handler = Forward(writer)
    before = logger.level
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
