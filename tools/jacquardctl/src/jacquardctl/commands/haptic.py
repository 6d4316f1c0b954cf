"""jacquardctl haptic"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard import Capability, Haptic
from jacquard.haptic import SYMBOLS, WAVES

from .. import exits, gear, options, target


def add(commands: Any) -> None:
    parser = commands.add_parser("haptic", parents=[options.with_tag()], help="make a tag's gear vibrate")
    parser.add_argument(
        "symbol",
        metavar="SYMBOL",
        nargs="?",
        choices=SYMBOLS,
        help=f"what to play: {', '.join(SYMBOLS)}; or use options instead",
    )
    parser.add_argument("--on", type=options.seconds, metavar="SECONDS", help="duration of each vibration")
    parser.add_argument("--off", type=float, metavar="SECONDS", help="pause after each vibration (0)")
    parser.add_argument("--repeats", type=int, metavar="COUNT", help="additional repetitions, 0 to 255 (0)")
    parser.add_argument("--amplitude", type=int, metavar="PERCENT", help="0 to 100 (60)")
    parser.add_argument("--wave", choices=WAVES, help="shape of the vibration (sine-up)")
    parser.set_defaults(run=run)


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


async def run(arguments: Namespace) -> int:
    if arguments.symbol is None and arguments.tag in SYMBOLS:
        # TAG was omitted. A tag with the name of a symbol can be selected by its serial number.
        arguments.tag, arguments.symbol = None, arguments.tag
    haptic = symbol(arguments)
    async with target.connected(arguments) as (connection, _):
        await (await gear.component(connection, Capability.HAPTIC)).haptic(haptic)
    return exits.OK
