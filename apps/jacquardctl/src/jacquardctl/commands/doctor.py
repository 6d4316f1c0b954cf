"""jacquardctl doctor"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

import jacquard
from jacquard import lsl
from jacquard_apps.system import processes
from jacquard_apps.system.together import within
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output

from ..doctor import bluez, links, rfkill, sharing, sleeve, subscribers, touch_mode
from ..doctor.diagnosis import Machine, diagnosis
from ..doctor.finding import Finding

TIMEOUT = 15
SYS = Path("/sys")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor", parents=[options.shared()], help="check whether Bluetooth works, and say what to do if it does not"
    )
    parser.add_argument(
        "--timeout", type=options.seconds, default=5, metavar="SECONDS", help="how long to scan for tags (5)"
    )
    parser.add_argument(
        "--sleeve",
        type=options.seconds,
        metavar="SECONDS",
        help="judge the lines of the gear of each bound tag, while you stroke over it for this time",
    )
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    with output.progress("looking", arguments.json) as tell:
        findings = await examine(arguments, tell)
    for finding in findings:
        if arguments.json:
            output.say_json(**output.members_of(finding))
        else:
            show(finding)
    return exits.NO_BLUETOOTH if any(finding.cause for finding in findings) else exits.OK


async def examine(
    arguments: Namespace, tell: Callable[[str], None] = lambda text: None, sys: Path = SYS
) -> list[Finding]:
    library = jacquard.loaded_library()
    findings = [
        Finding("library", True, f"libjacquard {library.version}, {library.path}"),
        Finding("firmware", True, "updates have run with software tags only, never with a real tag: one is wanted, see jacquardctl certify", caveat=True),
    ]
    async with target.manager(arguments) as manager:
        adapter = await settled(manager)
        machine = await inspected(sys)
        if machine.observation is not None or machine.installed:
            findings.append(about(machine))
        names = await known_names(manager)
        shared = await about_sharing(machine, names)
        findings += [diagnosis(adapter, machine), shared, *await state_file(manager)]
        findings += await about_touch_mode(manager, machine, shared, names)
        if machine.observation is not None:
            findings += about_subscribers(machine.observation)
        if importlib.util.find_spec("pylsl") is not None:
            findings.append(await lab_streaming_layer())
        if adapter is not None and adapter.usable:
            findings += await tags_in_range(manager, adapter, arguments.timeout)
            if arguments.sleeve is not None:
                findings += await sleeve.of_bound(manager, names, arguments.sleeve, tell)
    return findings


async def settled(manager: jacquard.Manager) -> jacquard.Adapter | None:
    """The adapter as soon as its state is known; None if that takes too long."""

    async def known() -> jacquard.Adapter | None:
        async with manager.adapter_states() as states:
            async for adapter in states:
                if adapter.state is not jacquard.AdapterState.UNKNOWN:
                    return adapter
        return None

    try:
        return await within(TIMEOUT, known())
    except asyncio.TimeoutError:
        return None


async def inspected(sys: Path) -> Machine:
    def inspect() -> Machine:
        return Machine(rfkill.switches(sys), rfkill.controllers(sys), bluez.installed(), *bluez.inspect())

    return await asyncio.get_running_loop().run_in_executor(None, inspect)


def about(machine: Machine) -> Finding:
    """The finding about bluetoothd."""
    parts = [f"{machine.installed} is installed"] if machine.installed else []
    if machine.observation is None:
        return Finding(
            "bluetoothd", True, ", ".join(parts) or "cannot be queried", details={"installed": machine.installed}
        )
    features = machine.observation.features
    if features.at_least:
        parts.append(f"the running one is {features.at_least} or newer")
    if features.disconnect_reasons is not None:
        parts.append(f"reports why links end: {'yes' if features.disconnect_reasons else 'no'}")
    if features.takes_batteries is not None:
        parts.append(f"panels show a tag's battery: {'yes' if features.takes_batteries else 'no, since 5.71'}")
    details = {"installed": machine.installed, "at_least": features.at_least, **output.members_of(features)}
    return Finding("bluetoothd", True, ", ".join(parts) or "runs", details=details)


async def state_file(manager: jacquard.Manager) -> list[Finding]:
    """A finding if the bound tags cannot be read."""
    try:
        await manager.known()
    except jacquard.StateFileError as error:
        return [Finding("state", False, error.message, error.advice)]
    return []


async def known_names(manager: jacquard.Manager) -> dict[str, str]:
    with contextlib.suppress(jacquard.StateFileError):
        return {tag.identifier: target.name(tag) for tag in await manager.known()}
    return {}


async def about_touch_mode(
    manager: jacquard.Manager, machine: Machine, shared: Finding, names: Mapping[str, str]
) -> list[Finding]:
    if machine.observation is None:
        return []
    served = shared.details.get("links", [])
    others = {tag: process for tag, process in links.holders(machine.observation.bus).items() if tag not in served}
    return [*await touch_mode.of_shared(manager, served, names), *touch_mode.of_others(others, names)]


async def about_sharing(machine: Machine, names: Mapping[str, str]) -> Finding:
    bus = None if machine.observation is None else machine.observation.bus
    return await asyncio.get_running_loop().run_in_executor(None, sharing.sharing, bus, names)


def about_subscribers(observation: bluez.Observation) -> list[Finding]:
    foreign, hidden = observation.subscribed.foreign, observation.subscribed.hidden
    findings = [foreign_subscribers(foreign)] if foreign else []
    return [*findings, hidden_subscribers(hidden, links.holders(observation.bus))] if hidden else findings


def foreign_subscribers(addresses: list[str]) -> Finding:
    return Finding(
        "subscribers",
        False,
        f"A program that does not use this library is subscribed to {', '.join(addresses)}.",
        "bluetoothd therefore reports each value once more. The library drops copies, but while that program subscribes "
        "or unsubscribes, a value may be delivered twice, or dropped as a copy. Stop that program, or its subscription.",
        details={"addresses": addresses},
    )


def hidden_subscribers(addresses: list[str], holders: Mapping[str, int]) -> Finding:
    """bluetoothd only says that there is a subscriber."""
    processes_of = {address: holders.get(subscribers.identifier(address)) for address in addresses}
    used = ", ".join(
        f"{address} ({processes.described(process)})" if process else address for address, process in processes_of.items()
    )
    return Finding(
        "subscribers",
        True,
        f"cannot be checked while a program uses the tag through this library: {used}",
        "If values are delivered twice, see the log of a program that uses the tag (JACQUARD_LOG=warning): it has a warning if "
        "another program is subscribed. Or run jacquardctl doctor again when the tag's link is down.",
        details={"addresses": addresses},
        caveat=True,
    )


async def lab_streaming_layer() -> Finding:
    try:
        pylsl = await asyncio.get_running_loop().run_in_executor(None, lsl.pylsl)
    except (ImportError, RuntimeError):
        return Finding("lsl", False, "pylsl is installed, but cannot load liblsl.", lsl.LIBRARY_ADVICE)
    return Finding("lsl", True, f"pylsl {pylsl.__version__}, liblsl {pylsl.library_version() / 100:.2f}")


async def tags_in_range(manager: jacquard.Manager, adapter: jacquard.Adapter, seconds: float) -> list[Finding]:
    found: dict[str, str] = {}
    failures: list[Finding] = []
    try:
        async for tag in manager.scan(timeout=seconds):
            found[tag.identifier] = target.name(tag)
    except jacquard.JacquardError as error:
        failures.append(Finding("tags", False, error.message, error.advice, "scan-failed"))
    if not found and not failures:
        others = await asyncio.get_running_loop().run_in_executor(None, bluez.devices_received, adapter.address, seconds)
        return [no_tag(seconds, others)]
    findings = [Finding("tags", True, ", ".join(sorted(found.values())))] if found else []
    findings += failures
    with contextlib.suppress(jacquard.JacquardError):
        for known in await manager.known():
            info = await information(manager, known.identifier) if known.identifier in found else None
            if info is not None and info.faulty_firmware:
                findings.append(faulty_firmware(found[known.identifier], info))
    return findings


def no_tag(seconds: float, others: int | None) -> Finding:
    """others: how many devices are received that are not tags, if that is known."""
    text = f"No tag was found in {output.seconds(seconds)}."
    advice = "Hold a tag's button for three seconds until its light pulses."
    if others == 0:
        text += " No other device was received, either: the adapter may not receive anything, or none is in range."
        advice += " If devices should be in range, run bluetoothctl power off and bluetoothctl power on, or plug the adapter in again."
    elif others is not None:
        text += f" The adapter receives: other devices: {others}."
    return Finding("tags", False, text, advice, details={"others": others})


async def information(manager: jacquard.Manager, identifier: str) -> jacquard.TagInfo | None:
    """Connects to the tag; None if that is not possible, for example because another program uses it."""
    async with manager.connect(identifier, timeout=TIMEOUT) as connection:
        async for state in connection.states():
            if state.tag is not None:
                return state.tag.info
            if state.phase is jacquard.Phase.DISCONNECTED:
                break
    return None


def faulty_firmware(serial: str, info: jacquard.TagInfo) -> Finding:
    return Finding(
        "firmware",
        False,
        f"{serial} has firmware {'.'.join(map(str, info.firmware))}, which is known to be faulty.",
        "The reference SDKs replaced this version before they connected. If the tag does not work well and you have an image "
        "of another version, install it with jacquardctl firmware install.",
        details={"address": info.address, "version": info.firmware},
    )


def show(finding: Finding) -> None:
    console = output.terminal()
    mark, color = ("!", "yellow") if finding.caveat else ("✓", "green") if finding.good else ("✗", "red")
    line = f" {finding.about:10} {output.printable(finding.text)}"
    if console is None:
        output.say(mark + line)
    else:
        from rich.text import Text

        console.print(Text.assemble((mark, color), line))
    if finding.advice:
        output.say(f"{'':12} {output.printable(finding.advice)}")
