"""jacquardctl firmware"""

from __future__ import annotations

import asyncio
import os
import signal
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jacquard
from jacquard import Firmware, UpdateMode, UpdateOutcome, UpdatePhase, UpdateProgress, UpdateResult
from jacquard.input_file import open_input
from jacquard.whole_file import WholeFile
from jacquard_apps.system.together import within
from jacquard_apps.tags import target
from jacquard_apps.terminal import asking, exits, options, output

from .. import updates

NEVER = "Firmware updates have only been tested with software tags, never with a real tag."
HEADINGS = ("FILE", "FOR", "VERSION", "SIZE", "CRC-16", "SHA-256")
RESULTS = ("FILE", "INSTALLED", "IMAGE", "")
# How long a cancelled update may take to end, in seconds.
PATIENCE = 15


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "firmware", help="update the firmware of a tag and its gear (never tested with a real tag)"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    info = actions.add_parser("info", parents=[options.shared(), images()], help="describe firmware images")
    info.set_defaults(run=run_info)

    check = actions.add_parser(
        "check", parents=[options.with_tag(), images(), choices()], help="check whether images can be installed; nothing is written"
    )
    check.set_defaults(run=run_check)

    install = actions.add_parser(
        "install", parents=[options.with_tag(), images(), choices()], help="transfer, install and verify images"
    )
    install.add_argument("--yes", action="store_true", help="install without asking")
    install.set_defaults(run=run_install)

    status = actions.add_parser("status", parents=[options.shared()], help="list the updates that are running on this machine")
    status.set_defaults(run=run_status)

    cancel = actions.add_parser(
        "cancel", parents=[options.shared()], help="cancel an update that is running on this machine"
    )
    help = "serial number or its end, or address (default: the only update)"
    cancel.add_argument("update", nargs="?", metavar="TAG", type=options.word, help=help)
    cancel.set_defaults(run=run_cancel)

    manifest = actions.add_parser(
        "manifest", parents=[options.shared()], help="create FILE.json, the manifest of an image"
    )
    manifest.add_argument("file", type=options.path, metavar="FILE", help="the image")
    manifest.add_argument("--vendor", type=part, required=True, metavar="ID", help="vendor ID, such as 11-78-30-c8")
    manifest.add_argument("--product", type=part, required=True, metavar="ID", help="product ID, such as 28-3b-e7-a0")
    manifest.add_argument("--module", type=part, default=0, metavar="ID", help="module ID, for a module")
    manifest.add_argument("--version", type=version, required=True, metavar="VERSION", help="such as 1.97.0")
    manifest.set_defaults(run=run_manifest)


def images() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    help = "image with a manifest beside it, FILE.json"
    parser.add_argument("files", nargs="+", type=options.path, metavar="FILE", help=help)
    return parser


def choices() -> ArgumentParser:
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--downgrade", action="store_true", help="allow versions that are older than the installed ones")
    parser.add_argument("--overwrite", action="store_true", help="allow replacing another image that is partly on the tag")
    help = "required battery level unless the tag charges, 10 to 100 (20)"
    parser.add_argument("--least-battery", type=int, default=20, metavar="PERCENT", help=help)
    return parser


def part(text: str) -> int:
    pairs = text.split("-")
    try:
        if [len(pair) for pair in pairs] != [2, 2, 2, 2]:
            raise ValueError
        return int.from_bytes(bytes.fromhex("".join(pairs)), "big")
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not an ID such as 11-78-30-c8") from None


def version(text: str) -> tuple[int, int, int]:
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ArgumentTypeError(f"{text!r} is not a version such as 1.97.0")
    return int(parts[0]), int(parts[1]), int(parts[2])


def dotted(parts: tuple[int, int, int]) -> str:
    return ".".join(str(part) for part in parts)


def ids(firmware: Firmware) -> str:
    numbers = [firmware.vendor_id, firmware.product_id] + [firmware.module_id] * bool(firmware.module_id)
    return "/".join(number.to_bytes(4, "big").hex("-") for number in numbers)


async def run_info(arguments: Namespace) -> int:
    described = [(path, read(path)) for path in arguments.files]
    if arguments.json:
        for path, image in described:
            output.say_json(file=str(path), **members(image))
    else:
        rows = [
            (path.name, ids(one), dotted(one.version), str(one.size), f"{one.checksum:04x}", one.sha256[:16] + "…")
            for path, one in described
        ]
        output.show_table(HEADINGS, rows)
    return exits.OK


def members(image: Firmware) -> dict[str, Any]:
    return {
        "vendor_id": image.vendor_id,
        "product_id": image.product_id,
        "module_id": image.module_id,
        "version": image.version,
        "size": image.size,
        "crc16": image.checksum,
        "sha256": image.sha256,
    }


async def run_manifest(arguments: Namespace) -> int:
    with open_input(arguments.file) as source:
        image = Firmware(
            source.read(),
            vendor_id=arguments.vendor,
            product_id=arguments.product,
            module_id=arguments.module,
            version=arguments.version,
        )
    path = manifest_of(arguments.file)
    with WholeFile(path) as file:
        file.write(image.manifest.encode("ascii"))
    if arguments.json:
        output.say_json(manifest=str(path))
    else:
        output.say(str(path))
    return exits.OK


def read(path: Path) -> Firmware:
    if path.is_file() and not manifest_of(path).exists():
        text = f"The manifest {manifest_of(path)} is missing: see jacquardctl firmware manifest."
        raise exits.Failure(text, exits.USAGE)
    return Firmware.read(path)


def manifest_of(path: Path | str) -> Path:
    return Path(f"{path}.json")


def read_all(arguments: Namespace) -> list[Firmware]:
    if arguments.tag is not None and manifest_of(arguments.tag).is_file():
        # TAG was omitted. A tag with the name of an image can be selected by its serial number.
        arguments.files.insert(0, Path(arguments.tag))
        arguments.tag = None
    return [read(path) for path in arguments.files]


async def run_check(arguments: Namespace) -> int:
    firmware = read_all(arguments)
    async with target.connected(arguments) as (connection, _):
        results = await check(connection, firmware, arguments)
    show(arguments, firmware, results)
    return exits.OK


async def run_install(arguments: Namespace) -> int:
    firmware = read_all(arguments)
    return await install(arguments, firmware)


async def install(arguments: Namespace, firmware: Sequence[Firmware]) -> int:
    if not arguments.yes and not asking.is_possible():
        raise exits.Failure("Standard input is not a terminal: installing needs --yes.", exits.USAGE)
    if not arguments.json:
        output.complain(NEVER)
    async with target.connected(arguments) as (connection, tag):
        results = await check(connection, firmware, arguments)
        if any(result.outcome is UpdateOutcome.PENDING for result in results):
            with updates.announced(tag.info) as file:
                await update(connection, firmware, UpdateMode.TRANSFER, arguments, file)
                if not arguments.yes and not await confirmed(arguments.files):
                    raise exits.Failure("Not installed; what was transferred stays on the tag.", exits.REFUSED)
                results = await update(connection, firmware, UpdateMode.INSTALL, arguments, file)
    show(arguments, firmware, results)
    return exits.OK


async def check(
    connection: jacquard.Connection, firmware: Sequence[Firmware], arguments: Namespace
) -> list[UpdateResult]:
    """A check changes nothing, so the state of the tag is a reason for a refusal."""
    try:
        return await update(connection, firmware, UpdateMode.CHECK, arguments)
    except (jacquard.BusyError, jacquard.CaptureInProgressError, jacquard.LowBatteryError) as error:
        raise exits.Refusal(error) from None


async def update(
    connection: jacquard.Connection,
    firmware: Sequence[Firmware],
    mode: UpdateMode,
    arguments: Namespace,
    file: updates.StateFile | None = None,
) -> list[UpdateResult]:
    with output.progress("checking", arguments.json) as say:
        return await connection.update_firmware(
            firmware,
            mode,
            allow_downgrade=arguments.downgrade,
            overwrite=arguments.overwrite,
            least_battery=arguments.least_battery,
            progress=reporter(arguments, say, file),
        )


def reporter(
    arguments: Namespace, say: Callable[[str], None], file: updates.StateFile | None
) -> Callable[[UpdateProgress], None]:
    shown = [-1, ""]

    def report(state: UpdateProgress) -> None:
        name = arguments.files[state.image].name
        phase = str(state.phase)
        if file is not None:
            one = file.update
            (one.phase, one.image, one.done, one.total) = (phase, name, state.done, state.total)
            (one.rate, one.remaining) = (state.rate, state.remaining)
            file.write()
        percent = 100 * state.done // state.total if state.total else 0
        if arguments.json and [percent, phase] != shown:
            shown[:] = [percent, phase]
            output.say_json(progress=output.members_of(state))
        say(bar(name, state, percent))

    return report


def bar(name: str, state: UpdateProgress, percent: int) -> str:
    if state.phase is not UpdatePhase.TRANSFERRING:
        return f"{name}  {state.phase}"
    filled = percent // 4
    rate = "" if state.rate is None else f"  {state.rate / 1000:.1f} kB/s"
    left = "" if state.remaining is None else f"  {state.remaining:.0f} s left"
    return f"{name}  {'━' * filled}{'╌' * (25 - filled)} {percent} %{rate}{left}"


async def confirmed(files: Sequence[Path]) -> bool:
    """Asks whether to install. The update can be cancelled meanwhile."""
    names = ", ".join(output.printable(path.name) for path in files)
    return await asking.confirmed(f"Install {names} on the tag? Keep it near and charged.")


def show(arguments: Namespace, firmware: Sequence[Firmware], results: Sequence[UpdateResult]) -> None:
    if arguments.json:
        for path, result in zip(arguments.files, results):
            output.say_json(file=str(path), **output.members_of(result))
        return
    rows = [
        (path.name, dotted(result.after), dotted(image.version), meaning(result, image))
        for path, image, result in zip(arguments.files, firmware, results)
    ]
    output.show_table(RESULTS, rows)
    if any(result.stale_services for result in results):
        output.complain("bluetoothd uses the services of the previous firmware: restart it, or bind the tag again.")


def meaning(result: UpdateResult, image: Firmware) -> str:
    if result.outcome is UpdateOutcome.PENDING:
        return f"not installed; {result.stored} of {image.size} bytes are on the tag"
    return str(result.outcome)


async def run_status(arguments: Namespace) -> int:
    for one in updates.running():
        if arguments.json:
            output.say_json(**output.members_of(one))
        else:
            percent = 100 * one.done // one.total if one.total else 0
            output.say(f"{one.serial or one.address}  {one.image}  {one.phase}  {percent} %  process {one.process}")
    return exits.OK


async def run_cancel(arguments: Namespace) -> int:
    one = chosen(list(updates.running()), arguments.update)
    if not one.may_be_cancelled:
        raise exits.Failure("The image is being installed, which cannot be cancelled.", exits.FAILED)
    os.kill(one.process, signal.SIGINT)

    async def end() -> None:
        while not updates.ended(one):
            await asyncio.sleep(0.1)

    with output.progress("cancelling", arguments.json):
        await within(PATIENCE, end())
    return exits.OK


def chosen(found: list[updates.Update], wanted: str | None) -> updates.Update:
    matching = [
        one
        for one in found
        if wanted is None
        or one.serial.upper().endswith(wanted.upper())
        or wanted.upper() == one.address.upper()
        or wanted in (one.identifier, one.name)
    ]
    if len(matching) != 1:
        said = "no update" if not matching else f"{len(matching)} updates"
        raise exits.Failure(f"There is {said} to cancel on this machine.", exits.USAGE)
    return matching[0]
