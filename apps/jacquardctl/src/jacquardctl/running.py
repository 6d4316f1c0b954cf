"""Runs a command from its arguments to its exit status, and always cleans up."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import jacquard
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, output

from .parser import parsed, parser


def status_of(words: list[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    words, program = separated(sys.argv[1:] if words is None else words)
    if not words:
        parser().print_help()
        return exits.USAGE
    arguments = parsed(words)
    if program:
        arguments.program = program
    if arguments.debug:
        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
        logging.getLogger("asyncio").setLevel(logging.WARNING)
    else:
        # Otherwise its warnings would be mixed with the output.
        logging.getLogger("jacquard").addHandler(logging.NullHandler())
    try:
        arguments.adapter = address_of(arguments.adapter)
        status: int = asyncio.run(run(arguments))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except exits.Signalled as ended:
        return ended.status
    except BrokenPipeError:
        # The reader has closed the pipe.
        discard_output()
        return exits.OK
    except jacquard.JacquardError as error:
        return told(arguments, exits.status_of(error), error)
    except exits.Refusal as refusal:
        return told(arguments, exits.REFUSED, refusal.error)
    except exits.Failure as failure:
        return told(arguments, failure.status, failure)
    except OSError as error:
        status = exits.FAILED if error.errno in exits.MACHINE_FAILURES else exits.USAGE
        if error.filename is None:
            discard_output()
        return told(arguments, status, exits.Failure(explained(error, arguments)))
    except ValueError as error:
        return told(arguments, exits.USAGE, error)
    except ImportError as error:
        return told(arguments, exits.NO_BLUETOOTH, error)


def address_of(adapter: str | None) -> str | None:
    """The address of an adapter, which may be given by its name. Blocks: call it outside the event loop."""
    if adapter is None or ":" in adapter:
        return adapter
    from .doctor import bluez

    return bluez.address(adapter)


def explained(error: OSError, arguments: Namespace) -> str:
    if isinstance(error, FileExistsError) and hasattr(arguments, "force"):
        return f"{error.filename} exists. Use --force to overwrite it."
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)


def discard_output() -> None:
    """Python would otherwise write the buffered output at exit, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def separated(words: list[str]) -> tuple[list[str], list[str]]:
    """Splits the arguments into ours and the program's. argparse does not support options between FILE and PROGRAM."""
    if words[:1] != ["replay"] or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def told(arguments: Namespace, status: int, error: Exception) -> int:
    output.report(error, arguments.json)
    return status


async def run(arguments: Namespace) -> int:
    """Runs a command; a signal cancels it, so that it cleans up before it ends."""
    current = asyncio.current_task()
    assert current is not None
    task: asyncio.Task[Any] = current
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        task.cancel()

    with handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), end):
        try:
            if getattr(arguments, "stand_in", None) is not None:
                await target.fill_in(arguments)
            status: int = await arguments.run(arguments)
        except asyncio.CancelledError:
            if not received:
                raise
            raise exits.Signalled(received[0]) from None
    return status


@contextlib.contextmanager
def handled(numbers: tuple[signal.Signals, ...], end: object) -> Iterator[None]:
    """The first signal is handled; a second one ends the process immediately."""
    loop = asyncio.get_running_loop()

    def once(number: int) -> None:
        for other in numbers:
            loop.remove_signal_handler(other)
        assert callable(end)
        end(number)

    for number in numbers:
        # A signal that was ignored at the start, for example by nohup, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, once, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
