"""Options that commands have in common."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

DEFAULT_TIMEOUT = 60.0
# Stands in the place of a TAG that was left out; no word of a command line holds such a character.
LEFT_OUT = "\0"


def shared() -> ArgumentParser:
    """What every command takes."""
    shared = ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object per line")
    shared.add_argument("--adapter", metavar="ADDRESS", help="the Bluetooth adapter to use (the first powered one)")
    shared.add_argument("--debug", action="store_true", help="the library's log, on standard error")
    return shared


def with_tag(goes_on: bool = False) -> ArgumentParser:
    """What every command takes that is about a tag. One that goes on until it is told to end has time."""
    with_tag = ArgumentParser(add_help=False, parents=[shared()])
    about_tag = "its serial number, the end of it, its name, address or identifier (the one that is bound, if it is one)"
    with_tag.add_argument("tag", metavar="TAG", type=word, help=about_tag)
    limit = "60; no limit for a tag that is bound" if goes_on else "60"
    default = None if goes_on else DEFAULT_TIMEOUT
    about_time = f"to find it and to connect in ({limit})"
    with_tag.add_argument("--timeout", type=seconds, default=default, metavar="SECONDS", help=about_time)
    return with_tag


def word(text: str) -> str | None:
    if text == LEFT_OUT:
        return None
    if not text:
        raise ArgumentTypeError("it is empty")
    return text


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number of seconds") from None
    if not 0 < value <= 86400:
        raise ArgumentTypeError(f"{text} is not more than 0 and at most 86400 seconds")
    return value


def number(text: str) -> int:
    """Decimal, or hexadecimal behind 0x."""
    return int(text, 0)


def add_duration(parser: ArgumentParser) -> None:
    parser.add_argument("--for", dest="duration", type=seconds, metavar="SECONDS", help="end by itself after this time")
