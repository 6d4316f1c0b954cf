"""jacquardctl record"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import pwd
import socket
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Any, Callable, TextIO

import jacquard
from jacquard import Battery, Capability, ConnectionState, Gear, Gesture, Name, Notification, RawValue, Touch, TouchMode
from jacquard.whole_file import WholeFile
from jacquard_apps.recording import label
from jacquard_apps.recording.label import Label
from jacquard_apps.recording.writer import Writer
from jacquard_apps.system.together import together
from jacquard_apps.tags import gear, target
from jacquard_apps.terminal import asking, exits, options, output
from jacquard_apps.touch import touching

# --label without a gesture.
ASK = object()
# Shorter words of a person's name are also those of garments.
SHORTEST_NAME = 3
KINDS = (ConnectionState, Notification, RawValue, Battery, Gear, Gesture, Name, Touch)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "record",
        parents=[options.with_tag(goes_on=True)],
        help="record everything that a tag sends until Ctrl-C, in a file to attach to a bug report",
        description="Writes everything that the library delivers, with timestamps: states, notifications and raw values, "
        "both as bytes and decoded, and the library's log. jacquardctl.md in the documentation describes the file. It contains "
        "the tag's name, serial number and address. With --label it writes only touches, for a data set, which dataset.md "
        "describes: without these, and with consent.",
    )
    parser.add_argument("file", metavar="FILE", type=options.word, help="the new file; - for standard output")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--touch", action="store_true", help="request touch data instead of gestures")
    parser.add_argument(
        "--label",
        nargs="?",
        const=ASK,
        type=entered(label.gesture),
        metavar="LABEL",
        help="record only touches, all of this gesture, such as swipe_in or other; what is missing is asked for",
    )
    parser.add_argument("--hand", choices=label.HANDS, help="with --label, the hand that touches the sleeve")
    parser.add_argument(
        "--garment", type=entered(label.garment), metavar="TEXT", help="with --label, what the sleeve belongs to"
    )
    parser.add_argument(
        "--consent", action="store_true", help="with --label, agree to the text that is shown, instead of being asked"
    )
    options.add_duration(parser)
    parser.set_defaults(run=run)


def entered(check: Callable[[str], str]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        try:
            return check(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return checked


async def run(arguments: Namespace) -> int:
    if arguments.label is not None:
        return await record_touches(arguments)
    if arguments.hand or arguments.garment or arguments.consent:
        raise exits.Failure("--hand, --garment and --consent need --label.", exits.USAGE)
    with opened(arguments) as (file, appear):
        writer = Writer(file)
        writer.begin(jacquard.loaded_library().version)
        appear()
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


async def record_touches(arguments: Namespace) -> int:
    what = await label_of(arguments)
    # Errors are better found before anything is recorded.
    with opened(arguments) as (file, appear):
        async with target.connected(arguments) as (connection, tag):
            await gear.component(connection, Capability.TOUCH)
            refuse_identity(what, tag.info, arguments.tag)
            if not arguments.json:
                print(f"Repeat {what.gesture}, with a pause of a second; Ctrl-C ends.", file=sys.stderr, flush=True)
            touches = LabelledTouches(file, appear, what)
            await together(touching.samples(connection, touches.write), seconds=arguments.duration)
    if not touches.has_begun:
        raise exits.Failure("The sleeve was not touched; nothing was written.")
    return exits.OK


class LabelledTouches:
    """Writes the header with the first touch, from which the times count."""

    def __init__(self, file: TextIO, appear: Callable[[], None], what: Label) -> None:
        self._file, self._appear, self._label = file, appear, what
        self._writer: Writer | None = None

    @property
    def has_begun(self) -> bool:
        return self._writer is not None

    def write(self, touch: Touch) -> None:
        if self._writer is None:
            self._writer = Writer(self._file)
            self._writer.begin_labelled(jacquard.loaded_library().version, self._label)
            self._appear()
        self._writer.event(touch)


async def label_of(arguments: Namespace) -> Label:
    """The label that the options give. On a terminal it asks for the others. No consent is a failure."""
    given = {"--label LABEL": arguments.label is not ASK, "--hand": arguments.hand, "--garment": arguments.garment}
    missing = [option for option, value in {**given, "--consent": arguments.consent}.items() if not value]
    if missing and not asking.is_possible():
        text = f"Standard input is not a terminal: a labelled recording needs {', '.join(missing)} as well."
        raise exits.Failure(text, exits.USAGE)
    gesture = arguments.label
    if gesture is ASK:
        gesture = await answer(f"Gesture ({', '.join(label.GESTURES)}, or another): ", label.gesture)
    hand = arguments.hand or await answer(f"Hand that touches ({' or '.join(label.HANDS)}): ", label.hand)
    garment = arguments.garment or await answer("Garment (such as Levi's Trucker Jacket): ", label.garment)
    print(f"\n{label.CONSENT}", file=sys.stderr, flush=True)
    if not arguments.consent and not await asking.confirmed("Do you agree?"):
        raise exits.Failure("Nothing was recorded, because there is no consent.", exits.REFUSED)
    return Label(gesture, hand, garment)


async def answer(question: str, check: Callable[[str], str]) -> str:
    """Asks again until the answer is valid."""
    while line := await asking.answer(question):
        try:
            return check(line.strip())
        except ValueError as error:
            output.complain(str(error))
    raise exits.Failure("Standard input has ended before everything was answered.", exits.USAGE)


def refuse_identity(what: Label, tag: jacquard.TagInfo, word: str | None) -> None:
    about_tag = [tag.serial, tag.serial[-4:], tag.name, tag.address, tag.identifier, tag.uuid, word]
    found = label.identity_in(what, [one for one in (*about_tag, *names_here()) if one])
    if found is not None:
        text = f"{found} is a name of the tag, of this user or of this computer: leave it out of the gesture and garment."
        raise exits.Failure(text, exits.USAGE)


def names_here() -> Iterator[str]:
    """The names of this computer and of the user, who may have none in a container."""
    host = socket.gethostname()
    yield from (host, host.split(".")[0])
    with contextlib.suppress(KeyError):
        user = pwd.getpwuid(os.getuid())
        yield user.pw_name
        yield from (one for one in user.pw_gecos.replace(",", " ").split() if len(one) >= SHORTEST_NAME)


@contextlib.contextmanager
def opened(arguments: Namespace) -> Iterator[tuple[TextIO, Callable[[], None]]]:
    """The file, and a function that gives it its name. From then on it is complete up to its last line."""
    if arguments.file == "-":
        if arguments.force:
            raise exits.Failure("--force needs a FILE.", exits.USAGE)
        yield sys.stdout, lambda: None
        return
    whole = WholeFile(arguments.file, overwrite=arguments.force)
    try:
        with io.TextIOWrapper(whole.file, encoding="utf-8") as file:
            yield file, whole.appear
    finally:
        whole.discard()


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
