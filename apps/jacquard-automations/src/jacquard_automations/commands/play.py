"""jacquardctl play"""

from __future__ import annotations

import contextlib
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jacquard import Capability
from jacquard.input_file import open_input
from jacquard_apps.system.together import together
from jacquard_apps.tags import gear, target
from jacquard_apps.terminal import exits, options, output
from jacquard_apps.touch import touching

from .run import report

if TYPE_CHECKING:
    from ..playing import midi
    from ..playing.message import Message
    from ..playing.parts import Instrument

MAPS = ("strings", "faders", "transport")
APIS = ("alsa", "jack")
FILES = (".mid", ".midi")


class Output(Protocol):
    def send(self, messages: Iterable[Message]) -> None: ...


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "play",
        parents=[options.with_tag(goes_on=True)],
        help="play the gear's lines as an instrument, with MIDI and OSC, until Ctrl-C",
        description="Without --midi and --osc, the messages are only printed. When the finger is lifted, the link is lost, or "
        "the command ends, everything that sounds is switched off.",
    )
    about_map = "which lines play what: strings, faders or transport, or a file of your own (strings)"
    parser.add_argument("--map", metavar="MAP", type=options.word, default=MAPS[0], help=about_map)
    about_midi = "send MIDI from a virtual port named jacquard, or write it into a file whose name ends in .mid"
    parser.add_argument("--midi", metavar="FILE.mid", nargs="?", const=True, type=midi_file, help=about_midi)
    parser.add_argument("--force", action="store_true", help="overwrite an existing file of --midi")
    parser.add_argument("--api", choices=APIS, default=APIS[0], help="where the virtual port is (alsa)")
    about_osc = "send OSC to this UDP port; the addresses begin with /jacquard/NAME"
    parser.add_argument("--osc", metavar="[HOST:]PORT", type=osc_destination, help=about_osc)
    parser.add_argument("--name", metavar="NAME", type=options.word, help="NAME in OSC addresses (the serial number)")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="only check the map")
    modes.add_argument("--example", action="store_true", help="only print the map, with comments")
    options.add_duration(parser)
    parser.set_defaults(run=run)


def midi_file(text: str) -> Path:
    if not text.lower().endswith(FILES):
        raise ArgumentTypeError(f"{text!r} is not a file whose name ends in .mid; TAG is written before --midi")
    return Path(text)


def osc_destination(text: str) -> tuple[str, int]:
    from ..playing import osc

    try:
        return osc.destination(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


async def run(arguments: Namespace) -> int:
    from ..action import ActionError
    from ..playing import maps
    from ..toml_file import Invalid

    shipped = arguments.map in MAPS
    path = Path(arguments.map)
    if arguments.example:
        output.say(text_of(arguments.map).rstrip("\n"))
        return exits.OK
    try:
        instrument = maps.parse(maps.shipped(arguments.map)) if shipped else maps.read(path)
    except Invalid as error:
        report(path, error.problems, arguments.json)
        if not path.exists() and not arguments.json:
            output.complain(f"The maps that need no file are {', '.join(MAPS)}")
        return exits.USAGE
    if arguments.check and arguments.json:
        output.say_json(map=arguments.map, valid=True, parts=len(instrument.parts))
        return exits.OK
    if arguments.check:
        output.say(f"{arguments.map}: valid, {len(instrument.parts)} {'part' if len(instrument.parts) == 1 else 'parts'}")
        return exits.OK
    try:
        return await play(arguments, instrument)
    except ActionError as error:
        raise exits.Failure(str(error)) from None


def text_of(name: str) -> str:
    from ..playing import maps

    if name in MAPS:
        return maps.shipped(name)
    with open_input(name) as file:
        return file.read().decode()


async def play(arguments: Namespace, instrument: Instrument) -> int:
    from ..action import ActionError
    from ..complaints import Complaints
    from ..playing import midi, osc

    complaints = Complaints(output.complain)
    outputs: list[Output] = []

    def send(messages: Sequence[Message]) -> None:
        """A message that cannot be sent affects neither the other output nor later messages."""
        for number, one in enumerate(outputs if messages else ()):
            try:
                one.send(messages)
            except ActionError as error:
                complaints.report(number, 0, str(error))
            else:
                complaints.works(number, 0)

    with contextlib.ExitStack() as stack:
        port: midi.Port | midi.File | None = None
        if arguments.midi is not None:
            whole = arguments.midi is not True
            port = midi.File(arguments.midi, overwrite=arguments.force) if whole else midi.Port(arguments.api)
            stack.callback(port.close)
            outputs.append(port)
        sender = None if arguments.osc is None else await osc.Sender.to(*arguments.osc)
        async with target.connected(arguments) as (connection, tag):
            await gear.component(connection, Capability.TOUCH)
            if sender is not None:
                outputs.append(osc.Addressed(sender, arguments.name or tag.info.serial))
            if arguments.json or not outputs:
                outputs.append(Printed(arguments.json))
            if arguments.json:
                output.say_json(playing=True, map=arguments.map)
            else:
                output.say(f"{arguments.map}: playing; Ctrl-C ends it")
            points = touching.read(connection, touching.Points(lambda points: send(instrument.take(points))))
            await together(points, seconds=arguments.duration)
        if isinstance(port, midi.File) and port.is_empty:
            output.complain(f"Nothing was played; {arguments.midi} was not written.")
    return exits.OK


class Printed:
    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def send(self, messages: Iterable[Message]) -> None:
        for one in messages:
            if self._as_json:
                output.say_json(time=output.now().isoformat(timespec="milliseconds"), midi=one.midi, osc=one.osc)
            else:
                data = " ".join(f"{byte:02X}" for byte in one.midi)
                path, value = one.osc or ("", "")
                output.say(f"{data:20} {path} {value if isinstance(value, (int, str)) else round(value, 3)}".rstrip())
