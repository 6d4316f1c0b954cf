"""jacquardctl haptic"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any

from jacquard import Capability, Connection, Haptic, Tag
from jacquard.haptic import LONGEST, SYMBOLS, WAVES

from .. import exits, gear, options, several


def add(commands: Any) -> None:
    parser = commands.add_parser("haptic", parents=[options.with_tag()], help="make a tag's gear vibrate")
    add_symbol(parser)
    options.add_all(parser)
    parser.set_defaults(run=run)


def add_symbol(parser: ArgumentParser) -> None:
    parser.add_argument(
        "symbol",
        metavar="SYMBOL",
        nargs="?",
        choices=SYMBOLS,
        help=f"what to play: {', '.join(SYMBOLS)}; or use options instead",
    )
    parser.add_argument("--on", type=pulse, metavar="SECONDS", help="duration of each vibration")
    parser.add_argument("--off", type=pause, metavar="SECONDS", help="pause after each vibration (0)")
    count = options.whole(0, 255)
    parser.add_argument("--repeats", type=count, metavar="COUNT", help="additional repetitions, 0 to 255 (0)")
    parser.add_argument("--amplitude", type=options.whole(0, 100), metavar="PERCENT", help="0 to 100 (60)")
    parser.add_argument("--wave", choices=WAVES, help="shape of the vibration (sine-up)")


def pulse(text: str) -> float:
    return pause(str(options.seconds(text)))


def pause(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 <= value <= LONGEST:
        raise ArgumentTypeError(f"{text} is out of range; expected 0 to {LONGEST} seconds")
    return value


def symbol(arguments: Namespace) -> Haptic:
    named = SYMBOLS.get(arguments.symbol)
    given = {name: getattr(arguments, name) for name in ("on", "off", "repeats", "amplitude")}
    given["type"] = WAVES.get(arguments.wave)
    given = {name: value for name, value in given.items() if value is not None}
    if named is not None and given:
        raise exits.Failure(f"Use either {arguments.symbol} or options, not both.", exits.USAGE)
    if named is None and "on" not in given:
        raise exits.Failure("Specify what to play: one of " + ", ".join(SYMBOLS) + "; or --on SECONDS.", exits.USAGE)
    return named or Haptic(**given)


def written(text: str) -> Haptic:
    """A vibration, from the arguments of this command in one word."""
    return options.checked(symbol, options.nested(text, add_symbol))


async def run(arguments: Namespace) -> int:
    if arguments.symbol is None and arguments.tag in SYMBOLS:
        # TAG was omitted. A tag with the name of a symbol can be selected by its serial number.
        arguments.tag, arguments.symbol = None, arguments.tag
    haptic = symbol(arguments)

    async def play(connection: Connection, tag: Tag) -> None:
        await (await gear.component(connection, Capability.HAPTIC)).haptic(haptic)

    return await several.on_each(arguments, play)
