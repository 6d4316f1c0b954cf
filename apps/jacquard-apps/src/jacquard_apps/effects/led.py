"""LED patterns, as they are written on the command line."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from jacquard import Led, LedFrame
from jacquard.led import COLORS, PATTERNS, rgb

from ..terminal import exits, options

OFF = "off"
FRAME = 0.5
NAMES = f"Names of colours: {', '.join(COLORS)}."


def add_pattern(parser: ArgumentParser) -> None:
    parser.add_argument(
        "colors",
        metavar="COLOR",
        nargs="+",
        type=color,
        help="#rrggbb, 0xrrggbb, r,g,b or a name; several colours are played in sequence, each with its duration in "
        "seconds, as in teal:0.3; off stops the pattern",
    )
    parser.add_argument("--pattern", choices=PATTERNS, help="animation (solid; frames for several colours)")
    parser.add_argument("--duration", type=options.seconds, metavar="SECONDS", help="total duration (2, or once)")
    percent = options.whole(1, 100)
    parser.add_argument("--intensity", type=percent, metavar="PERCENT", help="1 to 100 (100)")
    parser.add_argument("--toggle", action="store_true", help="sending the same pattern again stops it")
    parser.add_argument("--resumable", action="store_true", help="continue after another pattern interrupted it")
    parser.add_argument("--gear", action="store_true", help="play on the gear instead of the tag")


def color(text: str) -> tuple[str, float | None]:
    name, _, length = text.partition(":")
    try:
        if name != OFF:
            rgb(name)
        return name, options.seconds(length) if length else None
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def pattern(arguments: Namespace) -> Led:
    colors: list[tuple[str, float | None]] = arguments.colors
    if any(name == OFF for name, _ in colors):
        if len(colors) > 1:
            raise exits.Failure("off cannot be combined with other colours", exits.USAGE)
        given = [arguments.pattern, arguments.duration, arguments.intensity, arguments.toggle, arguments.resumable]
        if any(given):
            raise exits.Failure("off takes no options except --gear", exits.USAGE)
        return Led.off()
    if len(colors) == 1 and arguments.pattern != "frames":
        if colors[0][1] and arguments.duration:
            raise exits.Failure("Specify the duration once: with --duration, or after the colour.", exits.USAGE)
        (name, length), type = colors[0], PATTERNS[arguments.pattern or "solid"]
        frames: tuple[LedFrame, ...] = (LedFrame(name, arguments.duration or length or 2),)
    else:
        type = PATTERNS[arguments.pattern or "frames"]
        frames = tuple(LedFrame(name, length or FRAME) for name, length in colors)
    return Led(
        frames,
        type,
        duration=arguments.duration or sum(frame.duration for frame in frames),
        intensity=arguments.intensity or 100,
        toggle=arguments.toggle,
        resumable=arguments.resumable,
    )


def written(text: str) -> tuple[Led, bool]:
    """A pattern, and whether it is for the gear, from the arguments of this command in one word."""
    arguments = options.nested(text, add_pattern)
    return options.checked(pattern, arguments), arguments.gear


def is_color(text: str) -> bool:
    try:
        color(text)
    except ArgumentTypeError:
        return False
    return True
