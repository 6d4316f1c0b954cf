"""The command line."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

from . import exits, settings
from .settings import Settings

STATUSES = "exit status: " + ", ".join(f"{status} {meaning}" for status, meaning in exits.MEANINGS.items())
LOG = logging.getLogger("jacquard_mqtt")
# The syslog prefix with which messages to the journal on standard error begin.
PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}


class Journal(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        prefix = f"<{PRIORITIES.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in super().format(record).splitlines())


def parser() -> argparse.ArgumentParser:
    import jacquard

    parser = argparse.ArgumentParser(
        "jacquard-mqtt", description="Connect Jacquard tags to an MQTT broker and Home Assistant.", epilog=STATUSES
    )
    parser.add_argument("--version", action="version", version=f"jacquard-mqtt {jacquard.__version__}")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the configuration file (~/.config/jacquard-mqtt.toml, else /etc/jacquard-mqtt.toml, else the defaults)",
    )
    parser.add_argument("--check", action="store_true", help="check the configuration file and exit")
    parser.add_argument(
        "--remove", action="store_true", help="remove the topics of this bridge, and of tags of no other, from the broker and exit"
    )
    parser.add_argument("--debug", action="store_true", help="write details to the log, including the library's")
    return parser


def main(words: list[str] | None = None) -> int:
    arguments = parser().parse_args(words)
    set_up_log(arguments.debug)
    path: Path = arguments.config or settings.default_path()
    try:
        configuration = settings.read(path, optional=arguments.config is None)
    except settings.Invalid as error:
        LOG.error("%s", error)
        return exits.CONFIGURATION
    if settings.exposed(path, configuration):
        LOG.warning("%s contains a password and is readable by all users: use password_file, or chmod 600", path)
    if arguments.check:
        print(f"{path}: valid" if path.exists() else f"{path}: missing; the defaults apply")
        return exits.OK
    return run(configuration, arguments.config, arguments.remove)


def logs_to_journal() -> bool:
    """Whether standard error is the journal, which reads the priority: systemd.exec(5)."""
    status = os.fstat(sys.stderr.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def set_up_log(debug: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Journal("%(message)s") if logs_to_journal() else logging.Formatter("jacquard-mqtt: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    LOG.setLevel(logging.DEBUG if debug else logging.INFO)
    logging.getLogger("jacquard").setLevel(logging.DEBUG if debug else logging.WARNING)


def run(configuration: Settings, path: Path | None, removes: bool) -> int:
    import jacquard

    from .bridge import Bridge

    async def serve() -> int:
        loop = asyncio.get_running_loop()
        bridge = Bridge(configuration, path, removes)
        reloads: set[asyncio.Task[None]] = set()

        def reload() -> None:
            if not reloads:
                task = asyncio.ensure_future(bridge.reload())
                reloads.add(task)
                task.add_done_callback(reloads.discard)

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, bridge.stop)
        loop.add_signal_handler(signal.SIGHUP, reload)
        return await bridge.run()

    try:
        return asyncio.run(serve())
    except jacquard.JacquardError as error:
        LOG.error("%s", error)
    except (OSError, ImportError) as error:
        LOG.error("%s", error)
    return exits.FAILED
