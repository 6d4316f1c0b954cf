"""jacquardctl board"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import shutil
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import jacquard
from jacquard_apps.recording import reader
from jacquard_apps.system.together import together
from jacquard_apps.terminal import exits, options, output

if TYPE_CHECKING:
    from .editing import Permissions
    from .simulation import Simulation

PORT = 8412
SEND_BUFFER = 1 << 17
LOOPBACK = "127.0.0.1"
MISSING = "The board needs aiohttp: install the package python3-aiohttp (pip: jacquardctl[board])."


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "board",
        parents=[options.shared()],
        help="show tags and recordings in a browser, until Ctrl-C",
        description="Serves a web page on this machine and prints its link. The page shows the tags of this machine with "
        "everything that they sense, and plays recordings.",
    )
    parser.add_argument("files", metavar="FILE", nargs="*", default=[], type=options.word, help="recordings made with jacquardctl record")
    parser.add_argument("--simulate", action="store_true", help="show a software tag with a sleeve to touch")
    about_address = f"the address to serve on ({LOOPBACK})"
    parser.add_argument("--listen", metavar="ADDRESS", type=address, default=LOOPBACK, help=about_address)
    parser.add_argument("--port", type=port, help=f"the port to serve on ({PORT}, or a free one); 0 selects a free one")
    parser.add_argument("--edit-rules", action="store_true", help="let the page change and try the rules of jacquardctl run")
    about_commands = "with --edit-rules and --listen: also rules that run commands, press keys or call D-Bus"
    parser.add_argument("--allow-commands", action="store_true", help=about_commands)
    parser.add_argument("--no-browser", action="store_true", help="only print the link")
    parser.set_defaults(run=run)


def address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not an IP address, such as 127.0.0.1 or 0.0.0.0") from None


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port; expected 0 to 65535")
    return int(text)


async def run(arguments: Namespace) -> int:
    if arguments.simulate and arguments.adapter is not None:
        raise exits.Failure("--simulate uses its own adapter: omit --adapter.", exits.USAGE)
    if arguments.allow_commands and not arguments.edit_rules:
        raise exits.Failure("--allow-commands needs --edit-rules.", exits.USAGE)
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        raise exits.Failure(MISSING) from None
    from .board import Board

    recordings = [(file, reader.read_file(file)) for file in arguments.files]
    async with contextlib.AsyncExitStack() as stack:
        simulated = await stack.enter_async_context(simulation()) if arguments.simulate else None
        board = Board(await stack.enter_async_context(manager(arguments, simulated)), simulated, permissions(arguments))
        stack.push_async_callback(board.close)
        for file, recording in recordings:
            board.add_recording(file, recording)
        link = await stack.enter_async_context(served(arguments, board))
        announce(arguments, link)
        await together(board.run(), board.rules.run(), board.taught.run(), *([] if simulated is None else [simulated.ended()]))
    return exits.OK


def permissions(arguments: Namespace) -> Permissions:
    """If the board listens on an address other than loopback, the page may run commands only with --allow-commands."""
    from .editing import Permissions

    is_local = ipaddress.ip_address(arguments.listen).is_loopback
    return Permissions(arguments.edit_rules, is_local or arguments.allow_commands)


def simulation() -> contextlib.AbstractAsyncContextManager[Simulation]:
    from .simulation import simulation

    return simulation()


def manager(arguments: Namespace, simulated: Simulation | None) -> jacquard.Manager:
    if simulated is None:
        return jacquard.Manager(adapter=arguments.adapter)
    # No other program uses the software tag, and the user's service cannot.
    os.environ["JACQUARD_SERVICE"] = "off"
    return jacquard.Manager(bus_address=simulated.bus_address, state_directory=simulated.state_directory)


class Link:
    def __init__(self, base: str, token: str, once: str) -> None:
        self.url = f"{base}/?token={token}"
        self.url_for_browser = f"{base}/?once={once}"


@contextlib.asynccontextmanager
async def served(arguments: Namespace, board: Any) -> AsyncIterator[Link]:
    """The link of the page, which is served until the block ends."""
    from aiohttp import web

    from .access import Access
    from .server import Server

    socket = listening(arguments.listen, arguments.port)
    with socket:
        number = socket.getsockname()[1]
        access = Access(number)
        server = Server(board, access)
        runner = web.ServerRunner(server.listener, handle_signals=False)
        await runner.setup()
        try:
            await web.SockSite(runner, socket, shutdown_timeout=1).start()
            yield Link(f"http://{shown_host(arguments.listen)}:{number}", access.token, access.once())
        finally:
            await server.close()
            await runner.cleanup()


def listening(host: str, port: int | None) -> Any:
    """A socket on this port; on a free one if no port was requested and the usual one is in use."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port,) if port is not None else (PORT, 0):
        created = socket.socket(family, socket.SOCK_STREAM)
        try:
            created.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # For each browser. Data that a slow browser has not read stays in this process, where it can be dropped,
            # and not in the kernel.
            created.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            created.bind((host, number))
            created.listen(32)
            created.setblocking(False)
            return created
        except OSError as error:
            created.close()
            if error.errno == errno.EADDRINUSE and port is None and number != 0:
                continue
            raise exits.Failure(problem(host, number, error), exits.USAGE) from None


def problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is in use by another program. Use another --port, or 0 for a free one."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all its addresses."
    if error.errno == errno.EACCES:
        return f"Port {port} needs root. Use a --port from 1024 to 65535."
    return f"Cannot serve on {host}, port {port}: {error.strerror}."


def shown_host(host: str) -> str:
    import socket

    if ipaddress.ip_address(host).is_unspecified:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def announce(arguments: Namespace, link: Link) -> None:
    if not ipaddress.ip_address(arguments.listen).is_loopback:
        output.complain(
            f"warning: anyone with the link can see and use the tags from any machine that reaches {arguments.listen}, "
            "and the traffic is not encrypted"
        )
    if arguments.json:
        output.say_json(url=link.url)
        return
    output.say(f"The board is at {link.url}")
    if sys.stdout is not None and sys.stdout.isatty():
        started = not arguments.no_browser and open_browser(link.url_for_browser)
        told = "It opens in your browser" if started else "Open this link in a browser"
        output.say(f"{told}; Ctrl-C ends the board.")


def open_browser(url: str) -> bool:
    """Whether there is a desktop with a browser to open the page in."""
    import subprocess

    program = shutil.which("xdg-open")
    if program is None or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    quiet = subprocess.DEVNULL
    try:
        subprocess.Popen([program, url], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    return True
