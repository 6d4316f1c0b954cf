"""Vibrations, as they are written on the command line."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from jacquard import Haptic
from jacquard.haptic import LONGEST, SYMBOLS, WAVES

from ..terminal import exits, options


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
